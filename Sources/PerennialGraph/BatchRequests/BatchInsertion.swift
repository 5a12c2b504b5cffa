// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

/// Makes the objects of a batch insertion in the request's own context.
///
/// References by key wait until all objects are there: a row may refer to one that comes later.
///
/// Safe because it lives within one call on the context, which owns the home.
struct BatchInsertion {
  /// What a name in a dictionary stands for.
  private enum Property {
    case attribute(slot: Int, AttributeType)
    case composite
    case toOne(slot: Int, RelationshipLayout)
  }

  /// A relationship that names its object by a key.
  private struct Reference {
    let object: ManagedObject
    let slot: Int
    let key: PropertyValue
  }

  private let context: ManagedObjectContext
  private let home: UnsafeMutablePointer<EntityHome>
  private let layout: EntityLayout
  /// The slots that rows which exist take; `nil` for all.
  private let updatedSlots: Set<Int>?
  /// The names that dictionaries have had: few, which are found faster one by one than by a hash.
  private var names: [String] = []
  /// What the names stand for.
  private var properties: [Property] = []
  /// The objects of IDs, held until the save.
  private var targets: [ManagedObjectID: ManagedObject] = [:]
  /// The targets by entity of which it is not known yet whether their rows are there.
  private var unseen: [Int: [ManagedObjectID]] = [:]
  private var references: [Reference] = []
  private let keepsObjects: Bool
  /// The store that gets the rows; `nil` when there is only one.
  private let store: UUID?
  /// Whether it would not be the store of new objects without being asked for.
  private let assigns: Bool
  private(set) var count = 0
  /// The objects, if the request asks for their IDs: those that nobody holds end with the save.
  private(set) var objects: [ManagedObject] = []

  init(_ request: BatchInsertRequest, in context: ManagedObjectContext) throws(PerennialError) {
    self.context = context
    home = try context.home(named: request.entityName)
    let layout = home.pointee.layout
    if let error = PerennialError.abstractEntity(layout) { throw error }
    self.layout = layout
    keepsObjects = request.resultType == .objectIDs
    store = try context.store(forNew: layout, among: request.affectedStores)
    assigns = store != nil && request.affectedStores != nil
    if let names = request.propertiesToUpdate {
      updatedSlots = try Self.slots(of: names, layout)
    } else {
      updatedSlots = nil
    }
  }

  /// The slots of properties; those of its elements for a composite attribute.
  private static func slots(
    of names: Set<String>,
    _ layout: EntityLayout
  ) throws(PerennialError) -> Set<Int> {
    var slots: Set<Int> = []
    for name in names {
      let own = layout.slots.indices.filter {
        layout.slots[$0].name == name || layout.slots[$0].name.hasPrefix(name + ".")
      }
      guard !own.isEmpty else {
        throw layout.toManysByName[name] == nil
          ? .unknownProperty(name, of: layout) : .toManyInBatch(name, of: layout)
      }
      slots.formUnion(own)
    }
    return slots
  }

  /// Makes the objects of a source.
  mutating func run(_ source: BatchInsertRequest.Source) throws {
    switch source {
    case .dictionaries(let dictionaries):
      for dictionary in dictionaries { try insert(dictionary) }
    case .anyDictionaries(let dictionaries):
      for dictionary in dictionaries {
        let object = try newObject()
        for (name, value) in dictionary { try set(value, name, in: object) }
        finish(object)
      }
    case .dictionaryHandler(let handler):
      var dictionary: [String: (any Sendable)?] = [:]
      while try !handler(&dictionary) {
        try insert(dictionary)
        dictionary.removeAll(keepingCapacity: true)
      }
    case .objectHandler(let handler):
      while true {
        let object = try newObject()
        if try handler(object) {
          context.delete(object)
          break
        }
        finish(object)
      }
    }
    try resolveReferences()
    try checkUnseen()
  }

  private func newObject() throws(PerennialError) -> ManagedObject {
    let object = context.insert(into: home)
    if assigns, let store { try context.assign(object, toStore: store) }
    return object
  }

  private mutating func insert(_ values: [String: (any Sendable)?]) throws(PerennialError) {
    let object = try newObject()
    for (name, value) in values { try set(value, name, in: object) }
    finish(object)
  }

  private mutating func set(
    _ value: Any?,
    _ name: String,
    in object: ManagedObject
  ) throws(PerennialError) {
    switch try property(name) {
    case .attribute(let slot, let type):
      guard let value, store(value, slot, type, in: object) else {
        return try convert(value, slot, type, in: object)
      }
    case .composite: try object.setValue(value, forKey: name)
    case .toOne(let slot, let relationship): try relate(object, slot, relationship, to: value)
    }
  }

  /// Stores a value of the types that most dictionaries have; they are not looked at in general.
  private func store<Value>(
    _ value: Value,
    _ slot: Int,
    _ type: AttributeType,
    in object: ManagedObject
  ) -> Bool {
    if type == .string, let text = exactly(value, as: String.self) {
      text._withSlotValue { object._store($0, slot) }
    } else if type == .date, let date = exactly(value, as: Date.self) {
      date._withSlotValue { object._store($0, slot) }
    } else {
      return false
    }
    return true
  }

  private func convert(
    _ value: Any?,
    _ slot: Int,
    _ type: AttributeType,
    in object: ManagedObject
  ) throws(PerennialError) {
    guard let value = PropertyValue(value, for: layout.slots[slot]) else {
      throw .wrongType(layout.slots[slot].name, of: layout, slot: slot)
    }
    value.withSlotValue(as: type) { object._store($0, slot) }
  }

  private mutating func finish(_ object: ManagedObject) {
    count += 1
    if keepsObjects { objects.append(object) }
    guard let updatedSlots, let edit = object._edit else { return }
    for slot in layout.slots.indices where !updatedSlots.contains(slot) {
      EditRecord.clearChanged(edit, slot)
    }
  }

  private mutating func property(_ name: String) throws(PerennialError) -> Property {
    for index in names.indices where names[index] == name { return properties[index] }
    let property: Property
    if let slot = layout.slotsByName[name] {
      if let attribute = layout.slots[slot].attribute {
        if attribute.derivationExpression != nil { throw .derivedIsSet(name, of: layout) }
        if layout.slots[slot].isTransient { throw .transientInBatch(name, of: layout) }
        property = .attribute(slot: slot, attribute.type)
      } else if let relationship = layout.slots[slot].relationship {
        property = .toOne(slot: slot, relationship)
      } else {
        throw .unknownProperty(name, of: layout)
      }
    } else if layout.toManysByName[name] != nil {
      throw .toManyInBatch(name, of: layout)
    } else if layout.slots.contains(where: { $0.name.hasPrefix(name + ".") }) {
      property = .composite
    } else {
      throw .unknownProperty(name, of: layout)
    }
    names.append(name)
    properties.append(property)
    return property
  }
}

// MARK: - Relationships

extension BatchInsertion {
  private mutating func relate(
    _ object: ManagedObject,
    _ slot: Int,
    _ relationship: RelationshipLayout,
    to value: Any?
  ) throws(PerennialError) {
    guard let value else { return object._setTarget(slot, nil) }
    if let id = exactly(value, as: ManagedObjectID.self) ?? (value as? ManagedObjectID) {
      return object._setTarget(slot, try target(of: id))
    }
    let keySlot = try keySlot(of: relationship)
    let destination = context.homes[relationship.destination].layout
    guard let key = PropertyValue(value, for: destination.slots[keySlot]) else {
      throw .wrongType(relationship.name, of: layout, slot: slot)
    }
    if key.isNull {
      object._setTarget(slot, nil)
    } else {
      references.append(Reference(object: object, slot: slot, key: key))
    }
  }

  private mutating func target(of id: ManagedObjectID) throws(PerennialError) -> ManagedObject {
    if let known = targets[id] { return known }
    let unseen = try unseenTarget(of: id)
    let target = if let unseen { unseen } else { try context.existingObject(with: id) }
    targets[id] = target
    return target
  }

  /// A fault whose row is looked for at the end, together with those of all others.
  ///
  /// - Returns: `nil` when the object is known, or may be one of a subentity.
  private mutating func unseenTarget(
    of id: ManagedObjectID
  ) throws(PerennialError) -> ManagedObject? {
    let entity = try context.store.model.entity(named: id.entityName)
    guard entity.family.count == 1, context.registeredObject(for: id) == nil else { return nil }
    let fault = try context.fault(for: id)
    unseen[entity.index, default: []].append(id)
    return fault
  }

  private func checkUnseen() throws(PerennialError) {
    for (entity, ids) in unseen {
      let keys = ids.compactMap { targets[$0]?._key }
      let found = try context.store.fetchReferences(StoreQuery(entity: entity, scope: .keys(keys)))
      guard found.count < keys.count else { continue }
      let stored = Set(found.map(\.key))
      for id in ids where targets[id].map({ stored.contains($0._key) }) != true {
        throw .objectGone(id)
      }
    }
  }

  /// The attribute that alone identifies the objects that a relationship leads to.
  private func keySlot(of relationship: RelationshipLayout) throws(PerennialError) -> Int {
    let destination = context.homes[relationship.destination].layout
    let keys = Set(destination.constraints.filter { $0.count == 1 }.map { $0[0] })
    guard let key = keys.first, keys.count == 1, destination.slots[key].attribute != nil else {
      throw .noKeyOfRelationship(relationship.name, of: layout, destination: destination.name)
    }
    return key
  }

  private func resolveReferences() throws(PerennialError) {
    for (slot, references) in Dictionary(grouping: references, by: \.slot) {
      guard let relationship = layout.slots[slot].relationship else { continue }
      let targets = try targets(of: references, relationship)
      for reference in references {
        guard let target = targets[reference.key] else {
          throw .noObjectOfKey(relationship.name, of: layout)
        }
        reference.object._setTarget(slot, target)
        if updatedSlots?.contains(slot) == false, let edit = reference.object._edit {
          EditRecord.clearChanged(edit, slot)
        }
      }
    }
  }

  /// The objects of keys: those that are stored, and those that are inserted here.
  private func targets(
    of references: [Reference],
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [PropertyValue: ManagedObject] {
    let keySlot = try keySlot(of: relationship)
    let destination = context.homes[relationship.destination].layout
    var targets: [PropertyValue: ManagedObject] = [:]
    let keys = Array(Set(references.map(\.key)))
    for batch in keys.batches(of: KeyFinder.batchCount) {
      var query = StoreQuery(entity: destination.index)
      query.predicate = FetchPredicate(
        .comparison(
          Comparison(
            .path(destination.slots[keySlot].name),
            .isIn,
            .list(batch.map(ExpressionNode.constant))
          )
        )
      )
      context.restrict(&query, to: store.map { [$0] })
      for object in try context.fetchObjects(query, false) {
        targets[object._propertyValue(keySlot)] = object
      }
    }
    guard destination.family.contains(layout.index) else { return targets }
    for object in home.pointee.changedObjects {
      targets[object._propertyValue(keySlot)] = object
    }
    return targets
  }
}

extension PerennialError {
  static func toManyInBatch(_ name: String, of entity: EntityLayout) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "'\(entity.name).\(name)' is a to-many relationship, which a batch request cannot set.",
      recovery: "set the to-one relationship on its other side, or use objects",
      entity: entity.name,
      property: name
    )
  }

  static func transientInBatch(_ name: String, of entity: EntityLayout) -> PerennialError {
    .invalidRequest(
      "'\(name)' of '\(entity.name)' is transient, so that no store has its value.",
      "name stored attributes, or use objects",
      of: entity
    )
  }

  fileprivate static func noKeyOfRelationship(
    _ name: String,
    of entity: EntityLayout,
    destination: String
  ) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "'\(entity.name).\(name)' takes the ID of an object: '\(destination)' has no uniqueness constraint of one attribute, or several.",
      recovery: "give an objectID",
      entity: entity.name,
      property: name
    )
  }

  fileprivate static func noObjectOfKey(_ name: String, of entity: EntityLayout) -> PerennialError {
    PerennialError(
      .objectGone,
      "There is no object of a key that '\(entity.name).\(name)' was given.",
      recovery: "insert the objects that it leads to first, or in the same request",
      entity: entity.name,
      property: name
    )
  }
}
