// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// What a part of a `#Predicate` has become.
enum TranslatedTerm {
  /// A value.
  case value(ExpressionNode)
  /// A `Bool` that is no attribute.
  case condition(PredicateNode)
  /// A `Bool?`: the second condition where the first holds, `nil` elsewhere.
  case optional(presence: PredicateNode, PredicateNode)
  /// How two texts are ordered, to be compared with `.orderedSame` and the like.
  case order(ExpressionNode, ExpressionNode, StringComparisonOptions)
  /// The values between two bounds.
  case range(TranslatedRange)

  /// The part as a value.
  func value() throws(UntranslatablePredicate) -> ExpressionNode {
    switch self {
    case .value(let expression): return expression
    case .condition(let condition): return condition.asValue
    case .optional(let presence, let condition):
      return .ternary(presence, condition.asValue, .null)
    case .order:
      throw UntranslatablePredicate(
        "the order of two texts as a value",
        recovery: "compare it with .orderedSame, .orderedAscending or .orderedDescending."
      )
    case .range:
      throw UntranslatablePredicate(
        "a range as a value",
        recovery: "ask whether it contains an attribute: (1...5).contains($0.pages)."
      )
    }
  }

  /// The part as a condition.
  func condition() throws(UntranslatablePredicate) -> PredicateNode {
    switch self {
    case .condition(let condition): return condition
    case .optional(let presence, let condition): return .conjunction([presence, condition])
    case .value(.constant(.boolean(let value))): return .constant(value)
    case .value, .order, .range:
      return .comparison(Comparison(try value(), .equal, .constant(.boolean(true))))
    }
  }
}

/// The bounds of a range; `nil` where it has none.
struct TranslatedRange {
  var lower: ExpressionNode?
  var upper: ExpressionNode?
  var includesUpper = true

  /// Whether a value is in the range.
  func contains(_ element: ExpressionNode) -> PredicateNode {
    if let lower, let upper, includesUpper {
      return .comparison(Comparison(element, .between, .list([lower, upper])))
    }
    var conditions: [PredicateNode] = []
    if let lower { conditions.append(.comparison(Comparison(element, .greaterOrEqual, lower))) }
    if let upper {
      conditions.append(
        .comparison(Comparison(element, includesUpper ? .lessOrEqual : .less, upper))
      )
    }
    return .conjunction(conditions)
  }
}

extension PredicateNode {
  /// The condition as a value of type `Bool`.
  fileprivate var asValue: ExpressionNode {
    if case .constant(let value) = self { return .constant(.boolean(value)) }
    return .ternary(self, .constant(.boolean(true)), .constant(.boolean(false)))
  }
}
