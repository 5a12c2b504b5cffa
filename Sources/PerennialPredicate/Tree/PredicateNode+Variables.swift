// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

extension PredicateNode {
  /// The condition with values in place of variables; those that a subquery binds stay.
  func replacing(_ variables: [String: ExpressionNode]) -> PredicateNode {
    switch self {
    case .constant: return self
    case .and(let nodes): return .and(nodes.map { $0.replacing(variables) })
    case .or(let nodes): return .or(nodes.map { $0.replacing(variables) })
    case .not(let node): return .not(node.replacing(variables))
    case .comparison(var comparison):
      comparison.left = comparison.left.replacing(variables)
      comparison.right = comparison.right.replacing(variables)
      return .comparison(comparison)
    }
  }
}

extension ExpressionNode {
  /// The expression with values in place of variables; those that a subquery binds stay.
  func replacing(_ variables: [String: ExpressionNode]) -> ExpressionNode {
    switch self {
    case .constant, .object: return self
    case .list(let nodes): return .list(nodes.map { $0.replacing(variables) })
    case .variable(let name): return variables[name] ?? self
    case .keyPath(let root, let steps): return root.replacing(variables).appending(steps)
    case .aggregate(let collection, let operation, let key):
      return .aggregate(collection.replacing(variables), operation, key.replacing(variables))
    case .index(let collection, let index):
      return .index(collection.replacing(variables), index.replacing(variables))
    case .function(.negate, let nodes) where nodes.count == 1:
      return nodes[0].replacing(variables).negated
    case .function(let function, let nodes):
      return .function(function, nodes.map { $0.replacing(variables) })
    case .subquery(let collection, let name, let condition):
      var inner = variables
      inner[name] = nil
      return .subquery(collection.replacing(variables), name, condition.replacing(inner))
    case .ternary(let condition, let first, let second):
      return .ternary(
        condition.replacing(variables),
        first.replacing(variables),
        second.replacing(variables)
      )
    case .cast(let value, let type): return value.replacing(variables).casting(to: type)
    }
  }
}

extension CollectionIndex {
  fileprivate func replacing(_ variables: [String: ExpressionNode]) -> CollectionIndex {
    if case .element(let position) = self { .element(position.replacing(variables)) } else { self }
  }
}
