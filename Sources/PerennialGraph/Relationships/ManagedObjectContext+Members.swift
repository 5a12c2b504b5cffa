// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// The contents of to-many relationships: what is stored, without what was removed, with what was
// added.

extension ManagedObjectContext {
  typealias OwnerKey = RelationshipChanges.OwnerKey
  typealias SlotKey = RelationshipChanges.SlotKey

  /// The members, as objects with their rows; one round trip the first time.
  func members(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [ManagedObject] {
    let key = ownerKey(owner, relationship)
    var objects: [ManagedObject] = []
    if owner._key > 0, relationships.loaded[key] == nil {
      var references: [ObjectReference] = []
      try store.fetchRows(relatedQuery(owner, relationship)) { page in
        for object in materialise(page) {
          objects.append(object)
          references.append(object._reference)
        }
      }
      relationships.loaded[key] = references
    } else {
      for reference in relationships.loaded[key] ?? [] { objects.append(object(for: reference)) }
    }
    if let delta = delta(relationship) {
      if let removed = delta.removed(from: owner._key), !removed.isEmpty {
        objects.removeAll { removed.contains($0._key) }
      }
      let added = delta.added(to: owner._key)?.elements ?? []
      objects += added.map { object(for: $0) }
    }
    return relationship.isOrdered ? ordered(objects, key) : objects
  }

  /// The number of members: one COUNT when they are not loaded.
  func memberCount(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> Int {
    var count = 0
    if let loaded = relationships.loaded[ownerKey(owner, relationship)] {
      count = loaded.count
    } else if owner._key > 0 {
      count = try store.count(relatedQuery(owner, relationship))
    }
    guard let delta = delta(relationship) else { return count }
    count -= delta.removed(from: owner._key)?.count ?? 0
    count += delta.added(to: owner._key)?.count ?? 0
    return count
  }

  /// Whether an object is a member: by its to-one slot, or one EXISTS when pairs are not loaded.
  func isMember(
    _ member: ManagedObject,
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> Bool {
    if let slot = relationship.inverseSlot {
      guard !member.isDeleted else { return false }
      return PackedRow.reference(member._loadedRow(), slot).key == owner._key
    }
    if let delta = delta(relationship) {
      if delta.added(to: owner._key)?.contains(key: member._key) == true { return true }
      if delta.removed(from: owner._key)?.contains(member._key) == true { return false }
    }
    guard owner._key > 0, member._key > 0 else { return false }
    if let loaded = relationships.loaded[ownerKey(owner, relationship)] {
      return loaded.contains { $0.key == member._key }
    }
    return try store.count(
      StoreQuery(
        entity: relationship.destination,
        scope: .relatedMember(relationship, owner: owner._key, member: member._key)
      )
    ) > 0
  }

  func ownerKey(_ owner: ManagedObject, _ relationship: RelationshipLayout) -> OwnerKey {
    guard case .toMany(let index) = relationship.place else {
      preconditionFailure("'\(relationship.name)' is not a to-many relationship.")
    }
    return OwnerKey(entity: relationship.entity, toMany: index, owner: owner._key)
  }

  private func relatedQuery(
    _ owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) -> StoreQuery {
    StoreQuery(
      entity: relationship.destination,
      scope: .related(relationship, owner: owner._key)
    )
  }

  /// What the pending changes add and remove.
  func delta(_ relationship: RelationshipLayout) -> MembershipDelta? {
    if let side = relationship.side { return relationships.delta(side) }
    guard let inverse = relationship.inverse, let slot = relationship.inverseSlot else {
      return nil
    }
    return index(SlotKey(entity: inverse.entity, slot: slot))
  }

  /// The index of the changed objects by what a slot refers to; made at the first use.
  private func index(_ key: SlotKey) -> MembershipDelta {
    if let index = relationships.slots[key] { return index }
    var index = MembershipDelta()
    for entity in store.model.entities[key.entity].family {
      for object in homes[entity].changedObjects {
        let old = object._committedReference(key.slot).key
        let new = object.isDeleted ? 0 : object._currentReference(key.slot).key
        guard old != new else { continue }
        if old != 0 { index.remove(object._key, from: old) }
        if new != 0 { index.add(object._reference, to: new) }
      }
    }
    relationships.slots[key] = index
    return index
  }

  /// Members in the order that was set; those that it does not name come last.
  private func ordered(_ objects: [ManagedObject], _ key: OwnerKey) -> [ManagedObject] {
    guard let order = relationships.orders[key] else { return objects }
    let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
    return objects.enumerated().sorted { left, right in
      (places[left.element._key] ?? .max, left.offset)
        < (places[right.element._key] ?? .max, right.offset)
    }.map(\.element)
  }
}
