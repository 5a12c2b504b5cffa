// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A condition made ready for many objects: the long lists of constants in it are hashed once.
///
/// Its answers are those of ``PredicateEvaluator``, which decides about everything else.
package struct PreparedPredicate {
  private enum Node {
    case plain(PredicateNode)
    case all([Node])
    case any([Node])
    indirect case not(Node)
    case isIn(Comparison, HashedConstants)

    var isPlain: Bool { if case .plain = self { true } else { false } }
  }

  private let node: Node

  /// - Complexity: O(*n*) in the elements of lists.
  package init(_ predicate: PredicateNode) { node = Self.node(predicate) }

  /// Whether an evaluator's object satisfies the condition.
  ///
  /// - Throws: As ``PredicateEvaluator/evaluate(_:)`` does.
  package func evaluate(_ evaluator: PredicateEvaluator) throws(PerennialError) -> Bool {
    try Self.evaluate(node, evaluator)
  }

  private static func node(_ predicate: PredicateNode) -> Node {
    switch predicate {
    case .constant: return .plain(predicate)
    case .and(let inner):
      let nodes = inner.map(node)
      return nodes.allSatisfy(\.isPlain) ? .plain(predicate) : .all(nodes)
    case .or(let inner):
      let nodes = inner.map(node)
      return nodes.allSatisfy(\.isPlain) ? .plain(predicate) : .any(nodes)
    case .not(let inner):
      let node = node(inner)
      return node.isPlain ? .plain(predicate) : .not(node)
    case .comparison(let comparison):
      guard comparison.modifier == .direct, comparison.comparator == .isIn,
        comparison.options.isEmpty, case .list(let nodes) = comparison.right,
        let constants = HashedConstants(nodes)
      else { return .plain(predicate) }
      return .isIn(comparison, constants)
    }
  }

  private static func evaluate(
    _ node: Node,
    _ evaluator: PredicateEvaluator
  ) throws(PerennialError) -> Bool {
    switch node {
    case .plain(let predicate): return try evaluator.evaluate(predicate)
    case .all(let nodes):
      for node in nodes where try !evaluate(node, evaluator) { return false }
      return true
    case .any(let nodes):
      for node in nodes where try evaluate(node, evaluator) { return true }
      return false
    case .not(let node): return try !evaluate(node, evaluator)
    case .isIn(let comparison, let constants):
      let value = try evaluator.value(of: comparison.left)
      if let isIn = constants.contains(value) { return isIn }
      return try evaluator.evaluate(.comparison(comparison))
    }
  }
}

/// The constants of a long list, all of one kind or nil, of which equal ones have one hash.
private struct HashedConstants {
  /// One of them, not nil.
  private let example: PropertyValue
  private let values: Set<PropertyValue>

  /// `nil` for a short list, which is looked through as fast, and for any other.
  init?(_ nodes: [ExpressionNode]) {
    guard nodes.count > 8 else { return nil }
    var example = PropertyValue.null
    var values = Set<PropertyValue>(minimumCapacity: nodes.count)
    for node in nodes {
      guard case .constant(let value) = node else { return nil }
      if example.isNull { example = value }
      guard value.isNull || value.isHashed(as: example) else { return nil }
      values.insert(value)
    }
    guard !example.isNull else { return nil }
    self.example = example
    self.values = values
  }

  /// Whether a value is among them; `nil` for one of another kind, such as a double among integers.
  func contains(_ value: EvaluationValue) -> Bool? {
    if value.isNull { return values.contains(.null) }
    guard let scalar = value.scalar ?? value.identity, scalar.isHashed(as: example) else {
      return nil
    }
    return values.contains(scalar)
  }
}

extension EvaluationValue {
  /// The identity of an object that has one.
  var identity: PropertyValue? {
    guard case .object(let object) = self else { return nil }
    return object.identity.map(PropertyValue.objectID)
  }
}

extension PropertyValue {
  /// Whether two values are of one kind, in which those that predicates hold equal are the same.
  ///
  /// Decimals are not: one number is written in many ways.
  func isHashed(as other: PropertyValue) -> Bool {
    switch (self, other) {
    case (.integer, .integer), (.double, .double), (.string, .string), (.date, .date),
      (.data, .data), (.uuid, .uuid), (.url, .url), (.objectID, .objectID):
      true
    default: false
    }
  }
}
