// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

extension PredicateNode {
  /// The condition with other expressions in place of its constants.
  func mapConstants(_ transform: (PropertyValue) -> ExpressionNode) -> PredicateNode {
    switch self {
    case .constant: self
    case .and(let nodes): .and(nodes.map { $0.mapConstants(transform) })
    case .or(let nodes): .or(nodes.map { $0.mapConstants(transform) })
    case .not(let node): .not(node.mapConstants(transform))
    case .comparison(let comparison):
      .comparison(
        Comparison(
          comparison.left.mapConstants(transform),
          comparison.comparator,
          comparison.right.mapConstants(transform),
          options: comparison.options,
          modifier: comparison.modifier
        )
      )
    }
  }

  /// The condition as a store is asked it: IDs of the world's objects are those of the store's.
  func asked(of store: UUID) -> PredicateNode {
    mapConstants { value in
      guard case .objectID(let id) = value, id.owner == WorldGraph.owner else {
        return .constant(value)
      }
      let asked = ManagedObjectID(entityName: id.entityName, owner: store, key: id.key)
      return .constant(.objectID(asked))
    }
  }

  /// The condition with variables in place of its constants, and their values.
  var withVariables: (node: PredicateNode, values: [String: (any Sendable)?]) {
    var values: [String: (any Sendable)?] = [:]
    let node = mapConstants { value in
      let name = "V\(values.count)"
      values[name] = .some(value.sendable)
      return .variable(name)
    }
    return (node, values)
  }

  /// Simpler conditions that may fail in the same way, the simplest first.
  var simpler: [PredicateNode] {
    switch self {
    case .constant: return []
    case .and(let nodes): return Self.simpler(nodes, PredicateNode.conjunction)
    case .or(let nodes): return Self.simpler(nodes, PredicateNode.disjunction)
    case .not(let node): return [node] + node.simpler.map(PredicateNode.not)
    case .comparison(let comparison): return comparison.simpler.map(PredicateNode.comparison)
    }
  }

  private static func simpler(
    _ nodes: [PredicateNode],
    _ join: ([PredicateNode]) -> PredicateNode
  ) -> [PredicateNode] {
    var simpler = nodes
    for index in nodes.indices {
      var fewer = nodes
      fewer.remove(at: index)
      if fewer.count > 1 { simpler.append(join(fewer)) }
      simpler += nodes[index].simpler.map { node in
        var others = nodes
        others[index] = node
        return join(others)
      }
    }
    return simpler
  }
}

extension Comparison {
  fileprivate var simpler: [Comparison] {
    var simpler: [Comparison] = []
    func add(_ change: (inout Comparison) -> Void) {
      var copy = self
      change(&copy)
      simpler.append(copy)
    }
    if !options.isEmpty { add { $0.options = [] } }
    if modifier == .none || modifier == .all { add { $0.modifier = .any } }
    for node in left.simpler { add { $0.left = node } }
    for node in right.simpler { add { $0.right = node } }
    if comparator == .notEqual { add { $0.comparator = .equal } }
    if comparator == .lessOrEqual { add { $0.comparator = .less } }
    if comparator == .greaterOrEqual { add { $0.comparator = .greater } }
    return simpler
  }
}

extension ExpressionNode {
  func mapConstants(_ transform: (PropertyValue) -> ExpressionNode) -> ExpressionNode {
    switch self {
    case .constant(let value): transform(value)
    case .object, .variable: self
    case .list(let nodes): .list(nodes.map { $0.mapConstants(transform) })
    case .keyPath(let root, let steps): .keyPath(root.mapConstants(transform), steps)
    case .aggregate(let collection, let operation, let key):
      .aggregate(collection.mapConstants(transform), operation, key.mapConstants(transform))
    case .index(let collection, let index): .index(collection.mapConstants(transform), index)
    case .function(let function, let nodes):
      .function(function, nodes.map { $0.mapConstants(transform) })
    case .subquery(let collection, let name, let condition):
      .subquery(collection.mapConstants(transform), name, condition.mapConstants(transform))
    case .ternary(let condition, let first, let second):
      .ternary(
        condition.mapConstants(transform),
        first.mapConstants(transform),
        second.mapConstants(transform)
      )
    case .cast(let node, let type): .cast(node.mapConstants(transform), type)
    }
  }

  fileprivate var simpler: [ExpressionNode] {
    switch self {
    case .constant, .object, .variable: []
    case .list(let nodes): Self.simpler(nodes, ExpressionNode.list, isList: true)
    case .keyPath(let root, let steps):
      (steps.count > 1 ? [root.appending(Array(steps.dropFirst()))] : [])
        + root.simpler.map { $0.appending(steps) }
    case .aggregate(let collection, let operation, let key):
      collection.simpler.map { .aggregate($0, operation, key) }
        + key.simpler.map { .aggregate(collection, operation, $0) }
    case .index(let collection, let index): collection.simpler.map { .index($0, index) }
    case .function(let function, let nodes):
      Self.simpler(nodes, { .function(function, $0) }, isList: false)
    case .subquery(let collection, let name, let condition):
      [collection] + collection.simpler.map { .subquery($0, name, condition) }
        + condition.simpler.map { .subquery(collection, name, $0) }
    case .ternary(let condition, let first, let second):
      [first, second] + condition.simpler.map { .ternary($0, first, second) }
        + first.simpler.map { .ternary(condition, $0, second) }
        + second.simpler.map { .ternary(condition, first, $0) }
    case .cast(let node, let type): [node] + node.simpler.map { $0.casting(to: type) }
    }
  }

  private static func simpler(
    _ nodes: [ExpressionNode],
    _ make: ([ExpressionNode]) -> ExpressionNode,
    isList: Bool
  ) -> [ExpressionNode] {
    var simpler = isList ? [] : nodes
    for index in nodes.indices {
      var fewer = nodes
      fewer.remove(at: index)
      if isList { simpler.append(make(fewer)) }
      simpler += nodes[index].simpler.map { node in
        var others = nodes
        others[index] = node
        return make(others)
      }
    }
    return simpler
  }
}
