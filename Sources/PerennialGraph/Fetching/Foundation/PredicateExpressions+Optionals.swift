// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

// `?.`, `??`, `!` and `flatMap`.

extension PredicateExpressions.OptionalFlatMap: TranslatableExpression {
  /// What is read of an absent value is absent by itself; for other transforms that is said.
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let wrapped = try translator.value(wrapped)
    let presence = PredicateNode.comparison(Comparison(wrapped, .notEqual, .null))
    switch try translator.binding(variable.key, to: wrapped).term(transform) {
    case .value(let value):
      return .value(value.isProperty(of: wrapped) ? value : .ternary(presence, value, .null))
    case .condition(let condition):
      return .optional(presence: presence, condition)
    case .optional(let inner, let condition):
      return .optional(presence: .conjunction([presence, inner]), condition)
    case .order(let first, _, _) where !first.isProperty(of: wrapped):
      throw Self.optionalOrder
    case .order(let first, let second, let options): return .order(first, second, options)
    case .range(let range): return .range(range)
    }
  }

  private static var optionalOrder: UntranslatablePredicate {
    UntranslatablePredicate(
      "the order of two texts inside an optional",
      recovery: "compare the order inside the closure."
    )
  }
}

extension PredicateExpressions.NilCoalesce: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let (left, right) = (try translator.term(lhs), try translator.term(rhs))
    if case .optional(let presence, let condition) = left {
      return .condition(try Self.coalesced(presence, condition, right.condition()))
    }
    let value = try left.value()
    if case .value(.constant(.boolean(false))) = right { return .condition(try left.condition()) }
    let presence = PredicateNode.comparison(Comparison(value, .notEqual, .null))
    return .value(.ternary(presence, value, try right.value()))
  }

  /// The condition where it is present, the other one elsewhere.
  private static func coalesced(
    _ presence: PredicateNode,
    _ condition: PredicateNode,
    _ other: PredicateNode
  ) -> PredicateNode {
    switch other {
    case .constant(false): .conjunction([presence, condition])
    case .constant(true): .disjunction([.not(presence), condition])
    default:
      .disjunction([
        .conjunction([presence, condition]), .conjunction([.not(presence), other]),
      ])
    }
  }
}

extension PredicateExpressions.ForcedUnwrap: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    try translator.term(inner)
  }
}

extension ExpressionNode {
  /// Whether it is read of a value in such a way that an absent value makes it absent.
  fileprivate func isProperty(of value: ExpressionNode) -> Bool {
    if self == value { return true }
    switch self {
    case .keyPath(let root, let steps):
      if root.isProperty(of: value) { return true }
      guard case .keyPath(root, let first) = value else { return false }
      return steps.starts(with: first)
    case .aggregate(let collection, _, _): return collection.isProperty(of: value)
    case .index(let collection, _): return collection.isProperty(of: value)
    case .function(.length, let arguments): return arguments[0].isProperty(of: value)
    default: return false
    }
  }
}
