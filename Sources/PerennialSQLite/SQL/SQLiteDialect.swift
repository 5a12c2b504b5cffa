// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL

/// SQLite, in files laid out as Core Data's are.
struct SQLiteDialect: SQLDialect {
  func name(_ name: String) -> String { name }

  /// The types that Core Data declares (FORMAT 2.4).
  func typeName(of type: ColumnType) -> String {
    switch type {
    case .integer: "INTEGER"
    case .double: "FLOAT"
    case .date: "TIMESTAMP"
    case .decimal: "DECIMAL"
    case .text: "VARCHAR"
    case .bytes: "BLOB"
    }
  }

  /// SQLite: "Datatypes In SQLite", of columns of affinity NUMERIC.
  var decimals: DecimalStorage { .numbers }
}

extension SQLiteDialect: StatementDialect {
  func finished(_ sql: String) -> String { sql }

  func order(_ value: String, ascending: Bool) -> String { value + (ascending ? "" : " DESC") }

  func order(_ value: String, _ comparison: FetchSort.Comparison, ascending: Bool) -> String? {
    order(value + comparison.collationClause, ascending: ascending)
  }

  func window(limit: Int, offset: Int) -> String {
    " LIMIT \(limit > 0 ? limit : -1)" + (offset > 0 ? " OFFSET \(offset)" : "")
  }

  func isAmong(_ column: String, parameters count: Int) -> String {
    "\(column) IN (\(SQLText.marks(count)))"
  }

  func isAmong(_ column: String, keys: [Int64]) -> SQLText {
    SQLText("\(column) IN (SELECT value FROM json_each(?))", [.text(Self.json(keys))])
  }

  static func json(_ numbers: [Int64]) -> String {
    "[" + numbers.map(String.init).joined(separator: ",") + "]"
  }

  /// `OR ROLLBACK`, because a plain INSERT of several rows into a table with a unique index makes
  /// SQLite keep a journal for the statement, which doubles its cost.
  func insertion(
    into table: String,
    columns: [String],
    constants: [InsertionConstant],
    rows: Int,
    conflict: InsertionConflict
  ) -> String {
    let action =
      switch conflict {
      case .fails: "ROLLBACK"
      case .keepsOld: "IGNORE"
      case .replaces: "REPLACE"
      }
    return "INSERT OR \(action) "
      + SQLText.rows(rows, of: columns, constants: constants, into: table)
  }

  func keyReservation(
    of table: String,
    key: String,
    number: Int64,
    in counters: CounterNames
  ) -> String {
    let greatest = counters.greatest
    return """
      UPDATE \(counters.table) SET \(greatest) = ? + MAX(IFNULL(\(greatest), 0),
      IFNULL((SELECT MAX(\(key)) FROM \(table)), 0)) WHERE \(counters.entity) = \(number) RETURNING \(greatest)
      """
  }

  var hasDependentSubqueries: Bool { true }

  func explanation(of sql: String) -> String { "EXPLAIN QUERY PLAN " + sql }

  var changeQuestion: String { "PRAGMA data_version" }
}

extension FetchSort.Comparison {
  /// The name of the collation, registered on every connection; `nil` for SQLite's own order.
  var collation: String? {
    switch self {
    case .binary: nil
    case .caseInsensitive: "PN_CASE_INSENSITIVE"
    case .localized: "PN_LOCALIZED"
    case .localizedCaseInsensitive: "PN_LOCALIZED_CASE_INSENSITIVE"
    case .localizedStandard: "PN_LOCALIZED_STANDARD"
    }
  }

  fileprivate var collationClause: String { collation.map { " COLLATE \($0)" } ?? "" }
}

extension SchemaBuilder {
  /// A builder of a schema for SQLite; without numbers that of a new store.
  init(model: ModelLayout, numbers: [Int64]? = nil) {
    self.init(model: model, numbers: numbers, dialect: SQLiteDialect())
  }
}
