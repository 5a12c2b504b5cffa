// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

// What is known of a relationship without loading it. Safe because every entry of an identity map is
// alive.

extension ManagedObject {
  /// Whether reading a relationship's objects would ask the store.
  ///
  /// A to-one relationship is a fault while its object is one; a relationship to nothing is not. A to-many
  /// relationship is a fault until its objects have been asked for. This call loads nothing.
  ///
  /// Core Data: `NSManagedObject.hasFault(forRelationshipNamed:)`.
  ///
  /// - Parameter name: The relationship's name.
  /// - Returns: Whether the relationship is a fault; always true while the object itself is one.
  /// - Throws: `unknownName` (200003) when there is no relationship of that name.
  public final func hasFault(
    forRelationshipNamed name: String
  ) throws(PerennialError) -> Bool {
    let object = _survivor ?? self
    guard let home = object._home else { return false }
    let context = home.pointee.context
    let relationship = try home.pointee.layout.checkedRelationship(named: name)
    guard let row = object._row else { return true }
    switch relationship.place {
    case .slot(let slot):
      let reference = PackedRow.reference(row, slot)
      guard reference.key != 0 else { return false }
      let root = context.homes[reference.entity].root
      let target = root.pointee.map.find(reference.key)?.takeUnretainedValue()
      return target?._row == nil
    case .toMany:
      return context.isKnownAbove(object) && !context.hasLoadedMembers(of: object, relationship)
    }
  }

  /// The IDs of the objects that a relationship leads to, without loading the objects.
  ///
  /// If a to-many relationship has not been asked for, its IDs take one query. Unsaved changes count.
  ///
  /// Core Data: `NSManagedObject.objectIDs(forRelationshipNamed:)`.
  ///
  /// - Parameter name: The relationship's name.
  /// - Returns: The IDs, in order for an ordered relationship; at most one for a to-one relationship.
  /// - Throws: `unknownName` (200003) when there is no relationship of that name, or the store's
  ///   error.
  public final func objectIDs(
    forRelationshipNamed name: String
  ) throws(PerennialError) -> [ManagedObjectID] {
    let object = _survivor ?? self
    guard let home = object._home else { throw .objectGone(objectID) }
    let context = home.pointee.context
    let relationship = try home.pointee.layout.checkedRelationship(named: name)
    switch relationship.place {
    case .slot(let slot):
      if object.has(.isObserved) { object._noteAccess(slot) }
      let reference = PackedRow.reference(object._row ?? object._loadedRow(), slot)
      return reference.key == 0 ? [] : [context.objectID(of: reference)]
    case .toMany(let index):
      object._noteToManyAccess(index)
      return try context.memberReferences(of: object, relationship).map {
        context.objectID(of: $0)
      }
    }
  }

  /// The IDs of a to-many relationship's objects; none when they cannot be read.
  final func _memberIDs(_ index: Int) -> [ManagedObjectID] {
    _noteToManyAccess(index)
    let object = _survivor ?? self
    guard let home = object._home else { return [] }
    let context = home.pointee.context
    return context.readingLazily { () throws(PerennialError) in
      try context.memberReferences(of: object, home.pointee.layout.toManys[index]).map {
        context.objectID(of: $0)
      }
    } ?? []
  }

  /// The IDs of a to-many relationship's objects, for access by name; none when they cannot be read.
  ///
  /// - Throws: `lazyLoad` (200012) when they must not be asked for.
  final func _dynamicMemberIDs(_ index: Int) throws(PerennialError) -> [ManagedObjectID] {
    guard let context = _home?.pointee.context, context.refusesLazyLoads else {
      return _memberIDs(index)
    }
    let misuses = context.misuses
    context.lastFaultError = nil
    let ids = _memberIDs(index)
    guard let error = context.lastFaultError, error.code == .lazyLoad else { return ids }
    // It is thrown here, and so not again by the next fetch.
    context.misuses = misuses
    throw error
  }
}

extension ManagedEntity {
  /// Whether reading a relationship's objects would ask the store; nothing is loaded.
  ///
  /// Core Data: `NSManagedObject.hasFault(forRelationshipNamed:)`.
  ///
  /// - Parameter relationship: The key path of a relationship.
  /// - Returns: Whether the relationship is a fault; always true while the object itself is one.
  /// - Throws: `unknownName` (200003) for a key path that is no relationship.
  public func hasFault(
    for relationship: PartialKeyPath<Self>
  ) throws(PerennialError) -> Bool {
    try hasFault(forRelationshipNamed: Self.name(of: relationship))
  }

  /// The IDs of the objects that a relationship leads to, without loading the objects.
  ///
  /// Core Data: `NSManagedObject.objectIDs(forRelationshipNamed:)`.
  ///
  /// - Parameter relationship: The key path of a relationship.
  /// - Returns: The IDs, in order for an ordered relationship; at most one for a to-one relationship.
  /// - Throws: `unknownName` (200003) for a key path that is no relationship, or the store's error.
  public func objectIDs(
    for relationship: PartialKeyPath<Self>
  ) throws(PerennialError) -> [ManagedObjectID] {
    try objectIDs(forRelationshipNamed: Self.name(of: relationship))
  }
}

extension ManagedObjectContext {
  /// Whether the members of an owner are known and still here.
  func hasLoadedMembers(of owner: ManagedObject, _ relationship: RelationshipLayout) -> Bool {
    guard let loaded = relationships.loaded[ownerKey(owner, relationship)] else { return false }
    let root = homes[relationship.destination].root
    return loaded.elements.allSatisfy { reference in
      root.pointee.map.find(reference.key)?._withUnsafeGuaranteedRef { $0._row != nil } == true
    }
  }

  /// The members as references: as known, else as one query gives them, pending changes on top.
  ///
  /// They are read one by one where others may have stored what is pending here.
  func memberReferences(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [ObjectReference] {
    if areInDoubt(owner, relationship) {
      return try members(of: owner, relationship).map(\._reference)
    }
    let key = ownerKey(owner, relationship)
    var references: [ObjectReference] = []
    if let known = try membersAtHand(of: owner, relationship, key) {
      references = known.elements
    } else if isKnownAbove(owner) {
      try checkLazyLoad(of: owner, relationship)
      faulting.statistics.memberQueries += 1
      references = try store.fetchReferences(relatedQuery(owner, relationship))
    }
    if let delta = delta(relationship) {
      if let removed = delta.removed(from: owner._key), !removed.isEmpty {
        references.removeAll { removed.contains($0.key) }
      }
      references += delta.added(to: owner._key)?.elements ?? []
    }
    guard relationship.isOrdered, let order = relationships.orders[key] else { return references }
    return references.enumerated().sorted { left, right in
      (order.place(of: left.element.key) ?? .max, left.offset)
        < (order.place(of: right.element.key) ?? .max, right.offset)
    }.map(\.element)
  }
}

extension EntityLayout {
  /// The relationship of a name.
  ///
  /// - Throws: `unknownName` (200003) with the nearest name.
  func checkedRelationship(named name: String) throws(PerennialError) -> RelationshipLayout {
    if let relationship = relationship(named: name) { return relationship }
    if slotsByName[name] != nil { throw .notARelationship(name, of: self) }
    throw .unknownProperty(name, of: self)
  }
}

extension PerennialError {
  static func notARelationship(_ name: String, of entity: EntityLayout) -> PerennialError {
    let known = entity.referenceSlots.map { entity.slots[$0].name } + entity.toManys.map(\.name)
    return PerennialError(
      .unknownName,
      "'\(name)' of '\(entity.name)' is an attribute, not a relationship.",
      recovery: suggestion(for: name, among: known),
      entity: entity.name,
      property: name
    )
  }
}
