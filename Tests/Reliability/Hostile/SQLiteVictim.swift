// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// A SQLite store whose file, rows, tables, metadata and large values are damaged.
struct SQLiteVictim: Victim {
  let kind: String
  private let scratch: Scratch
  private let files: [String: Data]
  private let damage: SQLDamage
  /// Opens the store; the closure uses what a program's own classes have.
  private let open: (StoreDescription) throws(PerennialError) -> PersistentContainer
  private let walk: ((ManagedObjectContext) throws(PerennialError) -> Void)?

  private static let name = "store.sqlite"
  private static let support = ".store_SUPPORT/_EXTERNAL_DATA"
  private static let linkName = "11111111-2222-3333-4444-555555555555"

  /// A store of the museum's.
  init(museumIn scratch: Scratch) throws {
    try scratch.put([:])
    let file = scratch.stores.appending(path: Self.name)
    var store = StoreDescription.sqlite(file)
    store.historyKeepsOldValues = true
    try Museum.fill(Museum.open(store))
    try self.init("the museum's store", scratch, file, Museum.open) {
      context throws(PerennialError) in
      try Museum.walk(context)
    }
  }

  /// A copy of a store of Core Data.
  init(_ folder: URL, _ model: ManagedObjectModel, in scratch: Scratch) throws {
    var files: [String: Data] = [:]
    for end in ["", "-wal"] {
      files[Self.name + end] = try? Data(contentsOf: folder.appending(path: Self.name + end))
    }
    try scratch.put(files)
    let file = scratch.stores.appending(path: Self.name)
    Enemy.settle(file)
    try self.init(
      "Core Data's stores",
      scratch,
      file,
      { store throws(PerennialError) in
        try PersistentContainer(name: "Foreign", model: model, store: store)
      }
    )
  }

  private init(
    _ kind: String,
    _ scratch: Scratch,
    _ file: URL,
    _ open: @escaping (StoreDescription) throws(PerennialError) -> PersistentContainer,
    walk: ((ManagedObjectContext) throws(PerennialError) -> Void)? = nil
  ) throws {
    self.kind = kind
    self.scratch = scratch
    self.open = open
    self.walk = walk
    files = try scratch.files().filter { !$0.key.hasSuffix("-wal") && !$0.key.hasSuffix("-shm") }
    let large = files.keys.filter { $0.hasPrefix(Self.support) }.map { String($0.suffix(36)) }
    damage = SQLDamage(
      columns: Enemy.columns(of: file),
      names: large + [
        Self.linkName, "../../../secret", "/etc/passwd", "..", ".", "", "a\0b",
        "11111111-2222-3333-4444-55555555555/", String(repeating: "A", count: 300),
      ]
    )
  }

  func attack(_ chance: inout Chance) throws -> Attempts {
    var files = files
    let kind = chance.below(10)
    if kind < 4, var bytes = files[Self.name].map(Array.init) {
      PageDamage.damage(&bytes, &chance)
      files[Self.name] = Data(bytes)
    }
    try scratch.put(files)
    let file = scratch.stores.appending(path: Self.name)
    if kind >= 4 { Enemy.execute(damage.statements(&chance), on: file) }
    if kind == 4 { damageMetadata(of: file, &chance) }
    if kind == 5 { damageFiles(&chance) }
    return use(file, &chance)
  }

  /// Damages the property list of the metadata, its other columns, or the copy of the model.
  private func damageMetadata(of file: URL, _ chance: inout Chance) {
    let place = chance.one(of: [
      "Z_METADATA Z_PLIST", "Z_METADATA Z_PLIST", "Z_MODELCACHE Z_CONTENT",
    ])
    .split(separator: " ")
    // Only one row: the table may be a view without end by now.
    let query = "SELECT hex(\(place[1])) FROM \(place[0]) LIMIT 1"
    let digits = Enemy.rows(query, of: file).first?.first ?? ""
    var bytes = stride(from: 0, to: digits.utf8.count - 1, by: 2).map { offset in
      let start = digits.utf8.index(digits.startIndex, offsetBy: offset)
      return UInt8(digits[start...].prefix(2), radix: 16) ?? 0
    }
    ByteDamage.damage(&bytes, &chance)
    Enemy.execute("UPDATE \(place[0]) SET \(place[1]) = \(SQLDamage.literal(bytes))", on: file)
  }

  /// Damages what lies beside the store, or puts something there.
  private func damageFiles(_ chance: inout Chance) {
    let large = files.keys.filter { $0.hasPrefix(Self.support) }.sorted()
    switch chance.below(7) {
    case 0: scratch.link(Self.support + "/" + Self.linkName)
    case 1: if let name = large.first { scratch.link(name) }
    case 2: scratch.link(Self.support)
    case 3: scratch.link(".store_SUPPORT")
    case 4: scratch.link(Self.name + "-wal")
    case 5: scratch.link(Self.name + "-journal")
    default:
      let end = chance.one(of: ["-wal", "-shm", "-journal", ".new", ".lock"])
      var bytes = Array(files[Self.name]?.prefix(chance.below(9_000)) ?? Data())
      ByteDamage.damage(&bytes, &chance)
      try? Data(bytes).write(to: scratch.stores.appending(path: Self.name + end))
    }
  }

  private func use(_ file: URL, _ chance: inout Chance) -> Attempts {
    var store = StoreDescription.sqlite(file)
    store.durability = .survivesProcessDeathOnly
    store.busyTimeout = .zero
    store.isReadOnly = chance.once(in: 8)
    store.shouldMigrateStoreAutomatically = chance.once(in: 2)
    store.historyTracking = chance.once(in: 2)
    store.analyzesOnOpening = chance.once(in: 16)
    store.vacuumsOnOpening = chance.once(in: 16)
    var use = StoreUse(secret: scratch.secret)
    for _ in 0...chance.below(2) {
      let container = use.attempts.value { () throws(PerennialError) in try open(store) }
      guard let container else { break }
      use.use(container, walk: walk)
    }
    if !scratch.isSecretUnchanged { use.attempts.problem = "a file beside the store was changed" }
    return use.attempts
  }
}
