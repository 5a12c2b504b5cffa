// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialPredicate
package import PerennialSQL

/// PostgreSQL and what speaks as it does, in databases whose encoding is UTF8.
///
/// It needs no libpq, and is there without the trait.
package struct PostgresDialect: SQLDialect {
  package init() {}

  /// The bytes of a name that the server keeps (`NAMEDATALEN`).
  private static let nameLength = 63

  /// Small letters, as the server makes of names without quotes; of a name that is too long, the beginning and a number
  /// that is made of all of it.
  package func name(_ name: String) -> String {
    name.lowercased().shortened(to: Self.nameLength)
  }

  /// Times are numbers, as `timestamptz` would round them to microseconds.
  package func typeName(of type: ColumnType) -> String {
    switch type {
    case .integer: "bigint"
    case .double, .date: "double precision"
    case .decimal: "numeric"
    case .text: "text COLLATE \"C\""
    case .bytes: "bytea"
    }
  }

  /// A `numeric` keeps all digits.
  package var decimals: DecimalStorage { .exact }
}

extension PostgresDialect: StatementDialect {
  /// Numbers the parameters, but for question marks in quotes.
  package func finished(_ sql: String) -> String {
    SQLText.numbered(sql) { "$\($0)" }
  }

  /// Columns of texts have the collation of bytes; the orders of other comparisons are Foundation's.
  package func order(_ value: String, ascending: Bool) -> String {
    value + (ascending ? " NULLS FIRST" : " DESC NULLS LAST")
  }

  package func order(
    _ value: String,
    _ comparison: FetchSort.Comparison,
    ascending: Bool
  ) -> String? {
    comparison == .binary ? order(value, ascending: ascending) : nil
  }

  package func window(limit: Int, offset: Int) -> String {
    (limit > 0 ? " LIMIT \(limit)" : "") + (offset > 0 ? " OFFSET \(offset)" : "")
  }

  /// The parameter is an array.
  package func isAmong(_ column: String, parameters count: Int) -> String { "\(column) = ANY (?)" }

  package func isAmong(_ column: String, keys: [Int64]) -> SQLText {
    let list = PostgresArray(keys.map { .integer($0) })
    return SQLText("\(column) = ANY (\(list.sql))", [list.value])
  }

  package func insertion(
    into table: String,
    columns: [String],
    constants: [InsertionConstant],
    rows: Int,
    conflict: InsertionConflict
  ) -> String {
    "INSERT " + SQLText.rows(rows, of: columns, constants: constants, into: table)
      + clause(conflict, columns)
  }

  private func clause(_ conflict: InsertionConflict, _ columns: [String]) -> String {
    switch conflict {
    case .fails: return ""
    case .keepsOld: return " ON CONFLICT DO NOTHING"
    case .replaces(let key):
      let others = columns.filter { !key.contains($0) }.map { "\($0) = EXCLUDED.\($0)" }
      guard !others.isEmpty else { return " ON CONFLICT DO NOTHING" }
      return " ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET "
        + others.joined(separator: ", ")
    }
  }

  /// The counter's row is locked until the transaction ends: those who come then wait, and see the new number.
  package func keyReservation(
    of table: String,
    key: String,
    number: Int64,
    in counters: CounterNames
  ) -> String {
    let greatest = counters.greatest
    return "UPDATE \(counters.table) SET \(greatest) = ? "
      + "+ COALESCE(GREATEST(\(greatest), (SELECT MAX(\(key)) FROM \(table))), 0) "
      + "WHERE \(counters.entity) = \(number) RETURNING \(greatest)"
  }

  /// The server does not see that two subqueries are the same, nor what a key decides.
  package var hasDependentSubqueries: Bool { false }

  package func explanation(of sql: String) -> String { "EXPLAIN " + sql }

  /// The log of changes numbers saves in the order of their commits.
  package var changeQuestion: String { "SELECT number FROM perennial_clock" }
}
