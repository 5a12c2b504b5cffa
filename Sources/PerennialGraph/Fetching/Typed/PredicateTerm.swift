// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialPredicate

/// What the typed builder has made so far of a value: an expression, or the error of a condition
/// inside it.
struct PredicateTerm: Sendable {
  var expression: ExpressionNode
  /// The predicate that failed inside the expression, if one did; the fetch throws its error.
  var failure: FetchPredicate?

  init(_ expression: ExpressionNode, failure: FetchPredicate? = nil) {
    self.expression = expression
    self.failure = failure
  }

  /// A condition on this value and another.
  func compared(
    _ comparator: Comparison.Operator,
    _ other: PredicateTerm,
    _ options: StringComparisonOptions = []
  ) -> FetchPredicate {
    failure ?? other.failure
      ?? FetchPredicate(
        .comparison(Comparison(expression, comparator, other.expression, options: options))
      )
  }

  /// The value of a property of this object.
  func property(_ name: String) -> PredicateTerm {
    PredicateTerm(expression.appending([name]), failure: failure)
  }

  /// The value of a function of some values.
  static func call(_ function: PredicateFunction, _ operands: PredicateTerm...) -> PredicateTerm {
    PredicateTerm(
      .function(function, operands.map(\.expression)),
      failure: operands.lazy.compactMap(\.failure).first
    )
  }
}
