// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialPredicate

/// Indexes of an engine that know which rows may satisfy a condition on a text.
package protocol TextIndexes: Sendable {
  /// The rows that may satisfy a condition, among them all that do.
  ///
  /// - Parameters:
  ///   - column: The column of the text.
  ///   - table: Its table.
  ///   - alias: What the condition calls the table.
  ///   - comparator: The operator.
  ///   - text: What the column is compared with.
  ///   - options: What is not told apart.
  /// - Returns: A condition, or `nil` when no index knows.
  func candidates(
    column: String,
    of table: String,
    alias: String,
    _ comparator: Comparison.Operator,
    _ text: String,
    _ options: StringComparisonOptions
  ) -> ConditionText?
}
