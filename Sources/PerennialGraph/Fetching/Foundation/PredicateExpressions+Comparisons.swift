// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

// Equality, order and ranges.

extension PredicateExpressions.Equal: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .condition(try Equality(lhs, rhs, translator).condition)
  }
}

extension PredicateExpressions.NotEqual: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .condition(try Equality(lhs, rhs, translator).opposite)
  }
}

/// Whether two parts are equal: values, conditions, or the order of two texts and a known order.
private struct Equality {
  let condition: PredicateNode
  let opposite: PredicateNode

  init(
    _ left: any PredicateExpression,
    _ right: any PredicateExpression,
    _ translator: ExpressionTranslator
  ) throws(UntranslatablePredicate) {
    let terms = (try translator.term(left), try translator.term(right))
    switch terms {
    case (.order(let first, let second, let options), .value(.constant(.integer(let order)))),
      (.value(.constant(.integer(let order))), .order(let first, let second, let options)):
      let (comparator, inverse) = Self.operators(for: order)
      condition = .comparison(Comparison(first, comparator, second, options: options))
      opposite = .comparison(Comparison(first, inverse, second, options: options))
    case (.condition(let node), .value(.constant(.boolean(let value)))),
      (.value(.constant(.boolean(let value))), .condition(let node)):
      condition = value ? node : .not(node)
      opposite = value ? .not(node) : node
    case (.optional(let presence, let node), .value(.constant(.boolean(let value)))),
      (.value(.constant(.boolean(let value))), .optional(let presence, let node)):
      condition = .conjunction([presence, value ? node : .not(node)])
      opposite = .not(condition)
    default:
      let (first, second) = (try terms.0.value(), try terms.1.value())
      condition = .comparison(Comparison(first, .equal, second))
      opposite = .comparison(Comparison(first, .notEqual, second))
    }
  }

  /// The operator that says that two texts have an order, and the one that says that they have not.
  private static func operators(
    for order: Int64
  ) -> (Comparison.Operator, inverse: Comparison.Operator) {
    switch order {
    case ..<0: (.less, .greaterOrEqual)
    case 0: (.equal, .notEqual)
    default: (.greater, .lessOrEqual)
    }
  }
}

extension PredicateExpressions.Comparison: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    switch op {
    case .lessThan: return try translator.comparison(lhs, .less, rhs)
    case .lessThanOrEqual: return try translator.comparison(lhs, .lessOrEqual, rhs)
    case .greaterThan: return try translator.comparison(lhs, .greater, rhs)
    case .greaterThanOrEqual: return try translator.comparison(lhs, .greaterOrEqual, rhs)
    @unknown default:
      throw UntranslatablePredicate(
        "an unknown comparison",
        recovery: UntranslatablePredicate.filterLater
      )
    }
  }
}

// MARK: Ranges

extension PredicateExpressions.Range: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .range(
      TranslatedRange(
        lower: try translator.value(lower),
        upper: try translator.value(upper),
        includesUpper: false
      )
    )
  }
}

extension PredicateExpressions.ClosedRange: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .range(
      TranslatedRange(lower: try translator.value(lower), upper: try translator.value(upper))
    )
  }
}

extension PredicateExpressions.RangeExpressionContains: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    guard case .range(let bounds) = try translator.term(range) else {
      throw UntranslatablePredicate(
        "a range of the type '\(RangeExpression.Output.self)'",
        recovery: "compare with >= and <=."
      )
    }
    return .condition(bounds.contains(try translator.value(element)))
  }
}
