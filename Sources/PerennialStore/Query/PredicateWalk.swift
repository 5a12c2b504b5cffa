// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// What a key path leads to, as far as the model tells.
indirect enum PathType {
  case attribute(SlotLayout)
  /// One object of an entity.
  case objects(Int)
  /// The ID of an object.
  case identity
  /// Several values.
  case many(PathType)
  /// What only evaluation can tell.
  case unknown

  /// Whether two properties of a name are of one kind.
  fileprivate func isLike(_ other: PathType) -> Bool {
    switch (self, other) {
    case (.attribute(let one), .attribute(let two)):
      one.attribute?.type == two.attribute?.type || one.isNumber && two.isNumber
    case (.objects(let one), .objects(let two)): one == two
    case (.many(let one), .many(let two)): one.isLike(two)
    default: false
    }
  }
}

extension SlotLayout {
  /// Whether it is a number, of any width.
  fileprivate var isNumber: Bool {
    switch attribute?.type {
    case .int16, .int32, .int64, .double, .float, .decimal: true
    default: false
    }
  }
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
    case .comparison(let comparison): try visit(comparison, scope: scope)
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
    case .variable(let name):
      guard let type = scope.variables[name] else { throw EvaluationError.unboundVariable(name) }
      return type
    case .keyPath(let root, let steps):
      return try type(of: steps, from: type(of: root, scope: scope))
    case .list(let nodes), .function(_, let nodes):
      for node in nodes { _ = try type(of: node, scope: scope) }
      return .unknown
    case .aggregate(let collection, let operation, let element):
      let elements = try type(of: collection, scope: scope)
      var inner = scope
      inner.object = try Self.element(of: elements, for: operation.rawValue)
      _ = try type(of: element, scope: inner)
      return .unknown
    case .index(let collection, let index):
      if case .element(let node) = index { _ = try type(of: node, scope: scope) }
      let element = try Self.element(of: type(of: collection, scope: scope), for: "an index")
      return if case .size = index { .unknown } else { element }
    case .subquery(let collection, let variable, let predicate):
      let elements = try type(of: collection, scope: scope)
      var inner = scope
      inner.variables[variable] = try Self.element(of: elements, for: "SUBQUERY")
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

  /// What a collection has several of.
  ///
  /// - Throws: 200002 for one attribute or object: nothing that asks for a collection takes it.
  static func element(of type: PathType, for name: String) throws(PerennialError) -> PathType {
    switch type {
    case .many(let element): return element
    case .unknown: return .unknown
    case .attribute, .objects, .identity: throw EvaluationError.notACollection(for: name)
    }
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
      switch current {
      case .attribute(let slot): try Self.checkKey(steps[index], of: slot)
      case .identity: try Self.checkKeyOfID(steps[index])
      case .objects, .many, .unknown: break
      }
      guard case .objects(let entity) = current else { return isMany ? .many(.unknown) : .unknown }
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
    if let found = try property(name, of: entity) {
      guard hasElements(of: name, in: entity) else { return (found, 1) }
      // What a subentity has as a composite attribute may lead anywhere in others.
      reached.formUnion(model.entities.indices)
      return (.unknown, steps.count)
    }
    let partCount = model.entities[entity.family].reduce(1) { max($0, $1.partCount) }
    for count in stride(from: min(steps.count, partCount), to: 1, by: -1) {
      let joined = steps.prefix(count).joined(separator: ".")
      if let found = try property(joined, of: entity) { return (found, count) }
    }
    // A composite attribute as a whole, or one inside it.
    let whole = steps.joined(separator: ".")
    if hasElements(of: whole, in: entity) { return (.unknown, steps.count) }
    throw .unknownProperty(hasElements(of: name, in: entity) ? whole : name, of: entity)
  }

  /// Whether the entity or a subentity has a composite attribute.
  private func hasElements(of name: String, in entity: EntityLayout) -> Bool {
    model.entities[entity.family].contains { $0.hasElements(of: name) }
  }

  /// A property of the entity, or of a subentity: other rows have none, which reads as nil.
  ///
  /// Subentities may have different ones of a name: then only evaluation can tell.
  private mutating func property(
    _ name: String,
    of entity: EntityLayout
  ) throws(PerennialError) -> PathType? {
    if name == "self" { return .objects(entity.index) }
    if name == "objectID" { return .identity }
    var type: PathType?
    for index in entity.family {
      guard let found = try ownProperty(name, of: model.entities[index]) else { continue }
      // What the entity itself has, its subentities inherit.
      if index == entity.index { return found }
      guard let known = type, !found.isLike(known) else {
        type = type ?? found
        continue
      }
      type = .unknown
      // What lies behind one of them may be anywhere.
      reached.formUnion(model.entities.indices)
    }
    return type
  }

  private mutating func ownProperty(
    _ name: String,
    of entity: EntityLayout
  ) throws(PerennialError) -> PathType? {
    if let slot = entity.slotsByName[name] {
      guard let relationship = entity.slots[slot].relationship else {
        return try stored(entity.slots[slot], of: entity)
      }
      reached.insert(relationship.destination)
      return .objects(relationship.destination)
    }
    guard let index = entity.toManysByName[name] else { return nil }
    reached.insert(entity.toManys[index].destination)
    return .many(.objects(entity.toManys[index].destination))
  }

  /// The few keys that values have.
  private static func checkKey(_ key: String, of slot: SlotLayout) throws(PerennialError) {
    let isKnown =
      switch (key, slot.attribute?.type) {
      case ("self", _), ("length", .string), ("length", .binaryData), ("length", .transformable),
        ("absoluteString", .url):
        true
      default: false
      }
    if isKnown { return }
    throw PerennialError(
      .unknownName,
      "'\(slot.name)' is an attribute, which has no property '\(key)'.",
      recovery: "end the key path at '\(slot.name)'",
      property: slot.name
    )
  }

  /// The one key that IDs have.
  private static func checkKeyOfID(_ key: String) throws(PerennialError) {
    if key == "self" { return }
    throw PerennialError(
      .unknownName,
      "'objectID' is an ID, which has no property '\(key)'.",
      recovery: "leave 'objectID' out, or end the key path at it",
      property: "objectID"
    )
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
}
