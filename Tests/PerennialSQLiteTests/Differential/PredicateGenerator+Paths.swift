// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// What kind of value an expression has.
enum Kind: Hashable {
  case integer
  case double
  case decimal
  case string
  case date
  case uuid
  case url
  case data

  var isNumber: Bool { self == .integer || self == .double || self == .decimal }

  init?(_ type: AttributeType) {
    switch type {
    case .int16, .int32, .int64, .bool: self = .integer
    case .double, .float: self = .double
    case .decimal: self = .decimal
    case .string: self = .string
    case .date: self = .date
    case .uuid: self = .uuid
    case .url: self = .url
    case .binaryData: self = .data
    default: return nil
    }
  }
}

/// An attribute as a path names it.
struct Attribute {
  var steps: [String]
  var kind: Kind

  /// The attributes of an entity and of its subentities, each name once.
  static func all(of entity: EntityLayout, in model: ModelLayout) -> [Attribute] {
    var seen: Set<String> = []
    return entity.family.flatMap { model.entities[$0].slots }.compactMap { slot in
      guard let type = slot.attributeType, let kind = Kind(type), seen.insert(slot.name).inserted
      else { return nil }
      return Attribute(steps: slot.name.split(separator: ".").map(String.init), kind: kind)
    }
  }
}

/// Paths from what a scope names.
extension PredicateGenerator {
  /// An object that a scope names, the newest most often.
  mutating func start(_ scope: Scope) -> (node: ExpressionNode, entity: Int) {
    guard !scope.variables.isEmpty, !once(in: 5) else { return (.object, scope.object) }
    let (name, entity) =
      once(in: 4) ? pick(scope.variables) : scope.variables[scope.variables.count - 1]
    return (.variable(name), entity)
  }

  /// A start, and a few to-one relationships from there.
  mutating func object(_ scope: Scope) -> (node: ExpressionNode, entity: Int) {
    var (node, entity) = start(scope)
    while once(in: 4), let next = toOne(of: entity) {
      node = node.appending([next.name])
      entity = next.destination
    }
    return (node, entity)
  }

  private mutating func toOne(of entity: Int) -> RelationshipLayout? {
    let all = family(entity).flatMap { $0.slots.compactMap(\.relationship) }
    return all.isEmpty ? nil : pick(all)
  }

  mutating func toMany(of entity: Int) -> RelationshipLayout? {
    let all = family(entity).flatMap(\.toManys)
    return all.isEmpty ? nil : pick(all)
  }

  /// The entity, and now and then its subentities: their properties are nil for other rows.
  private mutating func family(_ entity: Int) -> [EntityLayout] {
    once(in: 6)
      ? model.entities[entity].family.map { model.entities[$0] } : [model.entities[entity]]
  }

  /// The path to an attribute of one of some kinds; a constant where there is none.
  mutating func attribute(_ scope: Scope, of kinds: Set<Kind>? = nil) -> ExpressionNode {
    for _ in 0..<4 {
      let (node, entity) = object(scope)
      if let attribute = attribute(of: entity, kinds) { return node.appending(attribute.steps) }
    }
    return .constant(.integer(1))
  }

  mutating func attribute(of entity: Int, _ kinds: Set<Kind>? = nil) -> Attribute? {
    let all = attributes(of: entity).filter { kinds?.contains($0.kind) != false }
    return all.isEmpty ? nil : pick(all)
  }

  /// Several objects: a to-many relationship behind to-ones, two of them, or a subquery on them.
  mutating func objects(
    from scope: Scope,
    _ depth: Int
  ) -> (node: ExpressionNode, entity: Int, isOrdered: Bool)? {
    for _ in 0..<4 {
      var (node, entity) = object(scope)
      guard var relationship = toMany(of: entity) else { continue }
      node = node.appending([relationship.name])
      entity = relationship.destination
      var isOrdered = relationship.isOrdered
      if once(in: 6), let next = toMany(of: entity) {
        relationship = next
        node = node.appending([next.name])
        entity = next.destination
        isOrdered = isOrdered && next.isOrdered
      } else if once(in: 8), let next = toOne(of: entity) {
        node = node.appending([next.name])
        entity = next.destination
      }
      if depth > 0, once(in: 4) { node = subquery(on: node, entity, scope, depth) }
      return (node, entity, isOrdered)
    }
    return nil
  }

  mutating func subquery(
    on node: ExpressionNode,
    _ entity: Int,
    _ scope: Scope,
    _ depth: Int
  ) -> ExpressionNode {
    let name = ["x", "y", "z", "w"][min(3, scope.variables.count)]
    var inner = scope
    inner.variables.removeAll { $0.name == name }
    inner.variables.append((name, entity))
    return .subquery(node, name, predicate(inner, depth: depth - 1))
  }
}
