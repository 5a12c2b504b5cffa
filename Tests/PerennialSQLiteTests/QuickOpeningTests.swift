// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import RandomTesting
import RowTesting
import Testing

@testable import PerennialSQLite

/// The short ways of opening an ordinary store say the same as the long ones that every other store takes.
@Suite("Opening an ordinary store")
struct QuickOpeningTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func connection(_ url: URL) throws -> SQLiteConnection {
    try SQLiteConnection(path: url.path, access: .write, busyTimeout: .seconds(1))
  }

  private func change(_ sql: String) throws { try connection(folder.file()).execute(sql) }

  private func open(_ model: ModelLayout) throws -> SQLiteStore {
    try SQLiteStore(url: folder.file(), model: model)
  }

  /// The property list of a store.
  private func metadata(_ url: URL) throws -> Data {
    let connection = try connection(url)
    let statement = try connection.prepare("SELECT Z_PLIST FROM Z_METADATA")
    defer { withExtendedLifetime(connection) { statement.finalize() } }
    _ = try statement.step()
    return statement.data(0)
  }

  /// The property list of a new store.
  private func metadata() throws -> Data {
    _ = try open(TestModels.blog())
    return try metadata(folder.file())
  }

  /// What the long way makes of a list.
  private func hashes(_ list: Data) -> VersionHashes? {
    StoreMetadata(identifier: UUID().uuidString, list: list)?.hashes
  }

  // MARK: Metadata

  @Test(arguments: ["Books", "Cars", "Bookmarks"])
  func `the hashes of Core Data's stores are those that Foundation reads`(name: String) throws {
    let list = try metadata(folder.copy(ofFixture: name))
    #expect(OrdinaryMetadata(list)?.hashes == hashes(list))
    #expect(hashes(list) != nil)
  }

  @Test func `the hashes of our stores are those of the model`() throws {
    let list = try metadata()
    #expect(try OrdinaryMetadata(list)?.hashes == TestModels.blog().versionHashes)
  }

  @Test func `of damaged metadata nothing is said that Foundation does not say`() throws {
    let list = try metadata()
    var generator = SeededGenerator(seed: 14)
    var answers = 0
    // The places of the objects are at the end: there every bit counts.
    let places = list.indices.map { ($0, Int.random(in: 0..<8, using: &generator)) }
    let last = list.indices.suffix(100).flatMap { place in (0..<8).map { (place, $0) } }
    for (place, bit) in places + last {
      var damaged = list
      damaged[place] ^= 1 << bit
      guard let quick = OrdinaryMetadata(damaged)?.hashes else { continue }
      answers += 1
      #expect(
        quick == hashes(damaged),
        "byte \(place) of \(list.count): \(list[place]) is \(damaged[place])"
      )
    }
    // What is changed is mostly a hash, or the model.
    #expect(answers > 0)
    for count in 0..<list.count { #expect(OrdinaryMetadata(list.prefix(count)) == nil) }
  }

  @Test func `other lists are left to Foundation, and open as before`() throws {
    let list = try metadata()
    let entries = try #require(
      try PropertyListSerialization.propertyList(from: list, format: nil) as? [String: Any]
    )
    var unusual: [Data] = []
    unusual.append(
      try PropertyListSerialization.data(fromPropertyList: entries, format: .xml, options: 0)
    )
    unusual.append(
      try PropertyListSerialization.data(
        fromPropertyList: entries.merging(["title": "Bücher"]) { $1 },
        format: .binary,
        options: 0
      )
    )
    for list in unusual {
      #expect(OrdinaryMetadata(list) == nil)
      #expect(try hashes(list) == TestModels.blog().versionHashes)
      let connection = try connection(folder.file())
      let statement = try connection.prepare("UPDATE Z_METADATA SET Z_PLIST = ?")
      try statement.bind([.blob(list)])
      try statement.run()
      withExtendedLifetime(connection) { statement.finalize() }
      _ = try open(TestModels.blog())
    }
  }

  /// A list of hashes with one more entry in the outermost dictionary.
  ///
  /// - Parameters:
  ///   - key: The number of its key: 3 is the text "x".
  ///   - value: The number of its value: 8 is the last object.
  ///   - last: The last object.
  ///   - version: The object that is the version of the hashes.
  ///   - hash: The object that is the hash of the entity "A".
  /// - Returns: The list.
  private func list(
    key: UInt8 = 3,
    value: UInt8 = 8,
    last: [UInt8] = [0x09],
    version: [UInt8] = [0x10, 0x03],
    hash: [UInt8] = [0x41, 0x07]
  ) -> Data {
    func text(_ text: String) -> [UInt8] { [0x5F, 0x10, UInt8(text.utf8.count)] + text.utf8 }
    let objects = [
      [0xD3, 1, 2, key, 4, 5, value], text("NSStoreModelVersionHashesVersion"),
      text("NSStoreModelVersionHashes"), text("x"), version, [0xD1, 6, 7], text("A"), hash, last,
    ]
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [objects.count, 0, table] { bytes += [0, 0, 0, 0, 0, 0, 0, UInt8(number)] }
    return Data(bytes)
  }

  @Test(
    arguments: [
      ("a boolean", 3, 8, [0x09], true), ("a list of a text", 3, 8, [0xA1, 6], true),
      ("the hashes once more", 3, 5, [0x09], true), ("the dictionary itself", 3, 0, [0x09], false),
      ("a list of itself", 3, 8, [0xA1, 8], false),
      ("a list of the dictionary", 3, 8, [0xA1, 0], false),
      ("a dictionary", 3, 8, [0xD1, 6, 7], false), ("nothing", 3, 8, [0x00], false),
      ("a UID", 3, 8, [0x80, 1], false), ("bytes for a text", 3, 8, [0x51, 0xFF], false),
      ("text beyond ASCII", 3, 8, [0x61, 0x00, 0xFC], false),
      ("a key twice", 1, 8, [0x10, 0x02], false), ("a key that is no text", 8, 8, [0x09], false),
    ] as [(String, UInt8, UInt8, [UInt8], Bool)]
  )
  func `only what Foundation writes is ordinary`(
    what: String,
    key: UInt8,
    value: UInt8,
    last: [UInt8],
    isOrdinary: Bool
  ) {
    let list = list(key: key, value: value, last: last)
    let expected = VersionHashes(byEntity: ["A": Data([7])])
    #expect(OrdinaryMetadata(list)?.hashes == (isOrdinary ? expected : nil), "\(what)")
    if isOrdinary { #expect(hashes(list) == expected) }
  }

  @Test(arguments: [[0xC1, 5], [0xC1, 6], [0xC1, 8]] as [[UInt8]])
  func `a set, which Foundation may end the program for, is no metadata`(_ set: [UInt8]) {
    let list = list(last: set)
    #expect(OrdinaryMetadata(list) == nil)
    #expect(hashes(list) == nil)
  }

  @Test func `hashes of another version, or that are no data, are none`() {
    #expect(OrdinaryMetadata(list())?.hashes.byEntity == ["A": Data([7])])
    #expect(OrdinaryMetadata(list(version: [0x10, 0x02])) == nil)
    #expect(OrdinaryMetadata(list(version: [0x22, 0x40, 0x40, 0, 0])) == nil)
    #expect(OrdinaryMetadata(list(hash: [0x51, 0x61])) == nil)
  }

  // MARK: Tables

  /// A schema as far as it can be compared.
  private func outline(_ schema: StoreSchema?) -> [String] {
    guard let schema else { return [] }
    return schema.definitions.map { "\($0.name): \($0.columns)" }
      + schema.joinTables.map { "\($0.table): \($0.first), \($0.second)" }
      + schema.numbers.map(String.init)
  }

  @Test(arguments: ["blog", "types", "family", "links"])
  func `the tables of a new store are known by their statements`(name: String) throws {
    let model =
      switch name {
      case "blog": try TestModels.blog()
      case "types": try TestModels.types()
      case "family": try TestModels.family()
      default: try TestModels.links()
      }
    _ = try open(model)
    let connection = try connection(folder.file())
    let usual = try SchemaCatalogue(connection).usualSchema(of: model, on: connection)
    #expect(usual != nil)
    #expect(try outline(usual?.schema) == outline(StoreSchema.stored(on: connection, model)))
  }

  @Test(
    arguments: [
      "ALTER TABLE ZPOST ADD COLUMN ZMORE INTEGER", "ALTER TABLE ZPOST DROP COLUMN ZSCORE",
      "ALTER TABLE ZPOST RENAME COLUMN ZSLUG TO ZSNAIL", "ALTER TABLE ZAUTHOR RENAME TO ZWRITER",
      "ALTER TABLE Z_METADATA ADD COLUMN ZMORE INTEGER", "DELETE FROM Z_PRIMARYKEY",
    ]
  )
  func `tables that a hand has changed are looked at`(sql: String) throws {
    let model = try TestModels.blog()
    _ = try open(model)
    let connection = try connection(folder.file())
    for name in try connection.texts(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ) {
      try connection.execute("DROP INDEX \"\(name)\"")
    }
    try connection.execute(sql)
    let usual = try SchemaCatalogue(connection).usualSchema(of: model, on: connection)
    #expect(usual == nil)
    let isHarmless = sql.contains("ADD")
    #expect((code { _ = try self.open(model) } == nil) == isHarmless)
  }

  // MARK: Connections

  /// How often this process has a file open.
  private func openCount(_ url: URL) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.filter {
      let path = "/proc/self/fd/\($0)"
      return (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == url.path
    }.count
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd")))
  func `the first use, whatever it is, opens nothing more`() throws {
    let url = folder.file().resolvingSymlinksInPath()
    let model = try TestModels.blog()
    do {
      let store = try SQLiteStore(url: url, model: model)
      #expect(openCount(url) == 1)
      #expect(try store.rows("Post").isEmpty)
      #expect(openCount(url) == 1)
      try store.save(model.insertion([("Post", [Row(1, ["slug": "a"])])]))
      #expect(openCount(url) == 2)
    }
    let store = try SQLiteStore(url: url, model: model)
    try store.save(model.insertion([("Post", [Row(2, ["slug": "b"])])]))
    #expect(openCount(url) == 1)
    #expect(try store.rows("Post").count == 2)
    #expect(openCount(url) == 2)
  }

  @Test func `a connection that has become a reader does not write`() throws {
    let store = try open(TestModels.blog())
    #expect(try store.texts("PRAGMA query_only") == ["1"])
    #expect(try store.texts("PRAGMA cache_size") == ["-2000"])
    #expect(throws: PerennialError.self) { try store.texts("DELETE FROM Z_METADATA RETURNING 1") }
    let written = try store.pool.write { connection throws(SQLiteFailure) in
      try connection.texts("PRAGMA cache_size") + connection.texts("PRAGMA synchronous")
    }
    #expect(written == ["-65536", "3"])
  }

  @Test func `a store with a crash's log that is only looked at has one file afterwards`() throws {
    let model = try TestModels.blog()
    let copy = folder.file("Copy.sqlite")
    do {
      let store = try open(model)
      try store.save(model.insertion([("Post", [Row(1, ["slug": "a"])])]))
      for ending in ["", "-wal"] {
        try FileManager.default.copyItem(
          atPath: folder.file().path + ending,
          toPath: copy.path + ending
        )
      }
    }
    do {
      let store = try SQLiteStore(url: copy, model: model)
      #expect(try store.rows("Post").count == 1)
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
        == ["Copy.sqlite", "Store.sqlite"]
    )
    #expect(try SQLiteStore(url: copy, model: model).rows("Post").count == 1)
  }

  @Test func `a file that was put in the store's place is not written`() throws {
    let model = try TestModels.blog()
    let other = folder.file("Other.sqlite")
    _ = try SQLiteStore(url: other, model: model)
    let store = try open(model)
    #expect(try store.rows("Post").isEmpty)
    let before = try Data(contentsOf: other)
    #expect(rename(other.path, folder.file().path) == 0)
    let changes = model.insertion([("Post", [Row(1, ["slug": "a"])])])
    let error = #expect(throws: SaveFailure.self) { try store.save(changes) }
    var problem: PerennialError?
    if case .failed(let found)? = error { problem = found }
    #expect(problem?.code == .persistentStoreSave)
    #expect(problem?.message.contains("was moved, deleted or replaced") == true)
    #expect(try Data(contentsOf: folder.file()) == before)
  }

  @Test(arguments: [true, false])
  func `a store whose file was replaced or deleted while it was open says so`(
    isReplaced: Bool
  ) throws {
    let model = try TestModels.blog()
    let other = folder.file("Other.sqlite")
    _ = try SQLiteStore(url: other, model: model)
    let store = try open(model)
    try store.save(model.insertion([("Post", [Row(1, ["slug": "a"])])]))
    if isReplaced {
      #expect(rename(other.path, folder.file().path) == 0)
    } else {
      try FileManager.default.removeItem(at: folder.file())
    }
    let changes = model.insertion([("Post", [Row(2, ["slug": "b"])])])
    #expect(code { try store.save(changes) } == .persistentStoreSave)
    // A reader that is opened now would see another file.
    #expect(code { _ = try store.rows("Post") } == .persistentStoreOpen)
  }
}
