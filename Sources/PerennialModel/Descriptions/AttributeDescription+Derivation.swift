// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension AttributeDescription {
  /// The derivation in one of the spellings that say the same; `nil` for an ordinary attribute.
  package var normalDerivation: String? { derivationExpression.map(Self.normalForm) }

  /// An expression without spaces and without colons before parentheses, its operator last.
  static func normalForm(of expression: String) -> String {
    let text = expression.filter { !$0.isWhitespace }.replacing(":(", with: "(")
    let steps = text.split(separator: ".", omittingEmptySubsequences: false)
    let operators = steps.filter { $0.hasPrefix("@") }
    return (steps.filter { !$0.hasPrefix("@") } + operators).joined(separator: ".")
  }
}
