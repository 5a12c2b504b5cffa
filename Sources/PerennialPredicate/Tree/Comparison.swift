// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Two values and how they are compared: `ANY commits.message CONTAINS[c] "fix"`.
package struct Comparison: Sendable, Hashable, Codable {
  /// Which elements of a collection on the left must satisfy the comparison.
  package var modifier: Modifier
  /// The value on the left; a collection when ``modifier`` is not `direct`.
  package var left: ExpressionNode
  /// How the values are compared.
  package var comparator: Operator
  /// The value on the right.
  package var right: ExpressionNode
  /// How strings are compared.
  package var options: StringComparisonOptions

  package init(
    _ left: ExpressionNode,
    _ comparator: Operator,
    _ right: ExpressionNode,
    options: StringComparisonOptions = [],
    modifier: Modifier = .direct
  ) {
    self.modifier = modifier
    self.left = left
    self.comparator = comparator
    self.right = right
    self.options = options
  }

  /// Which elements must satisfy a comparison.
  package enum Modifier: String, Sendable, Hashable, Codable, CaseIterable {
    /// The value itself.
    case direct = ""
    /// At least one element; false for none. `SOME` means the same.
    case any = "ANY"
    /// Every element; true for none.
    case all = "ALL"
    /// No element: the negation of `any`.
    case none = "NONE"
  }

  /// How two values are compared, as the format language spells it.
  package enum Operator: String, Sendable, Hashable, Codable, CaseIterable {
    /// Equal, by value; nil equals nil.
    case equal = "=="
    /// The negation of `equal`.
    case notEqual = "!="
    /// Before.
    case less = "<"
    /// Before or equal.
    case lessOrEqual = "<="
    /// After.
    case greater = ">"
    /// After or equal.
    case greaterOrEqual = ">="
    /// Between the two elements on the right, both included.
    case between = "BETWEEN"
    /// An element, or a part of a string, of the right side.
    case isIn = "IN"
    /// The mirror of `isIn`.
    case contains = "CONTAINS"
    /// The string starts with the right side.
    case beginsWith = "BEGINSWITH"
    /// The string ends with the right side.
    case endsWith = "ENDSWITH"
    /// The whole string matches a pattern with `?` and `*`.
    case like = "LIKE"
    /// The whole string matches a regular expression.
    case matches = "MATCHES"

    /// Whether the operator is written as a word.
    var isWord: Bool { rawValue.first?.isLetter == true }
  }
}
