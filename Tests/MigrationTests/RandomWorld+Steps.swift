// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import RandomTesting

/// Changes of a model that are inferred, each with what it does to objects: written down from the
/// specification, with no look at how stores do it.
extension RandomWorld {
  /// Takes the step that a seed stands for; `nil` when there is nothing that it can be done to.
  func taking(_ seed: UInt64) -> RandomWorld? {
    var random = SeededGenerator(seed: seed)
    var world = self
    let steps: [(inout RandomWorld, inout SeededGenerator) -> Bool] = [
      { $0.addAttribute(&$1) }, { $0.removeAttribute(&$1) }, { $0.renameAttribute(&$1) },
      { $0.requireAttribute(&$1) }, { $0.widenAttribute(&$1) }, { $0.moveAttributeUp(&$1) },
      { $0.moveAttributeDown(&$1) }, { $0.renameEntity(&$1) }, { $0.removeEntity(&$1) },
      { $0.addEntity(&$1) }, { $0.moveEntityOut(&$1) }, { $0.widenToMany(&$1) },
      { $0.toggleOrder(&$1) }, { $0.removeEnd(&$1) }, { $0.addInverse(&$1) },
      { $0.renameRelationship(&$1) }, { $0.removeRelationship(&$1) },
    ]
    let step = Int.random(in: steps.indices, using: &random)
    return steps[step](&world, &random) ? world : nil
  }

  // MARK: Attributes

  private typealias AttributePlace = (entity: Int, property: Int, attribute: AttributeDescription)

  private func attributes(_ isWanted: (AttributeDescription) -> Bool) -> [AttributePlace] {
    entities.indices.flatMap { entity in
      entities[entity].properties.enumerated().compactMap { number, property in
        guard case .attribute(let attribute) = property, isWanted(attribute) else { return nil }
        return (entity, number, attribute)
      }
    }
  }

  private mutating func forObjects(of entity: Int, _ body: (inout Object) -> Void) {
    for index in objects(of: entities[entity].name) { body(&objects[index]) }
  }

  private mutating func addAttribute(_ random: inout SeededGenerator) -> Bool {
    let entity = Int.random(in: entities.indices, using: &random)
    let type = Self.types.randomElement(using: &random) ?? .string
    let name = freshName("a")
    let hasDefault = Bool.random(using: &random)
    let value = hasDefault ? Self.value(of: type, &random) : .null
    let isOptional = !hasDefault || Bool.random(using: &random)
    entities[entity].properties.insert(
      .attribute(AttributeDescription(name, type, isOptional: isOptional, defaultValue: value)),
      at: 0
    )
    if hasDefault { forObjects(of: entity) { $0.values[name] = value } }
    return true
  }

  private mutating func removeAttribute(_ random: inout SeededGenerator) -> Bool {
    guard let place = attributes({ _ in true }).randomElement(using: &random) else { return false }
    entities[place.entity].properties.remove(at: place.property)
    forObjects(of: place.entity) { $0.values[place.attribute.name] = nil }
    return true
  }

  private mutating func renameAttribute(_ random: inout SeededGenerator) -> Bool {
    guard let place = attributes({ _ in true }).randomElement(using: &random) else { return false }
    var attribute = place.attribute
    let old = attribute.name
    attribute.renamingIdentifier = attribute.renamingIdentifier ?? old
    attribute.name = freshName("a")
    entities[place.entity].properties[place.property] = .attribute(attribute)
    forObjects(of: place.entity) { $0.values[attribute.name] = $0.values.removeValue(forKey: old) }
    return true
  }

  private mutating func requireAttribute(_ random: inout SeededGenerator) -> Bool {
    let places = attributes { $0.isOptional && $0.defaultValue.isNull }
    guard let place = places.randomElement(using: &random) else { return false }
    var attribute = place.attribute
    attribute.isOptional = false
    attribute.defaultValue = Self.value(of: attribute.type, &random)
    entities[place.entity].properties[place.property] = .attribute(attribute)
    forObjects(of: place.entity) { object in
      object.values[attribute.name] = object.values[attribute.name] ?? attribute.defaultValue
    }
    return true
  }

  private mutating func widenAttribute(_ random: inout SeededGenerator) -> Bool {
    let wider: [AttributeType: [AttributeType]] = [
      .int16: [.int32, .int64, .float, .double, .decimal], .int32: [.int64, .double, .decimal],
      .int64: [.decimal], .bool: [.int16, .int32, .int64], .float: [.double], .url: [.string],
    ]
    let places = attributes { $0.defaultValue.isNull && wider[$0.type] != nil }
    guard let place = places.randomElement(using: &random),
      let type = wider[place.attribute.type]?.randomElement(using: &random)
    else { return false }
    var attribute = place.attribute
    attribute.type = type
    entities[place.entity].properties[place.property] = .attribute(attribute)
    forObjects(of: place.entity) { object in
      guard let value = object.values[attribute.name] else { return }
      object.values[attribute.name] = Self.widened(value, to: type)
    }
    return true
  }

  private static func widened(_ value: PropertyValue, to type: AttributeType) -> PropertyValue {
    switch (value, type) {
    case (.boolean(let flag), _): .integer(flag ? 1 : 0)
    case (.integer(let number), .float), (.integer(let number), .double): .double(Double(number))
    case (.integer(let number), .decimal): .decimal(Decimal(number))
    case (.url(let url), _): .string(url.absoluteString)
    default: value
    }
  }

  private mutating func moveAttributeUp(_ random: inout SeededGenerator) -> Bool {
    // What has moved down does not come back: models would not tell that some objects lost it.
    let places = attributes { $0.userInfo["moved"] == nil }
      .filter { entities[$0.entity].parent != nil }
    guard let place = places.randomElement(using: &random),
      let parent = entities.firstIndex(where: { $0.name == entities[place.entity].parent })
    else { return false }
    let own = Set(objects(of: entities[place.entity].name))
    entities[parent].properties.append(entities[place.entity].properties.remove(at: place.property))
    let value = place.attribute.defaultValue
    guard !value.isNull else { return true }
    for index in objects(of: entities[parent].name) where !own.contains(index) {
      objects[index].values[place.attribute.name] = value
    }
    return true
  }

  private mutating func moveAttributeDown(_ random: inout SeededGenerator) -> Bool {
    guard let place = attributes({ _ in true }).randomElement(using: &random),
      let child = entities.indices.filter({ entities[$0].parent == entities[place.entity].name })
        .randomElement(using: &random)
    else { return false }
    let kept = Set(objects(of: entities[child].name))
    var attribute = place.attribute
    attribute.userInfo["moved"] = "1"
    entities[place.entity].properties.remove(at: place.property)
    entities[child].properties.append(.attribute(attribute))
    for index in objects(of: entities[place.entity].name) where !kept.contains(index) {
      objects[index].values[attribute.name] = nil
    }
    return true
  }

  // MARK: Entities

  private mutating func renameEntity(_ random: inout SeededGenerator) -> Bool {
    let index = Int.random(in: entities.indices, using: &random)
    let (old, new) = (
      entities[index].name, freshName(["AA", "M", "Z"].randomElement(using: &random) ?? "M")
    )
    entities[index].renamingIdentifier = entities[index].renamingIdentifier ?? old
    entities[index].name = new
    for other in entities.indices where entities[other].parent == old {
      entities[other].parent = new
    }
    for place in relationships where place.relationship.destinationEntity == old {
      var relationship = place.relationship
      relationship.destinationEntity = new
      entities[place.entity].properties[place.property] = .relationship(relationship)
    }
    for place in objects.indices where objects[place].entity == old { objects[place].entity = new }
    return true
  }

  private mutating func removeEntity(_ random: inout SeededGenerator) -> Bool {
    let leaves = entities.indices.filter { index in
      !entities.contains { $0.parent == entities[index].name }
    }
    guard entities.count > 2, let index = leaves.randomElement(using: &random) else { return false }
    let name = entities[index].name
    for index in objects(of: name) { objects[index].isGone = true }
    while let place = relationships.first(where: {
      $0.relationship.destinationEntity == name || entities[$0.entity].name == name
    }) {
      remove(place)
    }
    entities.remove(at: index)
    prune()
    return true
  }

  private mutating func addEntity(_ random: inout SeededGenerator) -> Bool {
    let index = Int.random(in: entities.indices, using: &random)
    let name = freshName(["AB", "N", "Y"].randomElement(using: &random) ?? "N")
    let property = PropertyDescription.attribute(freshName("a"), .string, optional: true)
    var entity = EntityDescription(name, properties: [property])
    switch Int.random(in: 0..<3, using: &random) {
    case 0: break
    case 1: entity.parent = entities[index].name
    default:
      entity.parent = entities[index].parent
      entity.isAbstract = Bool.random(using: &random)
      entities[index].parent = name
    }
    entities.append(entity)
    return true
  }

  /// An entity becomes a root: it declares the attributes that it inherited, and has lost relationships.
  private mutating func moveEntityOut(_ random: inout SeededGenerator) -> Bool {
    let children = entities.indices.filter { entities[$0].parent != nil }
    guard let index = children.randomElement(using: &random) else { return false }
    for ancestor in lineage(entities[index].name).dropFirst() {
      for case .attribute(let attribute)? in entity(named: ancestor)?.properties ?? [] {
        entities[index].properties.append(.attribute(attribute))
      }
    }
    entities[index].parent = nil
    prune()
    return true
  }

  // MARK: Relationships

  private mutating func change(_ place: Place, _ body: (inout RelationshipDescription) -> Void) {
    var relationship = place.relationship
    body(&relationship)
    entities[place.entity].properties[place.property] = .relationship(relationship)
  }

  private mutating func widenToMany(_ random: inout SeededGenerator) -> Bool {
    guard
      let place = relationships.filter({ !$0.relationship.isToMany }).randomElement(using: &random)
    else { return false }
    let name = place.relationship.name
    change(place) {
      $0.isToMany = true
      $0.maximumCount = 0
    }
    for index in objects.indices {
      if let other = objects[index].one.removeValue(forKey: name) {
        objects[index].many[name] = [other]
      }
    }
    return true
  }

  /// Gives a to-many relationship an order, or takes it: once, so that no old order comes back.
  private mutating func toggleOrder(_ random: inout SeededGenerator) -> Bool {
    let places = relationships.filter {
      $0.relationship.isToMany && $0.relationship.inverse != $0.relationship.name
        && $0.relationship.userInfo["toggled"] == nil
    }
    guard let place = places.randomElement(using: &random) else { return false }
    change(place) {
      $0.isOrdered.toggle()
      $0.userInfo["toggled"] = "1"
    }
    for index in objects.indices { sortMembers(index, place.relationship.name) }
    return true
  }

  private mutating func sortMembers(_ index: Int, _ name: String) {
    let keys = objects.map(\.key)
    objects[index].many[name]?.sort { keys[$0] < keys[$1] }
  }

  private mutating func removeEnd(_ random: inout SeededGenerator) -> Bool {
    let places = relationships.filter {
      $0.relationship.inverse != nil && $0.relationship.inverse != $0.relationship.name
    }
    // One that is new has nothing to hold that models tell of.
    guard let place = places.randomElement(using: &random), let other = inverse(of: place),
      other.relationship.userInfo["new"] == nil
    else { return false }
    change(other) {
      $0.inverse = nil
      $0.userInfo["lost"] = "1"
    }
    entities[place.entity].properties.remove(at: place.property)
    prune()
    return true
  }

  private mutating func addInverse(_ random: inout SeededGenerator) -> Bool {
    let places = relationships.filter {
      $0.relationship.inverse == nil && $0.relationship.userInfo["lost"] == nil
    }
    guard let place = places.randomElement(using: &random),
      let target = entities.firstIndex(where: { $0.name == place.relationship.destinationEntity })
    else { return false }
    let (name, back) = (place.relationship.name, freshName("r"))
    change(place) { $0.inverse = back }
    entities[target].properties.append(
      .relationship(
        RelationshipDescription(
          back,
          to: entities[place.entity].name,
          inverse: name,
          isToMany: true,
          isOrdered: Bool.random(using: &random),
          userInfo: ["new": "1"]
        )
      )
    )
    for index in objects.indices where !objects[index].isGone {
      for other in objects[index].many[name] ?? objects[index].one[name].map({ [$0] }) ?? [] {
        objects[other].many[back, default: []].append(index)
      }
    }
    for index in objects.indices { sortMembers(index, back) }
    return true
  }

  private mutating func renameRelationship(_ random: inout SeededGenerator) -> Bool {
    guard let place = relationships.randomElement(using: &random) else { return false }
    let (old, new) = (place.relationship.name, freshName("r"))
    let isOwnInverse = place.relationship.inverse == old
    if !isOwnInverse, let other = inverse(of: place) { change(other) { $0.inverse = new } }
    change(place) {
      $0.renamingIdentifier = $0.renamingIdentifier ?? old
      $0.name = new
      if isOwnInverse { $0.inverse = new }
    }
    for index in objects.indices {
      objects[index].one[new] = objects[index].one.removeValue(forKey: old)
      objects[index].many[new] = objects[index].many.removeValue(forKey: old)
    }
    return true
  }

  private mutating func removeRelationship(_ random: inout SeededGenerator) -> Bool {
    guard let place = relationships.randomElement(using: &random) else { return false }
    remove(place)
    prune()
    return true
  }

  /// Removes both ends.
  private mutating func remove(_ place: Place) {
    let names = [place.relationship.name, inverse(of: place)?.relationship.name ?? ""]
    for index in entities.indices {
      entities[index].properties.removeAll { names.contains($0.name) }
    }
  }

  /// Takes out of objects what their entities do not have any more, and whom they cannot lead to.
  private mutating func prune() {
    for index in objects.indices where !objects[index].isGone {
      let properties = properties(of: objects[index].entity)
      func isKept(_ name: String, _ other: Int) -> Bool {
        guard case .relationship(let relationship)? = properties[name] else { return false }
        guard !objects[other].isGone,
          isKind(objects[other].entity, of: relationship.destinationEntity)
        else { return false }
        guard let name = relationship.inverse else { return true }
        guard case .relationship(let back)? = self.properties(of: objects[other].entity)[name]
        else { return false }
        return isKind(objects[index].entity, of: back.destinationEntity)
      }
      var object = objects[index]
      object.values = object.values.filter { properties[$0.key] != nil }
      object.one = object.one.filter { isKept($0.key, $0.value) }
      object.many = Dictionary(
        uniqueKeysWithValues: object.many.map { name, others in
          (name, others.filter { isKept(name, $0) })
        }
      )
      objects[index] = object
    }
  }
}
