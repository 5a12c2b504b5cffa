// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// Decides conditions on one object in memory, as PREDICATES.md A3 says.
package struct PredicateEvaluator {
  /// What `SELF` stands for.
  private let object: EvaluationValue
  /// The values of variables.
  private var variables: [String: EvaluationValue]

  /// An evaluator for an object.
  ///
  /// - Parameters:
  ///   - object: What `SELF` stands for.
  ///   - variables: The values of `$VARIABLES`, without the dollar sign.
  package init(_ object: EvaluationValue, variables: [String: EvaluationValue] = [:]) {
    self.object = object
    self.variables = variables
  }

  /// Whether the object satisfies a condition.
  ///
  /// - Throws: ``PerennialError`` with code `predicateEvaluation` or `typeMismatch`, or what the
  ///   object throws for a key.
  package func evaluate(_ node: PredicateNode) throws(PerennialError) -> Bool {
    switch node {
    case .constant(let value): return value
    case .and(let nodes):
      for node in nodes where try !evaluate(node) { return false }
      return true
    case .or(let nodes):
      for node in nodes where try evaluate(node) { return true }
      return false
    case .not(let node): return try !evaluate(node)
    case .comparison(let comparison): return try evaluate(comparison)
    }
  }

  private func evaluate(_ comparison: Comparison) throws(PerennialError) -> Bool {
    let left = try value(of: comparison.left)
    if comparison.modifier == .direct, comparison.comparator == .isIn,
      case .list(let nodes) = comparison.right
    {
      return try isElement(left, of: nodes, comparison.options)
    }
    let right = try value(of: comparison.right)
    switch comparison.modifier {
    case .direct: return try holds(left, right, comparison)
    case .any: return try holdsForAny(left, right, comparison)
    case .none: return try !holdsForAny(left, right, comparison)
    case .all:
      for element in try elements(of: left, comparison) where try !holds(element, right, comparison)
      {
        return false
      }
      return true
    }
  }

  /// Looks through a list without making values of all its elements first.
  private func isElement(
    _ value: EvaluationValue,
    of nodes: [ExpressionNode],
    _ options: StringComparisonOptions
  ) throws(PerennialError) -> Bool {
    for node in nodes {
      let element = try self.value(of: node)
      if ValueComparison.isEqual(value, element, options) { return true }
    }
    return false
  }

  private func holds(
    _ left: EvaluationValue,
    _ right: EvaluationValue,
    _ comparison: Comparison
  ) throws(PerennialError) -> Bool {
    try ValueComparison.evaluate(left, comparison.comparator, right, comparison.options)
  }

  private func holdsForAny(
    _ left: EvaluationValue,
    _ right: EvaluationValue,
    _ comparison: Comparison
  ) throws(PerennialError) -> Bool {
    for element in try elements(of: left, comparison) where try holds(element, right, comparison) {
      return true
    }
    return false
  }

  /// The elements that `ANY` and its like look at; nil has none.
  private func elements(
    of value: EvaluationValue,
    _ comparison: Comparison
  ) throws(PerennialError) -> [EvaluationValue] {
    if value.isNull { return [] }
    guard case .list(let elements) = value else {
      throw EvaluationError.notACollection(for: "the left side of \(comparison.modifier.rawValue)")
    }
    return elements
  }
}

extension PredicateEvaluator {
  // MARK: Values

  /// The value of an expression for the object.
  ///
  /// - Throws: As ``evaluate(_:)`` does.
  package func value(of node: ExpressionNode) throws(PerennialError) -> EvaluationValue {
    switch node {
    case .constant(let value): return EvaluationValue(value)
    case .list(let nodes): return .list(try values(of: nodes))
    case .object: return object
    case .variable(let name):
      guard let value = variables[name] else { throw EvaluationError.unboundVariable(name) }
      return value
    case .keyPath(let root, let steps):
      return try KeyPathReader.value(at: steps, of: value(of: root))
    case .aggregate(let collection, let operation, let key):
      return try aggregate(value(of: collection), operation, key)
    case .index(let collection, let index): return try element(of: value(of: collection), index)
    case .function(let function, let arguments):
      return try FunctionEvaluation.evaluate(function, values(of: arguments))
    case .subquery(let collection, let name, let condition):
      return try subquery(value(of: collection), name, condition)
    case .ternary(let condition, let first, let second):
      return try value(of: evaluate(condition) ? first : second)
    case .cast(let node, let type): return try cast(value(of: node), to: type)
    }
  }

  private func values(of nodes: [ExpressionNode]) throws(PerennialError) -> [EvaluationValue] {
    var values: [EvaluationValue] = []
    values.reserveCapacity(nodes.count)
    for node in nodes { values.append(try value(of: node)) }
    return values
  }

  private func aggregate(
    _ collection: EvaluationValue,
    _ operation: CollectionOperator,
    _ key: ExpressionNode
  ) throws(PerennialError) -> EvaluationValue {
    if collection.isNull { return .null }
    if case .dictionary(let values) = collection, operation == .count {
      return .scalar(.integer(Int64(values.count)))
    }
    guard case .list(let elements) = collection else {
      throw EvaluationError.notACollection(for: operation.rawValue)
    }
    guard key != .object else { return try Aggregation.evaluate(operation, elements) }
    var keyed: [EvaluationValue] = []
    keyed.reserveCapacity(elements.count)
    for element in elements {
      keyed.append(try PredicateEvaluator(element, variables: variables).value(of: key))
    }
    return try Aggregation.evaluate(operation, keyed)
  }

  private func subquery(
    _ collection: EvaluationValue,
    _ name: String,
    _ condition: PredicateNode
  ) throws(PerennialError) -> EvaluationValue {
    if collection.isNull { return .list([]) }
    guard case .list(let elements) = collection else {
      throw EvaluationError.notACollection(for: "SUBQUERY")
    }
    var inner = self
    var kept: [EvaluationValue] = []
    for element in elements {
      inner.variables[name] = element
      if try inner.evaluate(condition) { kept.append(element) }
    }
    return .list(kept)
  }

  private func cast(
    _ value: EvaluationValue,
    to type: CastType
  ) throws(PerennialError) -> EvaluationValue {
    if value.isNull { return .null }
    guard let scalar = value.scalar, let converted = type.convert(scalar) else {
      throw EvaluationError.cannotCast(to: type)
    }
    return .scalar(converted)
  }

  private func element(
    of collection: EvaluationValue,
    _ index: CollectionIndex
  ) throws(PerennialError) -> EvaluationValue {
    if collection.isNull { return .null }
    if case .dictionary(let values) = collection, case .element(let key) = index {
      guard case .string(let key)? = try value(of: key).scalar else {
        throw EvaluationError.invalidIndex
      }
      return values[key] ?? .null
    }
    guard case .list(let elements) = collection else {
      throw EvaluationError.notACollection(for: "an index")
    }
    switch index {
    case .first: return elements.first ?? .null
    case .last: return elements.last ?? .null
    case .size: return .scalar(.integer(Int64(elements.count)))
    case .element(let position):
      guard let scalar = try value(of: position).scalar,
        case .integer(let number)? = NumericValue(scalar)
      else { throw EvaluationError.invalidIndex }
      guard let offset = Int(exactly: number), elements.indices.contains(offset) else {
        throw EvaluationError.indexOutOfRange(count: elements.count)
      }
      return elements[offset]
    }
  }
}
