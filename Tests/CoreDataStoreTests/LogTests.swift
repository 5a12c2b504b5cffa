// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Testing

@testable import PerennialSQLite

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#elseif canImport(Glibc)
import Glibc
#endif

/// DuckDuckGo's bookmarks keep all rows in the write-ahead log beside the file.
@Suite("Stores whose rows are in the write-ahead log")
struct LogTests {
  @Test(arguments: ["ddg-bookmarks-v1", "ddg-bookmarks-v4"])
  func `the log is read, and stays when the store is only read`(_ name: String) throws {
    let corpus = try CorpusStore.named(name)
    let copy = try StoreFolder(corpus)
    let before = try copy.contents()
    do {
      let model = try corpus.model().layout
      let store = try SQLiteStore(url: copy.store, model: model, isReadOnly: true)
      #expect(try store.rows(of: 0).count == 10)
    }
    let after = try copy.contents()
    #expect(after["store.sqlite"] == before["store.sqlite"])
    #expect(after["store.sqlite-wal"] == before["store.sqlite-wal"])
    // Without its log the store has no rows: the test reads what it says it reads.
    try FileManager.default.removeItem(at: copy.url.appending(path: "store.sqlite-wal"))
    let connection = try SQLiteConnection(
      path: copy.store.path,
      access: .immutable,
      busyTimeout: .zero
    )
    #expect(try connection.integers("SELECT COUNT(*) FROM ZBOOKMARKENTITY") == [0])
  }

  @Test func `a connection of its own reads the log and makes no file`() throws {
    let copy = try StoreFolder(.named("ddg-bookmarks-v4"))
    let before = try copy.contents()
    do {
      let connection = try SQLiteConnection(
        path: copy.store.path,
        access: .solitary,
        busyTimeout: .zero
      )
      #expect(try connection.integers("SELECT COUNT(*) FROM ZBOOKMARKENTITY") == [10])
      #expect(try connection.integers("SELECT COUNT(*) FROM Z_1FAVORITES") == [5])
      #expect(throws: SQLiteFailure.self) { try connection.execute("DELETE FROM Z_1FAVORITES") }
    }
    #expect(try copy.contents() == before)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write everywhere"))
  func `the log is read in a folder that cannot be written`() throws {
    let corpus = try CorpusStore.named("ddg-bookmarks-v4")
    let copy = try StoreFolder(corpus)
    let before = try copy.contents()
    chmod(copy.url.path, 0o555)
    defer { chmod(copy.url.path, 0o755) }
    let model = try corpus.model().layout
    let store = try SQLiteStore(url: copy.store, model: model, isReadOnly: true)
    #expect(try store.rows(of: 0).count == 10)
    #expect(try copy.contents() == before)
  }

  @Test func `what is written goes on from the log`() throws {
    let corpus = try CorpusStore.named("ddg-bookmarks-v4")
    let copy = try StoreFolder(corpus)
    do {
      let store = try SQLiteStore(url: copy.store, model: corpus.model().layout)
      #expect(try store.rows(of: 0).count == 10)
      let first = try store.reserveKeys(root: 0, count: 1)
      #expect(first == 11)
    }
    #expect(Set(try copy.contents().keys) == ["store.sqlite"])
    let connection = try copy.connect()
    #expect(try connection.integers("SELECT COUNT(*) FROM ZBOOKMARKENTITY") == [10])
    #expect(try connection.integers("SELECT Z_MAX FROM Z_PRIMARYKEY") == [11])
  }
}
