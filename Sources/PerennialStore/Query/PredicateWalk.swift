// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// What a key path leads to, as far as the model tells.
indirect enum PathType {
  case attribute(SlotLayout)
  /// One object of an entity.
  case objects(Int)
  /// Several values.
  case many(PathType)
  /// What only evaluation can tell.
  case unknown
}

/// Visits a predicate, checks every name, and notes the entities that it reaches.
struct PredicateWalk {
  /// What `SELF` and the variables stand for at a place of the predicate.
  struct Scope {
    var object: PathType
    var variables: [String: PathType] = [:]
  }

  let model: ModelLayout
  private(set) var reached: Set<Int> = []

  init(model: ModelLayout) { self.model = model }

  mutating func visit(_ node: PredicateNode, scope: Scope) throws(PerennialError) {
    switch node {
    case .constant: return
    case .and(let nodes), .or(let nodes):
      for node in nodes { try visit(node, scope: scope) }
    case .not(let node): try visit(node, scope: scope)
    case .comparison(let comparison):
      let left = try type(of: comparison.left, scope: scope)
      if comparison.comparator == .between, case .list(let bounds) = comparison.right {
        for bound in bounds {
          let end = try type(of: bound, scope: scope)
          try Self.checkOrder(comparison, left, bound, end)
        }
      } else {
        let right = try type(of: comparison.right, scope: scope)
        try Self.checkOrder(comparison, left, comparison.right, right)
      }
    }
  }

  /// What a value leads to, its names checked.
  mutating func type(
    of node: ExpressionNode,
    scope: Scope
  ) throws(PerennialError) -> PathType {
    switch node {
    case .constant: return .unknown
    case .object: return scope.object
    case .variable(let name): return scope.variables[name] ?? .unknown
    case .keyPath(let root, let steps):
      return try type(of: steps, from: type(of: root, scope: scope))
    case .list(let nodes), .function(_, let nodes):
      for node in nodes { _ = try type(of: node, scope: scope) }
      return .unknown
    case .aggregate(let collection, _, let element):
      let elements = try type(of: collection, scope: scope)
      var inner = scope
      inner.object = Self.element(of: elements)
      _ = try type(of: element, scope: inner)
      return .unknown
    case .index(let collection, let index):
      if case .element(let node) = index { _ = try type(of: node, scope: scope) }
      return Self.element(of: try type(of: collection, scope: scope))
    case .subquery(let collection, let variable, let predicate):
      let elements = try type(of: collection, scope: scope)
      var inner = scope
      inner.variables[variable] = Self.element(of: elements)
      try visit(predicate, scope: inner)
      return elements
    case .ternary(let predicate, let first, let second):
      try visit(predicate, scope: scope)
      _ = try type(of: first, scope: scope)
      return try type(of: second, scope: scope)
    case .cast(let node, _):
      _ = try type(of: node, scope: scope)
      return .unknown
    }
  }

  private static func element(of type: PathType) -> PathType {
    if case .many(let element) = type { element } else { .unknown }
  }

  /// What a key path leads to.
  mutating func type(
    of steps: [String],
    from start: PathType
  ) throws(PerennialError) -> PathType {
    var current = start
    var isMany = false
    var index = 0
    while index < steps.count {
      if case .many(let element) = current {
        isMany = true
        current = element
      }
      guard case .objects(let entity) = current else { return .unknown }
      let (next, count) = try step(steps[index...], of: model.entities[entity])
      current = next
      index += count
    }
    if isMany, case .many = current { return current }
    return isMany ? .many(current) : current
  }

  /// The type after a step, and how many steps it took: two or more for a composite attribute.
  private mutating func step(
    _ steps: ArraySlice<String>,
    of entity: EntityLayout
  ) throws(PerennialError) -> (PathType, Int) {
    guard let name = steps.first else { return (.unknown, 1) }
    if let found = try property(name, of: entity) { return (found, 1) }
    for count in stride(from: steps.count, to: 1, by: -1) {
      let joined = steps.prefix(count).joined(separator: ".")
      if let slot = entity.slotsByName[joined] {
        return (try stored(entity.slots[slot], of: entity), count)
      }
    }
    // A composite attribute as a whole, or one inside it.
    let whole = steps.joined(separator: ".")
    if entity.slots.contains(where: { $0.name.hasPrefix(whole + ".") }) {
      return (.unknown, steps.count)
    }
    let isElement = entity.slots.contains { $0.name.hasPrefix(name + ".") }
    throw .unknownProperty(isElement ? whole : name, of: entity)
  }

  /// A property of the entity, or of a subentity: other rows have none, which reads as nil.
  private mutating func property(
    _ name: String,
    of entity: EntityLayout
  ) throws(PerennialError) -> PathType? {
    if name == "objectID" || name == "self" { return .unknown }
    for index in entity.family {
      let candidate = model.entities[index]
      if let slot = candidate.slotsByName[name] {
        guard let relationship = candidate.slots[slot].relationship else {
          return try stored(candidate.slots[slot], of: candidate)
        }
        reached.insert(relationship.destination)
        return .objects(relationship.destination)
      }
      if let index = candidate.toManysByName[name] {
        reached.insert(candidate.toManys[index].destination)
        return .many(.objects(candidate.toManys[index].destination))
      }
    }
    return nil
  }

  /// An attribute that a store can look at: not a transient one.
  private func stored(
    _ slot: SlotLayout,
    of entity: EntityLayout
  ) throws(PerennialError) -> PathType {
    guard slot.isTransient else { return .attribute(slot) }
    throw PerennialError(
      .unknownName,
      "'\(entity.name)' cannot be fetched or sorted by '\(slot.name)', which is transient.",
      recovery: "use a stored attribute, or filter the objects after the fetch",
      entity: entity.name,
      property: slot.name
    )
  }

  /// Text is not ordered against numbers, nor does it lie between them.
  private static func checkOrder(
    _ comparison: Comparison,
    _ left: PathType,
    _ other: ExpressionNode,
    _ right: PathType
  ) throws(PerennialError) {
    switch comparison.comparator {
    case .less, .lessOrEqual, .greater, .greaterOrEqual, .between: break
    default: return
    }
    var left = left
    // `ANY` and its like look at each element.
    if comparison.modifier != .direct, case .many(let element) = left { left = element }
    guard let a = isText(comparison.left, left), let b = isText(other, right), a != b else {
      return
    }
    throw PerennialError(
      .typeMismatch,
      "Text cannot be ordered against a number or a date: \(text(comparison)).",
      recovery: "compare values of one type, or use CAST"
    )
  }

  /// Whether an operand is text (`true`), a number or date (`false`), or neither (`nil`).
  private static func isText(_ node: ExpressionNode, _ type: PathType) -> Bool? {
    if case .constant(let value) = node {
      switch value {
      case .string: return true
      case .integer, .double, .decimal, .boolean, .date: return false
      default: return nil
      }
    }
    guard case .attribute(let slot) = type, let attribute = slot.attribute else { return nil }
    switch attribute.type {
    case .string, .url: return true
    case .int16, .int32, .int64, .double, .float, .decimal, .bool, .date: return false
    default: return nil
    }
  }

  /// The comparison without its values.
  private static func text(_ comparison: Comparison) -> String {
    func side(_ node: ExpressionNode) -> String {
      if case .keyPath(_, let steps) = node { steps.joined(separator: ".") } else { "a value" }
    }
    return "\(side(comparison.left)) \(comparison.comparator.rawValue) \(side(comparison.right))"
  }
}
