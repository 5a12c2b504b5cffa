// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Synchronization
import Testing

/// What a migration leaves of a store's files, whether it succeeds or not.
@Suite("RELIABILITY R7: the files of a store that is migrated")
struct DraftTests {
  private let folder = MigrationFolder()
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel

  private struct Refusal: Error {}

  init() throws {
    old = try folder.bookModel()
    new = try folder.bookModel([.attribute("size", .int64, optional: true)])
  }

  private static func large(_ byte: UInt8) -> Data { Data(repeating: byte, count: 300_000) }

  /// Writes books with covers of ones, twos, and so on.
  private func write(_ store: StoreDescription, _ titles: String...) throws {
    let context = try PersistentContainer(name: "B", model: old, store: store)
      .newBackgroundContext()
    for (index, title) in titles.enumerated() {
      let book = try context.insert(entityNamed: "Book")
      try book.setValue(title, forKey: "title")
      try book.setValue(Self.large(UInt8(index) + 1), forKey: "cover")
    }
    try context.save()
  }

  /// The first bytes of the covers, by title.
  private func covers(_ store: StoreDescription, _ model: ManagedObjectModel) throws -> [String] {
    let context = try PersistentContainer(name: "B", model: model, store: store)
      .newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Book")
    request.sortDescriptors = [FetchSort("title")]
    return try context.fetch(request).map { book in
      let cover = try book.value(forKey: "cover") as? Data
      return "\(try book.value(forKey: "title") ?? "") \(cover?.first.map(String.init) ?? "-")"
    }
  }

  private func error(opening store: StoreDescription, _ model: ManagedObjectModel)
    -> PerennialError?
  {
    #expect(throws: PerennialError.self) {
      _ = try PersistentContainer(name: "B", model: model, store: store)
    }
  }

  /// The names of the large values in the folder, and of whatever is left of drafts.
  private func files() throws -> (values: Int, drafts: Int) {
    let names = try FileManager.default.subpathsOfDirectory(
      atPath: folder.url.path(percentEncoded: false)
    )
    return (
      names.filter { UUID(uuidString: URL(filePath: $0).lastPathComponent) != nil }.count,
      names.filter { $0.contains(".copy-") }.count
    )
  }

  /// A store whose stage gives every book another cover.
  private func edited(
    _ kind: MigrationStoreKind,
    andThen body: @escaping @Sendable () throws -> Void = {}
  )
    -> StoreDescription
  {
    var store = folder.store(kind)
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        try migration.forEach("Book") { _, book in try book.setValue(Self.large(9), forKey: "cover")
        }
        try body()
      }
    ]
    return store
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a stage that fails takes no large value away, and leaves none`(_ kind: MigrationStoreKind)
    throws
  {
    try write(folder.store(kind), "A", "B")
    let refused = edited(kind) { throw Refusal() }
    #expect(error(opening: refused, new)?.code == .migration)
    #expect(try covers(folder.store(kind), old) == ["A 1", "B 2"])
    let files = try files()
    #expect(files.drafts == 0)
    #expect(files.values == 2)
  }

  /// The folder of large values has the store's name without its extension.
  @Test func `a stage that fails takes none away when others could share them at first`() throws {
    try write(folder.store(.sqlite), "A", "B")
    let other = folder.url.appending(path: "Books.other")
    try Data().write(to: other)
    let refused = edited(.sqlite) {
      try FileManager.default.removeItem(at: other)
      throw Refusal()
    }
    #expect(error(opening: refused, new)?.code == .migration)
    #expect(try covers(folder.store(.sqlite), old) == ["A 1", "B 2"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a draft that cannot take its store's place leaves no large value`(
    _ kind: MigrationStoreKind
  ) throws {
    try write(folder.store(kind), "A", "B")
    let url = folder.url
    let isObstructed = Mutex(false)
    let obstructed = edited(kind) {
      // The store cannot be kept where a file lies in the place of the folder.
      let path = url.path(percentEncoded: false)
      let names = try FileManager.default.contentsOfDirectory(atPath: path)
      for name in names where name.contains(".copy-") {
        let before = url.appending(path: name).appending(path: "before")
        try FileManager.default.removeItem(at: before)
        try Data().write(to: before)
        isObstructed.withLock { $0 = true }
      }
    }
    #expect(error(opening: obstructed, new) != nil)
    #expect(isObstructed.withLock { $0 })
    #expect(try covers(folder.store(kind), old) == ["A 1", "B 2"])
    let files = try files()
    #expect(files.drafts == 0)
    #expect(files.values == 2)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a backup has the large values that a stage has replaced`(_ kind: MigrationStoreKind) throws
  {
    try write(folder.store(kind), "A", "B")
    var store = edited(kind)
    let backup = folder.url.appending(path: "kept.store")
    store.migration.backup = backup
    #expect(try covers(store, new) == ["A 9", "B 9"])
    #expect(try covers(folder.store(kind, at: backup), old) == ["A 1", "B 2"])
    let files = try files()
    #expect(files.drafts == 0)
    #expect(files.values == 4)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `values of an attribute that is removed do not stay in files`(_ kind: MigrationStoreKind)
    throws
  {
    try write(folder.store(kind), "A", "B")
    let bare = try ManagedObjectModel(
      EntityDescription("Book", properties: [.attribute("title", .string)])
    )
    var store = folder.store(kind)
    store.migration.earlierModels = [old]
    _ = try PersistentContainer(name: "B", model: bare, store: store)
    #expect(try files().values == 0)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `a backup that cannot be is told before anything is done`(_ kind: MigrationStoreKind) throws
  {
    let url = try #require(folder.store(kind).url)
    try write(folder.store(kind), "A")
    let foreign = folder.url.appending(path: "foreign.txt")
    try Data("hello".utf8).write(to: foreign)
    var store = folder.store(kind)
    store.migration.willMigrate = { _ in Issue.record("the migration has begun") }
    for backup in [url, folder.url.appending(path: "none/backup.store"), foreign] {
      store.migration.backup = backup
      #expect(
        error(opening: store, new)?.recovery.contains("the store is as it was")
          == (backup != foreign)
      )
    }
    #expect(try Data(contentsOf: foreign) == Data("hello".utf8))
    #expect(try covers(folder.store(kind), old) == ["A 1"])
  }

  @Test func `a backup may not share the folder of large values`() throws {
    try write(folder.store(.sqlite), "A")
    var store = folder.store(.sqlite)
    let url = try #require(store.url)
    store.migration.backup = url.deletingPathExtension().appendingPathExtension("bak")
    // Also when no attribute of the new model may have large values: those of the backup would go.
    let bare = try ManagedObjectModel(
      EntityDescription("Book", properties: [.attribute("title", .string)])
    )
    store.migration.earlierModels = [old]
    for model in [new, bare] {
      #expect(error(opening: store, model)?.message.contains("files in common") == true)
    }
    #expect(try covers(folder.store(.sqlite), old) == ["A 1"])
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `drafts that were left behind go with the next migration`(_ kind: MigrationStoreKind) throws
  {
    let url = try #require(folder.store(kind).url)
    try write(folder.store(kind), "A")
    let left = URL(filePath: url.path(percentEncoded: false) + ".copy-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
    try Data([1]).write(to: left.appending(path: url.lastPathComponent))
    #expect(try covers(folder.store(kind), new) == ["A 1"])
    #expect(try files().drafts == 0)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `what a stage has saved is there, also when its code keeps the context`(
    _ kind: MigrationStoreKind
  ) throws {
    final class Keeper { var context: ManagedObjectContext? }
    try write(folder.store(kind), "A")
    let keeper = Keeper()
    var store = folder.store(kind)
    store.busyTimeout = .milliseconds(10)
    // Safe because the test is the only one that runs the stage, in its own call.
    nonisolated(unsafe) let kept = keeper
    store.migration.stages = [
      .custom(from: old, to: new) { migration in
        kept.context = migration.destinationContext
        try migration.forEach("Book") { _, book in try book.setValue(7, forKey: "size") }
      }
    ]
    if kind == .sqlite {
      let error = error(opening: store, new)
      #expect(error?.message.contains("kept a context") == true)
      keeper.context = nil
      #expect(try covers(folder.store(kind), old) == ["A 1"])
    } else {
      let context = try PersistentContainer(name: "B", model: new, store: store)
        .newBackgroundContext()
      #expect(
        try context.fetch(FetchRequest<ManagedObject>(entityName: "Book")).first?.value(
          forKey: "size"
        ) as? Int64 == 7
      )
    }
  }
}
