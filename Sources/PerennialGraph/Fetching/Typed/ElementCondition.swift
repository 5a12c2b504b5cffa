// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// A condition on the elements of a collection, to be asked of any, all or none of them.
///
/// A comparison of a property becomes `ANY commits.message CONTAINS "fix"`, anything else
/// `SUBQUERY(commits, $item, …).@count > 0`; both mean the same. Whether a collection of an element
/// has a member is something else: behind `ANY`, its members would be the elements.
struct ElementCondition {
  let collection: ExpressionNode
  /// The name that stands for an element in the condition.
  let variable: String
  let condition: PredicateNode

  /// Whether any, all or none of the elements meet the condition.
  func node(_ modifier: Comparison.Modifier) -> PredicateNode {
    if let comparison = simple { return .comparison(comparison.with(modifier)) }
    return switch modifier {
    case .direct, .any: count(condition, .greater)
    case .all: count(.not(condition), .equal)
    case .none: count(condition, .equal)
    }
  }

  /// The comparison whose left side is a property of the elements, if the condition is one.
  private var simple: Comparison? {
    guard case .keyPath(let root, _) = collection, root.isElement,
      case .comparison(var comparison) = condition, comparison.modifier == .direct,
      case .keyPath(.variable(variable), let steps) = comparison.left,
      !comparison.right.freeVariables.contains(variable),
      comparison.comparator != .contains || comparison.right.isText
    else { return nil }
    comparison.left = collection.appending(steps)
    return comparison
  }

  /// A comparison of the number of elements that meet a condition with 0.
  private func count(
    _ condition: PredicateNode,
    _ comparator: Comparison.Operator
  ) -> PredicateNode {
    let members = ExpressionNode.subquery(collection, variable, condition)
    return .comparison(
      Comparison(.aggregate(members, .count, .object), comparator, .constant(.integer(0)))
    )
  }
}

extension ExpressionNode {
  /// Whether it is an object that the condition starts from, not one computed.
  fileprivate var isElement: Bool {
    switch self {
    case .object, .variable: true
    default: false
    }
  }

  /// Whether it is a text that is known, which only a text can contain.
  fileprivate var isText: Bool {
    if case .constant(.string) = self { true } else { false }
  }
}

extension Comparison {
  fileprivate func with(_ modifier: Modifier) -> Comparison {
    var comparison = self
    comparison.modifier = modifier
    return comparison
  }
}
