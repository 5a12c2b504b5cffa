// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

@Suite("Options of a SQLite store have their effect")
struct StoreOptionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder(inMemory: true) }

  private func open(
    isReadOnly: Bool = false,
    _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> SQLiteStore {
    var options = StoreOptions()
    change(&options)
    return try SQLiteStore(
      url: folder.file(),
      model: TestModels.blog(),
      isReadOnly: isReadOnly,
      options: options
    )
  }

  private func writer(_ store: SQLiteStore, _ pragma: String) throws -> Int64? {
    try store.texts("PRAGMA \(pragma)", writing: true).first.flatMap { Int64($0) }
  }

  private func reader(_ store: SQLiteStore, _ pragma: String) throws -> Int64? {
    try store.texts("PRAGMA \(pragma)").first.flatMap { Int64($0) }
  }

  @Test func `1I.5 a store is as durable as it is told to be`() throws {
    // EXTRA, which also waits for the end of a journal that is deleted.
    #expect(try writer(try open(), "synchronous") == 3)
    let fast = try open { $0.durability = .survivesProcessDeathOnly }
    #expect(try writer(fast, "synchronous") == 1)
  }

  @Test(arguments: ["DELETE", "TRUNCATE"])
  func `1I.5 a store with a journal is never damaged, as it may be with NORMAL`(_ mode: String)
    throws
  {
    let store = try open {
      $0.durability = .survivesProcessDeathOnly
      $0.pragmas = ["journal_mode": mode]
    }
    #expect(try writer(store, "synchronous") == 2)
  }

  @Test func `1I.5 so does a store for which SQLite can keep no log, although it is asked to`()
    throws
  {
    var options = StoreOptions()
    options.durability = .survivesProcessDeathOnly
    let store = try SQLiteStore(url: nil, model: TestModels.blog(), options: options)
    #expect(try store.texts("PRAGMA journal_mode", writing: true) != ["wal"])
    #expect(try writer(store, "synchronous") == 2)
  }

  @Test func `1I.5 pragmas reach the connections that read and the one that writes`() throws {
    let store = try open {
      $0.pragmas = ["cache_size": "-1000", "Secure_Delete": "on", "temp_store": "memory"]
    }
    #expect(try writer(store, "cache_size") == -1_000)
    #expect(try reader(store, "cache_size") == -1_000)
    #expect(try writer(store, "secure_delete") == 1)
    #expect(try reader(store, "temp_store") == 2)
  }

  @Test func `a connection lets statements and a schema ask for no more than stores need`() throws {
    let store = try open()
    let limits: [(category: Int32, bound: Int32)] = [
      (SQLITE_LIMIT_LENGTH, 512 << 20), (SQLITE_LIMIT_SQL_LENGTH, 16 << 20),
      (SQLITE_LIMIT_TRIGGER_DEPTH, 16), (SQLITE_LIMIT_ATTACHED, 1),
      (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 10_000), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]
    func bounds(_ connection: SQLiteConnection) -> [Int32] {
      limits.map { sqlite3_limit(connection.handle, $0.category, -1) }
    }
    let reading = try store.read { connection throws(SQLiteFailure) in bounds(connection) }
    let writing = try store.write { connection throws(SQLiteFailure) in bounds(connection) }
    #expect(reading == limits.map(\.bound))
    #expect(writing == limits.map(\.bound))
  }

  @Test(arguments: ["DELETE", "truncate", "WAL"])
  func `1I.5 the journal can be chosen, and chosen again`(_ mode: String) throws {
    _ = try open { $0.pragmas = ["journal_mode": mode] }
    let store = try open { $0.pragmas = ["journal_mode": mode] }
    #expect(try store.texts("PRAGMA journal_mode", writing: true) == [mode.lowercased()])
    let again = try open()
    #expect(try again.texts("PRAGMA journal_mode", writing: true) == ["wal"])
  }

  @Test(arguments: [
    ["synchronous": "OFF"], ["mmap_size": "100"], ["writable_schema": "ON"], ["": "1"],
    ["cache_size": "1; DROP TABLE Z_METADATA"], ["cache_size = 1; --": "1"],
    ["journal_mode": "OFF"], ["journal_mode": "MEMORY"], ["cache_size": "99999999999"],
  ])
  func `1I.5 other pragmas and values are refused, and nothing is made`(
    _ pragmas: [String: String]
  ) throws {
    let error = #expect(throws: PerennialError.self) { _ = try open { $0.pragmas = pragmas } }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("'\(pragmas.keys.first ?? "?")'") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file().path))
  }

  @Test func `1I.5 analysing counts what the indexes hold`() throws {
    let statistics = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'sqlite_stat1'"
    let plain = try open()
    #expect(try plain.texts(statistics) == ["0"])
    let store = try open { $0.analyzes = true }
    #expect(try store.texts(statistics) == ["1"])
    let again = try open()
    #expect(try again.texts(statistics) == ["1"])
  }

  @Test func `1I.5 a vacuum gives back the room of what was deleted`() throws {
    let store = try open()
    _ = try store.pool.write { connection throws(SQLiteFailure) in
      try connection.execute(
        "CREATE TABLE filler (x BLOB); INSERT INTO filler VALUES (zeroblob(400000)); DROP TABLE filler"
      )
    }
    #expect(try #require(try writer(store, "freelist_count")) > 90)
    let tidy = try open { $0.vacuums = true }
    #expect(try writer(tidy, "freelist_count") == 0)
    #expect(try tidy.texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `1I.5 a store that is only read is neither analysed nor vacuumed`() throws {
    _ = try open()
    let before = try Data(contentsOf: folder.file())
    _ = try open(isReadOnly: true) {
      $0.analyzes = true
      $0.vacuums = true
    }
    #expect(try Data(contentsOf: folder.file()) == before)
  }
}

extension SQLiteStore {
  /// The first column of a statement's rows, on a connection that reads or on the one that writes.
  func texts(_ sql: String, writing: Bool = false) throws -> [String] {
    if writing {
      return try #require(
        try pool.write { connection throws(SQLiteFailure) in try connection.texts(sql) }
      )
    }
    return try pool.read { connection throws(SQLiteFailure) in try connection.texts(sql) }
  }
}
