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
  ///
  /// They are what is stored, without what was removed, with what was added. Where others may have stored the same, or
  /// something else, an object without edits is where the store has it, and one with edits is where it is here.
  func members(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [ManagedObject] {
    let key = ownerKey(owner, relationship)
    var objects = try storedMembers(of: owner, relationship, key)
    let delta = delta(relationship)
    let removed = delta?.removed(from: owner._key) ?? []
    if !removed.isEmpty { objects.removeAll { removed.contains($0._key) } }
    let added = (delta?.added(to: owner._key)?.elements ?? []).map { object(for: $0) }
    if areInDoubt(owner, relationship) {
      var edited: [ManagedObject] = []
      if let slot = slotKey(relationship) {
        objects.removeAll { $0._edit != nil && !refers($0, slot.slot, to: owner) }
        edited = relationships.edited[slot]?.objects(of: owner._key, in: self) ?? []
        edited.removeAll { !refers($0, slot.slot, to: owner) || removed.contains($0._key) }
      }
      var known = Set(objects.lazy.map(\._key))
      objects += (edited + added).filter { known.insert($0._key).inserted }
    } else {
      objects += added
    }
    return relationship.isOrdered ? ordered(objects, key) : objects
  }

  /// Whether the store may have others than it had when the rows of an owner and of changed objects were read.
  ///
  /// New objects raise no doubt: nobody else knows them.
  func areInDoubt(_ owner: ManagedObject, _ relationship: RelationshipLayout) -> Bool {
    guard isKnownAbove(owner), mayHaveMissedSaves else { return false }
    if let side = relationship.side {
      guard let delta = relationships.delta(side), parent != nil || delta.joinsStored else {
        return false
      }
      return delta.added(to: owner._key) != nil || delta.removed(from: owner._key) != nil
    }
    guard let key = slotKey(relationship) else { return false }
    let family = homes[key.entity].family
    relationships.edited[key, default: EditedMembers()]
      .note(in: self, family: family, slot: key.slot)
    return relationships.edited[key]?.isEmpty == false
  }

  /// The members that the store has, with their rows; one round trip unless all are still here.
  func storedMembers(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout,
    _ key: OwnerKey
  ) throws(PerennialError) -> [ManagedObject] {
    guard isKnownAbove(owner) else { return [] }
    if let known = loadedMembers(relationship, key) { return known }
    let objects = try fetchMembers(of: owner, relationship, key)
    relationships.loaded[key] = OrderedReferences(objects.lazy.map(\._reference))
    // Objects that their hooks delete stay: their deletion is a pending change like another.
    for object in objects { awaken(object) }
    tellRefetched()
    return objects
  }

  /// The members that were loaded before, unless one of them has gone since.
  private func loadedMembers(
    _ relationship: RelationshipLayout,
    _ key: OwnerKey
  ) -> [ManagedObject]? {
    guard let loaded = relationships.loaded[key] else { return nil }
    let root = homes[relationship.destination].root
    var objects: [ManagedObject] = []
    for reference in loaded.elements {
      guard let known = root.pointee.map.find(reference.key)?.takeUnretainedValue(),
        known._row != nil
      else { return nil }
      objects.append(known)
    }
    return objects
  }

  /// The number of members: one query when they are not loaded.
  ///
  /// They are counted one by one where others may have stored what is pending here.
  func memberCount(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> Int {
    if areInDoubt(owner, relationship) {
      return try members(of: owner, relationship).count
    }
    var count = 0
    let key = ownerKey(owner, relationship)
    if let loaded = relationships.loaded[key] {
      count = loaded.count
    } else if isKnownAbove(owner) {
      count = try fetchMemberCount(of: owner, relationship, key)
    }
    guard let delta = delta(relationship) else { return count }
    count -= delta.removed(from: owner._key)?.count ?? 0
    count += delta.added(to: owner._key)?.count ?? 0
    return count
  }

  /// Whether an object with a row is not deleted, and its slot names another.
  func refers(_ object: ManagedObject, _ slot: Int, to target: ManagedObject) -> Bool {
    !object.isDeleted && object._currentReference(slot).key == target._key
  }

  /// Whether an object is a member: by its to-one slot, or one EXISTS when pairs are not loaded.
  func isMember(
    _ member: ManagedObject,
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> Bool {
    guard let home = member._home,
      store.model.entities[relationship.destination].family.contains(home.pointee.layout.index)
    else { return false }
    if let slot = relationship.inverseSlot {
      guard !member.isDeleted else { return false }
      if faulting.readsLazily, let error = lazyLoadError(of: member, inverseName(relationship)) {
        throw error
      }
      return PackedRow.reference(member._loadedRow(), slot).key == owner._key
    }
    if let delta = delta(relationship) {
      if delta.added(to: owner._key)?.contains(key: member._key) == true { return true }
      if delta.removed(from: owner._key)?.contains(member._key) == true { return false }
    }
    guard isKnownAbove(owner), isKnownAbove(member) else { return false }
    if let known = try membersAtHand(of: owner, relationship, ownerKey(owner, relationship)) {
      return known.contains(key: member._key)
    }
    try checkLazyLoad(of: owner, relationship)
    return try store.count(
      StoreQuery(
        entity: relationship.destination,
        scope: .relatedMember(relationship, owner: owner._key, member: member._key)
      )
    ) > 0
  }

  private func inverseName(_ relationship: RelationshipLayout) -> String {
    relationship.inverse?.name ?? relationship.name
  }

  func ownerKey(_ owner: ManagedObject, _ relationship: RelationshipLayout) -> OwnerKey {
    guard case .toMany(let index) = relationship.place else {
      preconditionFailure("'\(relationship.name)' is not a to-many relationship.")
    }
    return OwnerKey(entity: relationship.entity, toMany: index, owner: owner._key)
  }

  func relatedQuery(
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
    return slotKey(relationship).map { index($0) }
  }

  /// The to-one slot that a to-many relationship is stored in.
  private func slotKey(_ relationship: RelationshipLayout) -> SlotKey? {
    guard let inverse = relationship.inverse, let slot = relationship.inverseSlot else {
      return nil
    }
    return SlotKey(entity: inverse.entity, slot: slot)
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
    if let former = relationships.formerSlots.removeValue(forKey: key) {
      restoreOrder(of: former, in: &index, key)
    }
    relationships.slots[key] = index
    return index
  }

  /// Gives the members of a new index the order that they had in the former one; also those that had gone and come
  /// back to another place, of which their slots tell nothing.
  private func restoreOrder(
    of former: MembershipDelta,
    in index: inout MembershipDelta,
    _ key: SlotKey
  ) {
    for (owner, member) in former.returns {
      guard let object = known(ObjectReference(key: member, entity: key.entity)),
        object._row != nil, !object.isDeleted,
        object._committedReference(key.slot).key == owner,
        object._currentReference(key.slot).key == owner
      else { continue }
      index.remove(member, from: owner)
      index.add(object._reference, to: owner, isOrdered: true)
    }
    index.takeOrder(of: former)
  }

  /// Members in the order that was set; those that it does not name come last.
  ///
  /// Others have saved these. From now on they are named, so that what is added comes after them.
  private func ordered(_ objects: [ManagedObject], _ key: OwnerKey) -> [ManagedObject] {
    guard let order = relationships.orders[key] else { return objects }
    let sorted = objects.enumerated().sorted { left, right in
      (order.place(of: left.element._key) ?? .max, left.offset)
        < (order.place(of: right.element._key) ?? .max, right.offset)
    }.map(\.element)
    for object in sorted where order.place(of: object._key) == nil {
      relationships.orders[key]?.append(object._reference)
    }
    return sorted
  }
}

// Keeping up with changes.

extension ManagedObjectContext {
  /// Makes the index that an ordered inverse needs, before a slot changes: who came when cannot be
  /// told afterwards.
  func prepareMove(_ relationship: RelationshipLayout, _ slot: Int) {
    guard relationship.isInverseOrdered else { return }
    let key = SlotKey(entity: relationship.entity, slot: slot)
    if relationships.slots[key] == nil { _ = index(key) }
  }

  /// Notes that a to-one slot changed, in the index if anybody asked for it and in the order.
  func noteMove(
    of member: ManagedObject,
    _ relationship: RelationshipLayout,
    _ slot: Int,
    from old: Int64,
    to owner: ManagedObject?
  ) {
    membershipStamp &+= 1
    let new = owner?._key ?? 0
    guard let inverse = relationship.inverse, case .toMany(let number) = inverse.place, old != new
    else { return }
    defer {
      if homes[inverse.entity].writeStamp != 0 {
        noteMembers(number, of: inverse.entity, owners: old, new)
      }
    }
    let key = SlotKey(entity: relationship.entity, slot: slot)
    if old != 0, relationships.keepsMembers {
      relationships.slots[key]?.remove(member._key, from: old)
      relationships.removeFromOrder(
        member._key,
        OwnerKey(entity: inverse.entity, toMany: number, owner: old)
      )
    }
    // Not by optional chaining alone: an access to a place in a dictionary costs allocations.
    guard let owner, inverse.isOrdered || relationships.keepsMembers else { return }
    let comesLast = inverse.isOrdered && !relationships.keepsStoredPlaces
    relationships.slots[key]?.add(member._reference, to: new, isOrdered: comesLast)
    guard inverse.isOrdered else { return }
    relationships.appendToOrder(
      member._reference,
      OwnerKey(entity: inverse.entity, toMany: number, owner: new),
      owner
    )
  }

  /// Notes that two objects are linked, which they were not.
  func addPair(
    _ owner: ManagedObject,
    _ member: ManagedObject,
    _ side: RelationshipLayout.Side
  ) {
    membershipStamp &+= 1
    pairCount &+= 1
    if undoRegistration.isActive { noteUndo(.addedPair(owner: owner, member, side)) }
    let link = store.model.links[side.link]
    let (first, second) = side.isFirst ? (owner, member) : (member, owner)
    relationships.addPair(first._reference, second._reference, link: link)
    if let key = orderKey(of: first._key, link, isFirst: true) {
      relationships.appendToOrder(second._reference, key, first)
    }
    if let key = orderKey(of: second._key, link, isFirst: false) {
      relationships.appendToOrder(first._reference, key, second)
    }
    hold(first, second, link)
  }

  /// Notes that two objects are no longer linked, which they were.
  func removePair(
    _ owner: ManagedObject,
    _ member: ManagedObject,
    _ side: RelationshipLayout.Side
  ) {
    if undoRegistration.isActive {
      noteUndo(ofOrdersOf: owner, member, side)
      noteUndo(.removedPair(owner: owner, member, side))
    }
    membershipStamp &+= 1
    pairCount &+= 1
    let link = store.model.links[side.link]
    let (first, second) = side.isFirst ? (owner, member) : (member, owner)
    relationships.removePair(first._key, second._key, link: link)
    if let key = orderKey(of: first._key, link, isFirst: true) {
      relationships.removeFromOrder(second._key, key)
    }
    if let key = orderKey(of: second._key, link, isFirst: false) {
      relationships.removeFromOrder(first._key, key)
    }
    hold(first, second, link)
  }

  /// Holds the objects of a pair that changed, and tells of them.
  private func hold(_ first: ManagedObject, _ second: ManagedObject, _ link: LinkLayout) {
    relationships.pairOwners[ObjectIdentifier(first)] = first
    if link.second.name != nil { relationships.pairOwners[ObjectIdentifier(second)] = second }
    if homes.pointee.writeStamp != 0 { notePair(first, second, link) }
  }

  /// What names the order of an owner's linked objects; `nil` when they have none.
  func orderKey(of owner: Int64, _ link: LinkLayout, isFirst: Bool) -> OwnerKey? {
    let side =
      isFirst || link.isSymmetric
      ? (link.first.entity, link.first.name, link.first.isOrdered)
      : (link.second.entity, link.second.name ?? "", link.second.isOrdered)
    guard side.2, let number = store.model.entities[side.0].toManysByName[side.1] else {
      return nil
    }
    return OwnerKey(entity: side.0, toMany: number, owner: owner)
  }
}
