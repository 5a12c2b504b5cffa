// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How one engine writes what all of them can say.
///
/// The rest of this target knows no engine. It asks the dialect of its ``StoreSchema`` while it makes the text of a
/// statement, never for a row.
///
/// Invariants of every dialect:
/// 1. A condition is true for exactly the rows for which it holds in memory. What an engine cannot say in just that
///    way is `nil`, and memory answers it.
/// 2. Parameters are `?`, in the order of their values, until ``StatementDialect/finished(_:)`` has seen the text.
package protocol SQLDialect: SchemaDialect, ConditionDialect, StatementDialect {}

/// What tables and columns are called, and the types of columns.
package protocol SchemaDialect: Sendable {
  /// A name as the engine keeps it: in its letters, and not longer than it takes.
  func name(_ name: String) -> String

  /// The declared type of a column, with the collation by which its texts are compared byte by byte.
  func typeName(of type: ColumnType) -> String

  /// How columns of decimals keep them.
  var decimals: DecimalStorage { get }
}
