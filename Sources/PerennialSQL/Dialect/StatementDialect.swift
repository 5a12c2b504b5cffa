// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialPredicate

/// How statements are written around their conditions.
package protocol StatementDialect: Sendable {
  /// A complete text as the engine's library wants it: parameters are no longer `?` where it knows other marks.
  func finished(_ sql: String) -> String

  /// A term of ORDER BY: absent values first ascending, last descending; texts in binary order.
  ///
  /// - Parameters:
  ///   - value: The value or the name of a column.
  ///   - ascending: The direction.
  /// - Returns: The term.
  func order(_ value: String, ascending: Bool) -> String

  /// A term of ORDER BY with an order of texts.
  ///
  /// - Parameters:
  ///   - value: The value or the name of a column.
  ///   - comparison: How texts are ordered; `.binary` for everything else.
  ///   - ascending: The direction.
  /// - Returns: The term, or `nil` when memory has to sort.
  func order(_ value: String, _ comparison: FetchSort.Comparison, ascending: Bool) -> String?

  /// The end of a query that leaves out the first rows and gives a number of others.
  ///
  /// - Parameters:
  ///   - limit: How many rows; 0 for all.
  ///   - offset: How many are left out.
  /// - Returns: The clause, with a space in front.
  func window(limit: Int, offset: Int) -> String

  /// Whether a column has one of some values, which the store binds.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - count: How many parameters it would like; an engine with arrays takes one, with an array of any length.
  /// - Returns: The condition.
  func isAmong(_ column: String, parameters count: Int) -> String

  /// Whether a column has one of any number of keys, in one parameter with its value.
  func isAmong(_ column: String, keys: [Int64]) -> SQLText

  /// A statement that inserts rows.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - columns: The columns of the parameters.
  ///   - constants: Further columns, and the number that every row has there.
  ///   - rows: How many rows.
  ///   - conflict: What becomes of a row that is there already.
  /// - Returns: The statement.
  func insertion(
    into table: String,
    columns: [String],
    constants: [InsertionConstant],
    rows: Int,
    conflict: InsertionConflict
  ) -> String

  /// The statement that sets keys aside for a table: its parameter is how many, and it gives the last of them.
  ///
  /// No key that a row has is given, whoever wrote the row. There may be no such counter: then it gives nothing.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - key: The column of its keys.
  ///   - number: The number of its root entity.
  ///   - counters: The table of the counters.
  /// - Returns: The statement.
  func keyReservation(
    of table: String,
    key: String,
    number: Int64,
    in counters: CounterNames
  ) -> String

  /// Whether a statement with groups may have a subquery beside them of what they decide: the name of a grouped author.
  var hasDependentSubqueries: Bool { get }

  /// A statement that tells how another would be run, one step a row.
  func explanation(of sql: String) -> String

  /// The query of one number, which is another one after others have written.
  var changeQuestion: String { get }
}

extension StatementDialect {
  /// A statement that inserts rows, all of whose values are parameters.
  package func insertion(
    into table: String,
    columns: [String],
    rows: Int,
    conflict: InsertionConflict
  ) -> String {
    insertion(into: table, columns: columns, constants: [], rows: rows, conflict: conflict)
  }
}

/// A column that has the same number in all rows of a statement.
package typealias InsertionConstant = (column: String, value: Int64)

/// What becomes of a row whose key, or pair of keys, is there already.
package enum InsertionConflict: Sendable, Hashable {
  /// The whole transaction fails.
  case fails
  /// The row that is there stays.
  case keepsOld
  /// The row that is there gets all values of the new one; the columns are its key.
  case replaces(key: [String])
}
