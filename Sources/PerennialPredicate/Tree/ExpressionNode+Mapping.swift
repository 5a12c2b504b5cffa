// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// Rewriting of trees: a closure gives what replaces a node, or `nil` to look at its parts.

extension PredicateNode {
  /// The condition with parts replaced; conditions inside subqueries stay.
  package func mapping(_ replace: (ExpressionNode) -> ExpressionNode?) -> PredicateNode {
    switch self {
    case .constant: return self
    case .and(let nodes): return .and(nodes.map { $0.mapping(replace) })
    case .or(let nodes): return .or(nodes.map { $0.mapping(replace) })
    case .not(let node): return .not(node.mapping(replace))
    case .comparison(var comparison):
      comparison.left = comparison.left.mapping(replace)
      comparison.right = comparison.right.mapping(replace)
      return .comparison(comparison)
    }
  }

  /// The values that the condition compares.
  package var operands: [ExpressionNode] {
    switch self {
    case .constant: []
    case .and(let nodes), .or(let nodes): nodes.flatMap(\.operands)
    case .not(let node): node.operands
    case .comparison(let comparison): [comparison.left, comparison.right]
    }
  }
}

extension ExpressionNode {
  /// The value with parts replaced; conditions inside subqueries stay.
  package func mapping(_ replace: (ExpressionNode) -> ExpressionNode?) -> ExpressionNode {
    if let node = replace(self) { return node }
    switch self {
    case .constant, .object, .variable: return self
    case .list(let nodes): return .list(nodes.map { $0.mapping(replace) })
    case .keyPath(let root, let steps): return root.mapping(replace).appending(steps)
    case .aggregate(let collection, let operation, let key):
      return .aggregate(collection.mapping(replace), operation, key)
    case .index(let collection, .element(let position)):
      return .index(collection.mapping(replace), .element(position.mapping(replace)))
    case .index(let collection, let index): return .index(collection.mapping(replace), index)
    case .function(let function, let nodes):
      return .function(function, nodes.map { $0.mapping(replace) })
    case .subquery(let collection, let name, let condition):
      return .subquery(collection.mapping(replace), name, condition)
    case .ternary(let condition, let first, let second):
      return .ternary(
        condition.mapping(replace),
        first.mapping(replace),
        second.mapping(replace)
      )
    case .cast(let value, let type): return .cast(value.mapping(replace), type)
    }
  }
}
