// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL
import PerennialStore

/// Many rows for an empty table: its indexes are made when all rows are in, from sorted values.
///
/// To keep an index of random values in order row by row costs more than the rows. It is done within
/// the save's transaction: nobody sees the table without its indexes, a failed save leaves them as they
/// were, and a row that a unique index forbids fails the save as it would have before.
struct BulkLoad {
  /// For fewer rows nothing is gained.
  private static let leastCount = 2_000

  private let connection: SQLiteConnection
  /// The indexes that are made again, by name and statement.
  private let indexes: [(name: String, sql: String)]

  /// Finds the tables that a change set fills for the first time.
  init(
    _ insertions: [ChangeSet.Insertion],
    on connection: SQLiteConnection,
    _ schema: StoreSchema
  ) throws(SQLiteFailure) {
    self.connection = connection
    var counts: [String: Int] = [:]
    for insertion in insertions {
      counts[schema.table(of: insertion.entity), default: 0] += insertion.rowCount
    }
    var indexes: [(name: String, sql: String)] = []
    for (table, count) in counts.sorted(by: { $0.key < $1.key }) where count >= Self.leastCount {
      guard try connection.integers("SELECT 1 FROM \(table) LIMIT 1").isEmpty else { continue }
      indexes += try Self.indexes(of: table, on: connection)
    }
    self.indexes = indexes
  }

  /// Takes the indexes away.
  func begin() throws(SQLiteFailure) {
    for index in indexes { try connection.execute("DROP INDEX \(index.name.quotedForSQL)") }
  }

  /// Makes them again.
  ///
  /// - Throws: A failure with `isConstraint` when two rows have the same unique values.
  func end() throws(SQLiteFailure) {
    for index in indexes { try connection.execute(index.sql) }
  }

  private static func indexes(
    of table: String,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [(name: String, sql: String)] {
    let statement = try connection.prepare(
      "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = ?"
    )
    defer { statement.finalize() }
    try statement.bind([.text(table)])
    var indexes: [(name: String, sql: String)] = []
    while try statement.step() { indexes.append((statement.text(0), statement.text(1))) }
    return indexes
  }
}

extension ChangeSet.Insertion {
  fileprivate var rowCount: Int { pages.reduce(0) { $0 + $1.count } }
}
