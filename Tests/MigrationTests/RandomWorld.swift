// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import RandomTesting

/// A model and objects of it, in the plainest form: what changes of the model do to it needs no store.
struct RandomWorld {
  /// An object; others are named by their places in the list.
  struct Object {
    var entity: String
    let key: Int64
    let version: UInt32
    var values: [String: PropertyValue] = [:]
    var one: [String: Int] = [:]
    var many: [String: [Int]] = [:]
    var isGone = false
  }

  /// A relationship and the entity that declares it.
  struct Place {
    let entity: Int
    let property: Int
    let relationship: RelationshipDescription
  }

  var entities: [EntityDescription]
  var objects: [Object] = []
  private var nameCount = 0

  mutating func freshName(_ prefix: String) -> String {
    nameCount += 1
    return "\(prefix)\(nameCount)"
  }

  // MARK: Looking

  func entity(named name: String) -> EntityDescription? { entities.first { $0.name == name } }

  /// The names of an entity's ancestors and its own, the root last.
  func lineage(_ name: String) -> [String] {
    var names: [String] = []
    var next: String? = name
    while let current = next {
      names.append(current)
      next = entity(named: current)?.parent
    }
    return names
  }

  /// Whether objects of an entity are ones of another one.
  func isKind(_ name: String, of other: String) -> Bool { lineage(name).contains(other) }

  func objects(of entity: String) -> [Int] {
    objects.indices.filter { !objects[$0].isGone && isKind(objects[$0].entity, of: entity) }
  }

  /// The properties of an entity, inherited ones included, by name.
  func properties(of name: String) -> [String: PropertyDescription] {
    var properties: [String: PropertyDescription] = [:]
    for owner in lineage(name) {
      for property in entity(named: owner)?.properties ?? [] {
        properties[property.name] = property
      }
    }
    return properties
  }

  var relationships: [Place] {
    entities.indices.flatMap { entity in
      entities[entity].properties.enumerated().compactMap { number, property in
        guard case .relationship(let relationship) = property else { return nil }
        return Place(entity: entity, property: number, relationship: relationship)
      }
    }
  }

  /// The relationship back.
  func inverse(of place: Place) -> Place? {
    guard let name = place.relationship.inverse else { return nil }
    let owners = lineage(place.relationship.destinationEntity)
    return relationships.first {
      $0.relationship.name == name && owners.contains(entities[$0.entity].name)
    }
  }

  // MARK: Objects as a store has them

  var stored: [StoredObject] {
    objects.filter { !$0.isGone }.map { object in
      var values = object.values.mapValues { StoredValue.value($0) }
      for (name, other) in object.one {
        values[name] = .object(objects[other].entity, objects[other].key)
      }
      let members = object.many.mapValues { $0.map { objects[$0].key } }
      return StoredObject(object.entity, object.key, version: object.version, values, members)
    }
  }

  // MARK: Making

  /// A small model of all kinds of properties, and objects.
  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    entities = []
    for (name, parent) in [("A", nil), ("B", "A"), ("C", "B"), ("D", "A"), ("E", nil), ("F", nil)] {
      var entity = EntityDescription(name, parent: parent, properties: [])
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        entity.properties.append(randomAttribute(&random))
      }
      entities.append(entity)
    }
    for _ in 0..<6 { addRelationship(&random) }
    addObjects(&random)
    relate(&random)
  }

  static let types: [AttributeType] = [
    .int16, .int32, .int64, .bool, .float, .double, .string, .url, .decimal, .date, .binaryData,
  ]

  private mutating func randomAttribute(
    _ random: inout SeededGenerator
  ) -> PropertyDescription {
    let type = Self.types.randomElement(using: &random) ?? .string
    return .attribute(freshName("a"), type, optional: Int.random(in: 0..<4, using: &random) > 0)
  }

  private mutating func addRelationship(_ random: inout SeededGenerator) {
    let owner = Int.random(in: entities.indices, using: &random)
    // Without an inverse only forwards, so that none is inferred.
    let target = Int.random(in: owner..<entities.count, using: &random)
    let name = freshName("r")
    let back = freshName("r")
    func add(
      _ name: String,
      _ inverse: String?,
      from: Int,
      to: Int,
      isToMany: Bool,
      isOrdered: Bool = false
    ) {
      let relationship = RelationshipDescription(
        name,
        to: entities[to].name,
        inverse: inverse,
        isToMany: isToMany,
        isOrdered: isOrdered
      )
      entities[from].properties.append(.relationship(relationship))
    }
    let (isOrdered, isBackOrdered) = (Bool.random(using: &random), Bool.random(using: &random))
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1:
      add(name, back, from: owner, to: target, isToMany: false)
      add(back, name, from: target, to: owner, isToMany: true, isOrdered: isOrdered)
    case 2, 3:
      add(name, back, from: owner, to: target, isToMany: true, isOrdered: isOrdered)
      add(back, name, from: target, to: owner, isToMany: true, isOrdered: isBackOrdered)
    case 4: add(name, name, from: owner, to: owner, isToMany: true)
    default:
      let isTaken = relationships.contains {
        $0.entity == owner && $0.relationship.inverse == nil
          && $0.relationship.destinationEntity == entities[target].name
      }
      guard owner != target, !isTaken else { return }
      let isToMany = isBackOrdered
      add(name, nil, from: owner, to: target, isToMany: isToMany, isOrdered: isToMany && isOrdered)
    }
  }

  private mutating func addObjects(_ random: inout SeededGenerator) {
    var keys: [String: Int64] = [:]
    for _ in 0..<Int.random(in: 0...24, using: &random) {
      guard let name = entities.randomElement(using: &random)?.name,
        let root = lineage(name).last
      else { continue }
      keys[root, default: 0] += Int64.random(in: 1...3, using: &random)
      var object = Object(
        entity: name,
        key: keys[root, default: 1],
        version: UInt32.random(in: 1...3, using: &random)
      )
      for (name, property) in properties(of: name).sorted(by: { $0.key < $1.key }) {
        guard case .attribute(let attribute) = property else { continue }
        if attribute.isOptional, Bool.random(using: &random) { continue }
        object.values[name] = Self.value(of: attribute.type, &random)
      }
      objects.append(object)
    }
  }

  static func value(_ number: Int64, as type: AttributeType) -> PropertyValue {
    switch type {
    case .bool: .boolean(number & 1 == 1)
    case .float, .double: .double(Double(number) / 4)
    case .string: .string("t\(number)")
    case .url: .url(URL(filePath: "/u/\(number)"))
    case .decimal: .decimal(Decimal(number) / 2)
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .binaryData: .data(Data("d\(number)".utf8))
    default: .integer(number)
    }
  }

  static func value(
    of type: AttributeType,
    _ random: inout SeededGenerator
  ) -> PropertyValue {
    value(Int64.random(in: -9...9, using: &random), as: type)
  }

  /// Relates objects by every relationship, at both ends.
  private mutating func relate(_ random: inout SeededGenerator) {
    var done: Set<String> = []
    for place in relationships where done.insert(place.relationship.name).inserted {
      let relationship = place.relationship
      let owners = objects(of: entities[place.entity].name)
      let targets = objects(of: relationship.destinationEntity)
      let inverse = inverse(of: place)
      // A to-one relationship is filled from its own side.
      if relationship.isToMany, inverse?.relationship.isToMany == false { continue }
      if let inverse { done.insert(inverse.relationship.name) }
      for owner in owners {
        for target in targets.shuffled(using: &random)
        where Int.random(in: 0..<3, using: &random) == 0 {
          join(owner, target, place, inverse)
          if !relationship.isToMany { break }
        }
      }
    }
    tidy(&random)
  }

  private mutating func join(_ owner: Int, _ target: Int, _ place: Place, _ inverse: Place?) {
    let name = place.relationship.name
    if place.relationship.isToMany {
      if objects[owner].many[name, default: []].contains(target) { return }
      objects[owner].many[name, default: []].append(target)
    } else {
      objects[owner].one[name] = target
    }
    guard let back = inverse?.relationship.name, !(back == name && owner == target) else { return }
    objects[target].many[back, default: []].append(owner)
  }

  /// Puts members that have no order in that of their keys.
  private mutating func tidy(_ random: inout SeededGenerator) {
    for index in objects.indices {
      for (name, property) in properties(of: objects[index].entity) {
        guard case .relationship(let relationship) = property, let list = objects[index].many[name]
        else { continue }
        // Sorted first, so that the shuffled order depends on the seed alone.
        let sorted = list.sorted { objects[$0].key < objects[$1].key }
        var own = SeededGenerator(
          seed: UInt64(index) &* 31 &+ UInt64(name.utf8.reduce(0) { $0 + Int($1) })
        )
        objects[index].many[name] = relationship.isOrdered ? sorted.shuffled(using: &own) : sorted
      }
    }
  }
}
