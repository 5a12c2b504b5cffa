// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// A store without a write-ahead log, whose journal holds what the file was before a save that did not end
/// (SQLite: "Atomic Commit In SQLite", hot rollback journals).
@Suite("A journal that a crash has left in the middle of a save")
struct CrashJournalTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ url: URL,
    isReadOnly: Bool = false,
    leavesNoTrace: Bool = false
  ) throws -> SQLiteStore {
    var options = StoreOptions()
    options.pragmas = isReadOnly ? [:] : ["journal_mode": "DELETE"]
    options.leavesNoTrace = leavesNoTrace
    return try SQLiteStore(
      url: url,
      model: TestModels.blog(),
      isReadOnly: isReadOnly,
      busyTimeout: .zero,
      options: options
    )
  }

  /// The files of a store as they are while a save is being written, which renames a post from 'a' to 'b'.
  private func crashed() throws -> URL {
    let (original, copy) = (folder.file("Original.sqlite"), folder.file())
    do {
      let store = try open(original)
      try store.save(store.model.insertion([("Post", [Row(1, ["slug": "a"])])]))
    }
    let connection = try SQLiteConnection(path: original.path, access: .write, busyTimeout: .zero)
    // Changed pages for which its memory has no room go into the file before the save ends.
    try connection.execute(
      """
      PRAGMA cache_size = 1; BEGIN IMMEDIATE; UPDATE ZPOST SET ZSLUG = 'b';
      CREATE TABLE filler (x BLOB); INSERT INTO filler VALUES (zeroblob(400000))
      """
    )
    for end in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: original.path + end, toPath: copy.path + end)
    }
    connection.rollBack()
    return copy
  }

  private func contents(of url: URL) throws -> [String: Data] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
      .filter { $0.hasPrefix(url.lastPathComponent) }
    return try Dictionary(
      uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.file($0))) }
    )
  }

  @Test(arguments: [false, true])
  func `134080 a store that is only read is refused, and left as it is`(leavesNoTrace: Bool) throws
  {
    let url = try crashed()
    let before = try contents(of: url)
    #expect(before.keys.sorted() == ["Store.sqlite", "Store.sqlite-journal"])
    do {
      _ = try open(url, isReadOnly: true, leavesNoTrace: leavesNoTrace)
      Issue.record("it opened")
    } catch let error as PerennialError {
      #expect(error.code == .persistentStoreOpen)
      #expect(error.code.rawValue == 134_080)
      #expect(error.message.contains("'Store.sqlite' in the middle of a save"))
      #expect(error.recovery.contains("without 'isReadOnly'"))
    }
    #expect(try contents(of: url) == before)
  }

  @Test func `134080 a quick look at its metadata or its model is refused`() throws {
    let url = try crashed()
    let before = try contents(of: url)
    let files = SQLiteFiles(busyTimeout: .zero)
    #expect(code(of: { _ = try files.metadata(at: url) }) == .persistentStoreOpen)
    #expect(code(of: { _ = try files.storedModel(at: url, among: []) }) == .persistentStoreOpen)
    #expect(try contents(of: url) == before)
  }

  @Test func `opening it to write undoes the save, and then it can be read`() throws {
    let url = try crashed()
    do {
      let store = try open(url)
      #expect(try store.value(store.row("Post", 1), "slug") == .string("a"))
    }
    let store = try open(url, isReadOnly: true)
    #expect(try store.value(store.row("Post", 1), "slug") == .string("a"))
    #expect(try store.texts("SELECT name FROM sqlite_master WHERE name = 'filler'") == [])
    #expect(try contents(of: url).keys.sorted() == ["Store.sqlite"])
  }
}
