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
      let comparator = Self.comparator(for: order)
      condition = .comparison(Comparison(first, comparator, second, options: options))
      // An absent text has another order than any, and the inverse operators are false for it.
      opposite =
        comparator == .equal
        ? .comparison(Comparison(first, .notEqual, second, options: options)) : .not(condition)
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
      try Self.check(first, second)
      condition = .comparison(Comparison(first, .equal, second))
      opposite = .comparison(Comparison(first, .notEqual, second))
    }
  }

  /// Checks that values can be equal: an array that is an attribute is stored as JSON, and no list.
  private static func check(
    _ first: ExpressionNode,
    _ second: ExpressionNode
  ) throws(UntranslatablePredicate) {
    switch (first, second) {
    case (.list, .list), (.list, .constant), (.constant, .list): break
    case (.list, _), (_, .list):
      throw UntranslatablePredicate(
        "a comparison of an array with captured values",
        recovery: UntranslatablePredicate.filterLater
      )
    default: break
    }
  }

  /// The operator that says that two texts have an order.
  private static func comparator(for order: Int64) -> Comparison.Operator {
    order < 0 ? .less : order == 0 ? .equal : .greater
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
