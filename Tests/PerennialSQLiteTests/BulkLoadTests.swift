// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Many rows for an empty table")
struct BulkLoadTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(url: folder.file(), model: TestModels.blog())
  }

  private func posts(_ keys: ClosedRange<Int64>, slug: (Int64) -> String) -> ChangeSet {
    store.model.insertion([
      (
        "Post",
        keys.map { Row($0, ["slug": .value(.string(slug($0))), "score": .value(.integer($0))]) }
      )
    ])
  }

  private func texts(_ sql: String) throws -> [String] {
    try store.read { connection throws(SQLiteFailure) in try connection.texts(sql) }
  }

  private func schema() throws -> [String] {
    try texts("SELECT name || IFNULL(sql, '') FROM sqlite_master ORDER BY name")
  }

  @Test func `the indexes are there afterwards, and right`() throws {
    let before = try schema()
    try store.save(posts(1...3_000) { "slug \($0 * 7_919 % 3_001)" })
    #expect(try schema() == before)
    #expect(try texts("PRAGMA integrity_check") == ["ok"])
    #expect(try store.rows("Post").count == 3_000)
    try store.save(posts(3_001...6_000) { "slug \($0)x" })
    #expect(try texts("PRAGMA integrity_check") == ["ok"])
    #expect(try schema() == before)
  }

  @Test func `two equal unique values are found, and nothing is written`() throws {
    let before = try schema()
    let changes = posts(1...3_000) { $0 == 2_999 ? "slug 17" : "slug \($0)" }
    #expect(code { try store.save(changes) } == .managedObjectConstraintMerge)
    #expect(try store.rows("Post").isEmpty)
    #expect(try schema() == before)
    try store.save(posts(1...3_000) { "slug \($0)" })
    #expect(try store.rows("Post").count == 3_000)
  }

  @Test func `readers that are open see all of it or nothing`() throws {
    let other = try SQLiteStore(url: folder.file(), model: TestModels.blog())
    #expect(try other.rows("Post").isEmpty)
    try store.save(posts(1...3_000) { "slug \($0)" })
    #expect(try other.rows("Post").count == 3_000)
    let conflicting = posts(5_000...5_000) { _ in "slug 5" }
    let found = conflicts { try other.save(conflicting) }
    #expect(found.count == 1)
  }
}
