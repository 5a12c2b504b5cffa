// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

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

extension PredicateNode {
  /// The variables that need a value from outside: those that no subquery binds.
  var freeVariables: Set<String> {
    switch self {
    case .constant: []
    case .and(let nodes), .or(let nodes):
      nodes.reduce(into: []) { $0.formUnion($1.freeVariables) }
    case .not(let node): node.freeVariables
    case .comparison(let comparison):
      comparison.left.freeVariables.union(comparison.right.freeVariables)
    }
  }
}

extension ExpressionNode {
  /// The variables that need a value from outside: those that no subquery binds.
  package var freeVariables: Set<String> {
    switch self {
    case .constant, .object: []
    case .variable(let name): [name]
    case .list(let nodes), .function(_, let nodes):
      nodes.reduce(into: []) { $0.formUnion($1.freeVariables) }
    case .keyPath(let root, _): root.freeVariables
    case .aggregate(let collection, _, let key):
      collection.freeVariables.union(key.freeVariables)
    case .index(let collection, .element(let position)):
      collection.freeVariables.union(position.freeVariables)
    case .index(let collection, _): collection.freeVariables
    case .subquery(let collection, let name, let condition):
      collection.freeVariables.union(condition.freeVariables.subtracting([name]))
    case .ternary(let condition, let first, let second):
      condition.freeVariables.union(first.freeVariables).union(second.freeVariables)
    case .cast(let value, _): value.freeVariables
    }
  }
}

extension FetchPredicate {
  /// Checks that no variable is without a value.
  ///
  /// - Throws: `predicateEvaluation` (200002) that names the first, or the format error.
  package func checkVariables() throws(PerennialError) {
    if let name = try checked().freeVariables.min() { throw EvaluationError.unboundVariable(name) }
  }
}
