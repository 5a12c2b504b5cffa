// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// How conditions and values are written.
package protocol ConditionDialect: Sendable {
  /// What is too much for one statement.
  var limits: SQLLimits { get }

  /// A condition that every row satisfies, or none.
  func truth(_ value: Bool) -> String

  /// Whether two values are equal, or both absent.
  ///
  /// - Parameters:
  ///   - left: The one value.
  ///   - right: The other.
  ///   - mayBeNull: Whether the second may be absent; it may not when it is a constant.
  /// - Returns: The condition and its opposite.
  func equality(_ left: SQLText, _ right: SQLText, mayBeNull: Bool) -> ConditionText

  /// Whether two texts are in a relation, true for none that is absent.
  ///
  /// - Parameters:
  ///   - relation: The relation.
  ///   - text: The text, which is never a constant when `other` is.
  ///   - other: What it is compared with.
  ///   - options: What is not told apart.
  /// - Returns: The condition, or `nil` when memory compares in another way.
  func text(
    _ relation: TextRelation,
    _ text: SQLText,
    _ other: TextOperand,
    _ options: StringComparisonOptions
  ) -> ConditionText?

  /// The number of UTF-16 units of a text, or `nil` when there is no such function.
  func length(of text: SQLText) -> SQLText?

  /// A constant that is not null, as a value to compare a column of a kind with.
  func constant(_ value: PropertyValue, for kind: ValueKind) -> SQLConstant

  /// Whether values of two comparable kinds are compared as memory compares them: without rounding, but decimals with
  /// doubles as doubles.
  func comparesExactly(_ left: ValueKind, _ right: ValueKind) -> Bool

  /// Whether a value is one of at least one constant.
  func isAmong(_ value: SQLText, _ constants: [SQLValue]) -> ConditionText

  /// What an operator makes of many values (`?`, as often as it likes), and the kind of the result; `nil` when memory
  /// computes something else.
  func aggregate(_ operation: CollectionOperator, _ kind: ValueKind) -> (
    sql: String, kind: ValueKind
  )?

  /// A sum of decimals, as a column of decimals keeps it.
  func decimal(_ number: String) -> String

  /// A text transformed, absent when it is; `nil` when there is no such function.
  func transformed(_ text: String, by transform: TextTransform) -> String?

  /// The same value, of which no index is used.
  func unindexed(_ value: SQLText) -> SQLText

  /// Whether an index may have a condition: each of its functions is the engine's own.
  func isIndexable(_ condition: String) -> Bool

  /// A value of kind integer as an operand of `&` and `|`; `nil` when there are no such operators of signed numbers.
  func bits(of value: SQLText) -> SQLText?
}

/// What is asked of two texts.
package enum TextRelation: Sendable, Hashable {
  /// Asked only with options: without, texts are equal and ordered as other values are.
  case equal
  case ordered(Comparison.Operator)
  /// The first has the second as a part; no text has an empty part, beginning or end.
  case contains
  case begins
  case ends
  /// The second is a pattern of `LIKE`: `*`, `?` and backslashes.
  case like
  /// The second is a regular expression for all of the first.
  case matches
}

/// The second of two texts.
package enum TextOperand: Sendable {
  case constant(String)
  case value(SQLText)

  /// The text in SQL.
  package var sql: SQLText {
    switch self {
    case .constant(let text): SQLText("?", [.text(text)])
    case .value(let text): text
    }
  }
}
