// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// How deeply a tree may be nested: parsing, printing, comparing and evaluating all recurse.
///
/// A level takes 1 to 5 KiB of stack; some systems give a thread 512 KiB.
package let maximumPredicateDepth = 200

extension PredicateNode {
  /// How many levels the tree has, counted no further than one over the limit.
  package func depth(limit: Int = maximumPredicateDepth) -> Int {
    guard limit > 0 else { return 1 }
    switch self {
    case .constant: return 1
    case .and(let nodes), .or(let nodes):
      return 1 + (nodes.lazy.map { $0.depth(limit: limit - 1) }.max() ?? 0)
    case .not(let node): return 1 + node.depth(limit: limit - 1)
    case .comparison(let comparison):
      return 1
        + max(
          comparison.left.depth(limit: limit - 1),
          comparison.right.depth(limit: limit - 1)
        )
    }
  }
}

extension ExpressionNode {
  /// How many levels the tree has, counted no further than one over the limit.
  package func depth(limit: Int = maximumPredicateDepth) -> Int {
    guard limit > 0 else { return 1 }
    switch self {
    case .constant, .object, .variable: return 1
    case .list(let nodes), .function(_, let nodes):
      return 1 + (nodes.lazy.map { $0.depth(limit: limit - 1) }.max() ?? 0)
    case .keyPath(let root, _): return 1 + root.depth(limit: limit - 1)
    case .aggregate(let collection, _, let key):
      return 1 + max(collection.depth(limit: limit - 1), key.depth(limit: limit - 1))
    case .index(let collection, .element(let position)):
      return 1 + max(collection.depth(limit: limit - 1), position.depth(limit: limit - 1))
    case .index(let collection, _): return 1 + collection.depth(limit: limit - 1)
    case .subquery(let collection, _, let condition):
      return 1 + max(collection.depth(limit: limit - 1), condition.depth(limit: limit - 1))
    case .ternary(let condition, let first, let second):
      return 1
        + max(
          condition.depth(limit: limit - 1),
          first.depth(limit: limit - 1),
          second.depth(limit: limit - 1)
        )
    case .cast(let value, _): return 1 + value.depth(limit: limit - 1)
    }
  }
}
