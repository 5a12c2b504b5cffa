// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialSQL

/// An index and the statement that makes it, word for word as Core Data's stores have it.
struct SchemaIndex: Sendable, Hashable {
  private let index: TableIndex

  init(_ index: TableIndex) { self.index = index }

  var name: String { index.name }

  var sql: String {
    let columns = index.columns.map { column in
      index.kind == .relationship
        ? column.name : "\(column.name) COLLATE BINARY \(column.isAscending ? "ASC" : "DESC")"
    }
    let action = index.kind == .uniqueness ? "CREATE UNIQUE INDEX" : "CREATE INDEX"
    let place = "\(index.table) (\(columns.joined(separator: ", ")))"
    let condition = index.condition.map { " WHERE \($0)" } ?? ""
    return "\(action) \(name.asSQLName) ON \(place)\(condition)"
  }

  /// The index under a name that nothing else in the store has; see ``TableIndex/named(apartFrom:_:)``.
  func named(apartFrom taken: inout Set<String>) -> SchemaIndex {
    SchemaIndex(index.named(apartFrom: &taken, CoreDataNames(), SQLiteDialect()))
  }

  /// The table and the columns: what two indexes of different names may have in common.
  var target: String { Self.target(ofStatement: sql) }

  /// Frameworks up to 754 left out what SQLite does anyway, and migrated tables have names in quotes.
  static func target(ofStatement sql: String) -> String {
    // Every other part is in quotes: a name that may say ON itself.
    let parts = sql.split(separator: "\"", omittingEmptySubsequences: false)
    let plain = stride(from: 0, to: parts.count, by: 2).lazy.map { parts[$0] }
    let start = plain.compactMap { $0.firstRange(of: " ON ")?.upperBound }.first ?? sql.startIndex
    return sql[start...].uppercased().replacing("\"", with: "")
      .replacing(" COLLATE BINARY", with: "").replacing(" ASC", with: "")
  }
}
