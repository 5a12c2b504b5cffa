// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("What is logged and counted of a store")
struct TracingTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore
  private let lines = LoggedEvents()

  init() throws {
    folder = try TemporaryFolder()
    var description = StoreDescription.sqlite(folder.file())
    description.logLevel = .plans
    description.log = { [lines] in lines.note($0) }
    store = try SQLiteStore(
      url: folder.file(),
      model: TestModels.blog(),
      log: EventLog(description)
    )
  }

  private func rows(named name: String) throws -> Int {
    var query = StoreQuery(entity: store.model.index("Author"))
    query.predicate = try FetchPredicate(parsing: "#last == '\(name)'")
    query.sorts = [FetchSort("first")]
    return try store.rows(query).count
  }

  @Test func `1L.1 what the store looks up for itself is neither logged nor counted`() throws {
    let (logged, counted) = (lines.all.count, store.counters)
    for _ in 0..<3 { _ = try store.foreignDataVersion() }
    #expect(store.counters == counted)
    #expect(lines.all.count == logged)
  }

  @Test func `1L.1 query plans are not counted`() throws {
    let before = store.counters
    #expect(try rows(named: "Ada") == 0)
    #expect((store.counters - before).statements == 1)
    #expect((store.counters - before).rows == 0)
    #expect(lines.all.contains { $0.kind == .details })
  }

  @Test func `1L.1 a value that is very long is cut, and characters stay whole`() throws {
    _ = try rows(named: String(repeating: "é", count: 5_000))
    let long = lines.all.filter { $0.message.contains("é") }.map(\.message)
    #expect(!long.isEmpty)
    #expect(long.allSatisfy { $0.utf8.count < 4_100 && $0.hasSuffix(" bytes)") })
    #expect(long.allSatisfy { !$0.contains("\u{FFFD}") })
  }
}
