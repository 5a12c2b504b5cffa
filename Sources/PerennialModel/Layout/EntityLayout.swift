// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One slot of an entity's rows.
///
/// A class, so that looking at one on the way to a value costs a reference.
package final class SlotLayout: Sendable {
  /// The property's name; `owner.element` for an element of a composite attribute.
  package let name: String
  package let storage: SlotStorage
  /// The attribute; `nil` for a to-one relationship.
  package let attribute: AttributeDescription?
  /// The attribute's type; asking the attribute itself for it copies the whole description.
  package let attributeType: AttributeType?
  /// The to-one relationship; `nil` for an attribute.
  package let relationship: RelationshipLayout?
  /// The place of the entity that declares the property.
  package let entity: Int

  package let isTransient: Bool
  package let isOptional: Bool
  /// Whether a stored row may have nothing here; a derived attribute may, as there may be nothing to derive it from.
  package var mayBeEmpty: Bool { isOptional || attribute?.derivationExpression != nil }

  init(name: String, attribute: AttributeDescription, entity: Int) {
    self.name = name
    storage = attribute.type.storage
    self.attribute = attribute
    attributeType = attribute.type
    relationship = nil
    self.entity = entity
    isTransient = attribute.isTransient
    isOptional = attribute.isOptional
  }

  init(relationship: RelationshipLayout) {
    name = relationship.name
    storage = .reference
    attribute = nil
    attributeType = nil
    self.relationship = relationship
    entity = relationship.entity
    isTransient = false
    isOptional = relationship.description.isOptional
  }
}

/// An entity with every name resolved and every property given its place.
///
/// Slots hold attributes and to-one relationships, those of the superentity first, then the
/// entity's own in the order of their declaration. To-many relationships are numbered likewise.
package final class EntityLayout: Sendable {
  /// The entity's place in the model; its number in a store is one more.
  package let index: Int
  package let description: EntityDescription
  /// The description's name.
  package let name: String
  /// The places of the superentity and of the root of the inheritance tree.
  package let superentity: Int?
  package let root: Int
  /// The places of the entity and all its subentities.
  package let family: Range<Int>
  package let slots: [SlotLayout]
  package let toManys: [RelationshipLayout]
  /// The slots of each uniqueness constraint, inherited ones first.
  package let constraints: [[Int]]
  /// The entity that declares each constraint.
  package let constraintOwners: [Int]
  package let slotsByName: [String: Int]
  /// The slots of every composite attribute, in the order of its elements, by the first of them.
  package let elementSlots: [Int: [Int]]
  /// The most parts that a slot's name has: one, unless there are composite attributes.
  package let partCount: Int
  /// The name by which a condition reaches each slot; none if it means the object.
  private let slotNames: [String]
  package let toManysByName: [String: Int]
  /// The slots whose values are bytes or references.
  package let bytesSlots: [Int]
  package let referenceSlots: [Int]
  /// The slots of transient attributes.
  package let transientSlots: [Int]
  /// The to-one relationships, by their slots.
  package let toOnes: [(slot: Int, relationship: RelationshipLayout)]
  /// The slots that must have a value, and those whose values a save looks at.
  package let requiredSlots: [Int]
  package let numberSlots: [Int]
  package let decimalSlots: [Int]
  /// The to-many relationships whose number of objects a save looks at.
  package let countedToManys: [RelationshipLayout]

  init(
    index: Int,
    description: EntityDescription,
    superentity: Int?,
    root: Int,
    family: Range<Int>,
    slots: [SlotLayout],
    toManys: [RelationshipLayout],
    constraints: [[Int]],
    constraintOwners: [Int]
  ) {
    self.index = index
    self.description = description
    name = description.name
    self.superentity = superentity
    self.root = root
    self.family = family
    self.slots = slots
    self.toManys = toManys
    self.constraints = constraints
    self.constraintOwners = constraintOwners
    slotNames = slots.map { ReservedNames.isIdentity($0.name) ? "" : $0.name }
    let elements = slots.indices.filter { slots[$0].name.contains(".") }
    partCount = elements.reduce(1) { most, slot in
      max(most, slots[slot].name.utf8.count { $0 == UInt8(ascii: ".") } + 1)
    }
    let composites = Dictionary(grouping: elements) { slots[$0].name.prefix { $0 != "." } }
    elementSlots = Dictionary(uniqueKeysWithValues: composites.values.map { ($0[0], $0) })
    slotsByName = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1.name, $0) })
    toManysByName = Dictionary(uniqueKeysWithValues: toManys.enumerated().map { ($1.name, $0) })
    bytesSlots = slots.indices.filter { slots[$0].storage == .bytes }
    referenceSlots = slots.indices.filter { slots[$0].storage == .reference }
    transientSlots = slots.indices.filter { slots[$0].isTransient }
    toOnes = slots.enumerated().compactMap { slot, property in
      property.relationship.map { (slot, $0) }
    }
    requiredSlots = slots.indices.filter {
      !slots[$0].isOptional && slots[$0].attribute?.derivationExpression == nil
    }
    numberSlots = slots.indices.filter { slots[$0].storage == .double }
    countedToManys = toManys.filter {
      !$0.description.isOptional || $0.description.minimumCount > 0
        || $0.description.maximumCount > 0
    }
    decimalSlots = slots.indices.filter { slots[$0].attribute?.type == .decimal }
  }

  /// The slot that a key of a condition or an order names.
  ///
  /// It is what a look-up in `slotsByName` gives, faster for the usual entity; none for keys that mean
  /// the object (`ReservedNames.isIdentity`).
  package func slot(named name: String) -> Int? {
    if slotNames.count <= 16 { return slotNames.firstIndex(of: name) }
    return slotsByName[name].flatMap { slotNames[$0] == name ? $0 : nil }
  }

  /// Whether there is a composite attribute of a name.
  package func hasElements(of name: String) -> Bool {
    partCount > 1 && slots.contains { $0.name.hasPrefix(name + ".") }
  }

  /// A relationship of a name, to-one or to-many.
  package func relationship(named name: String) -> RelationshipLayout? {
    if let slot = slotsByName[name] { return slots[slot].relationship }
    return toMany(named: name)
  }

  /// A to-many relationship of a name.
  package func toMany(named name: String) -> RelationshipLayout? {
    toManysByName[name].map { toManys[$0] }
  }

  /// The entity that declares the last of a constraint's attributes: all its objects have them.
  ///
  /// It is below the entity that declares the constraint where an attribute is a subentity's.
  package func lowestEntity(ofConstraint number: Int) -> Int {
    constraints[number].map { slots[$0].entity }.max() ?? index
  }

  /// The names of all properties, for messages.
  package var propertyNames: [String] { slots.map(\.name) + toManys.map(\.name) }

  /// Whether there are attributes whose values may lie in files of their own.
  package var allowsExternalValues: Bool {
    slots.contains { $0.attribute?.allowsExternalBinaryDataStorage == true }
  }
}
