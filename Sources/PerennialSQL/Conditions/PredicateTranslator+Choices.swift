// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// `TERNARY` on a side of a comparison: the comparison with the one value or the other.
extension PredicateTranslator {
  /// The comparison, when one of its sides is a choice.
  ///
  /// Where both are, it would have to be written for each pair of values, and is left to memory.
  mutating func choice(_ pair: Pair) -> ConditionText? {
    switch (pair.left.branches, pair.right.branches) {
    case (let branches?, nil): choice(pair, branches, pair.leftScope, at: \.left)
    case (nil, let branches?): choice(pair, branches, pair.rightScope, at: \.right)
    default: nil
    }
  }

  private mutating func choice(
    _ pair: Pair,
    _ branches: Branches,
    _ scope: Scope,
    at side: WritableKeyPath<Pair, ExpressionNode>
  ) -> ConditionText? {
    var first = pair
    first[keyPath: side] = branches.first.folded
    var second = pair
    second[keyPath: side] = branches.second.folded
    guard let test = condition(branches.test, scope), let whenTrue = condition(first),
      let whenFalse = condition(second)
    else { return nil }
    func text(_ first: String, _ second: String) -> String {
      "(CASE WHEN \(test.sql) THEN \(first) ELSE \(second) END)"
    }
    return ConditionText(
      text(whenTrue.sql, whenFalse.sql),
      opposite: text(whenTrue.opposite, whenFalse.opposite),
      test.bindings + whenTrue.bindings + whenFalse.bindings
    )
  }
}

/// A choice between two values.
struct Branches {
  var test: PredicateNode
  var first: ExpressionNode
  var second: ExpressionNode
}

extension ExpressionNode {
  /// The choice that the value is; keys behind one follow both of its values.
  fileprivate var branches: Branches? {
    switch self {
    case .ternary(let test, let first, let second):
      Branches(test: test, first: first, second: second)
    case .keyPath(.ternary(let test, let first, let second), let keys):
      Branches(test: test, first: first.appending(keys), second: second.appending(keys))
    default: nil
    }
  }
}
