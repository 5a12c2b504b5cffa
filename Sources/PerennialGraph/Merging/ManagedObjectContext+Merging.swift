// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Merging: one object takes over what the policy lets it have of another, which then stands for it.
//
// Invariants, when `merge` returns:
// 1. Nothing in the context refers to the loser: to-one slots, pairs and orders name the survivor.
// 2. Both sides of every relationship of the survivor agree.
// 3. The loser has no row, no edit record and no place in the identity map. If it had a stored row, a
//    deleted object, its tombstone, has that place, and the next save deletes the row.

extension ManagedObjectContext {
  /// Merges the loser of two equal objects into the survivor, for which it then stands.
  ///
  /// What the survivor gets of what was assigned to the loser is a change, even of an equal value: what
  /// is stored may be another one when it is saved. Only a save may leave that out, which has just read
  /// the survivor.
  ///
  /// - Parameters:
  ///   - twins: The two objects.
  ///   - policy: Says whose values the survivor gets.
  ///   - countsEqualValues: Whether a survivor without changes has some when all that it gets is equal.
  /// - Throws: The store's error.
  func merge(
    _ twins: Twins,
    _ policy: MergePolicy,
    countsEqualValues: Bool = true
  ) throws(PerennialError) {
    let (loser, survivor) = (twins.loser, twins.survivor)
    if let home = loser._home, loser._row != nil, loser !== survivor, !survivor.isDeleted,
      !survivor.isForwarding
    {
      try absorb(twins, home, policy, countsEqualValues: countsEqualValues)
    }
  }

  /// Merges two objects that are there, and two.
  private func absorb(
    _ twins: Twins,
    _ home: UnsafeMutablePointer<EntityHome>,
    _ policy: MergePolicy,
    countsEqualValues: Bool
  ) throws(PerennialError) {
    let (loser, survivor) = (twins.loser, twins.survivor)
    // What was done to either before cannot be told apart afterwards.
    defer { undoManager?.removeAllActions() }
    let reference = loser._reference
    _ = survivor._loadedRow()
    let edit = loser.beginEdit()
    let choices = choices(twins, edit, policy, countsEqualValues: countsEqualValues)
    let absorbedID = loser.objectID
    let places = try keepPlaces(of: loser, for: survivor)
    defer { give(places, to: survivor, from: loser) }
    for (index, relationship) in twins.layout.toManys.enumerated() {
      try moveMembers(of: loser, relationship, index, to: survivor)
    }
    for choice in choices where twins.layout.slots[choice.slot].storage != .reference {
      if choice.decision.source == .ours {
        let value = PackedRow.slotValue(loser._loadedRow(), choice.slot, of: twins.layout)
        survivor._store(value, choice.slot)
      }
    }
    for slot in twins.layout.referenceSlots {
      let isOurs = choices.first { $0.slot == slot }?.decision.source == .ours
      moveTarget(slot, of: loser, to: isOurs ? survivor : nil, survivor)
    }
    let ours = choices.filter { $0.decision.source == .ours }
    // The unique values say which one the survivor is; derived ones follow the others.
    if countsEqualValues || survivor._hasEdits {
      for choice in ours
      where !twins.slots.contains(choice.slot)
        && survivor._home?.pointee.derivations?.slots.contains(choice.slot) != true
      {
        markChanged(choice.slot, of: survivor)
      }
    }
    // When it has got others besides, it may yet be absorbed by an object that has those, and hands these on.
    let others = layout(of: survivor).constraints.filter { $0 != twins.slots }
    if others.contains(where: survivor.hasChanged) {
      for choice in ours where choice.isAssigned && twins.slots.contains(choice.slot) {
        markChanged(choice.slot, of: survivor)
      }
    }
    for choice in ours {
      survivor.setStamp(choice.slot, choice.stamp, isAssigned: choice.isAssigned)
    }
    try moveNamelessPairs(of: loser, to: survivor)
    redirectReferences(from: loser, to: survivor)
    try redirectStoredReferences(from: loser, to: survivor)
    if loser._key < 0 { aliases[absorbedID] = survivor }
    membershipStamp &+= 1
    mutationCount &+= 1
    let tombstone = makeTombstone(of: loser, home)
    discardRow(of: loser, home)
    forward(loser, to: survivor)
    if let tombstone { bury(tombstone, for: loser, home) }
    passMerge(of: reference, into: survivor._reference)
    if survivor._hasEdits { survivor._home?.pointee.noteKeyChange(of: survivor) }
    merging.touched[ObjectIdentifier(survivor)] = survivor
    report(twins, policy, absorbedID, choices)
  }

  /// Merges an object whose counterpart in the parent was merged.
  func merge(_ loser: ManagedObject, into survivor: ManagedObject) throws(PerennialError) {
    let twins = Twins(
      loser: loser,
      survivor: survivor,
      layout: layout(of: loser),
      constraint: nil
    )
    try merge(twins, .mergeByPropertyObjectTrump)
  }

  /// A decision, and when the loser's slot was assigned: a value is as old as its assignment, however
  /// often it is handed on.
  ///
  /// What was never assigned is as old as the unique values of the loser.
  private typealias SlotChoice = (
    slot: Int, decision: MergePolicy.Kind.Decision, isAssigned: Bool, stamp: UInt32
  )

  /// Whose value each property of the survivor gets; none for those that are equal on both sides.
  ///
  /// Safe because both objects are held, and their rows are read at once.
  private func choices(
    _ twins: Twins,
    _ edit: UnsafeMutablePointer<EditRecord>,
    _ policy: MergePolicy,
    countsEqualValues: Bool
  ) -> [SlotChoice] {
    let (row, kept) = (twins.loser._loadedRow(), twins.survivor._loadedRow())
    let layout = twins.layout
    let isNew = twins.loser.isNew
    // What the survivor has may be out of date: see `merge`. With `overwrite` one change is enough, the
    // whole object is saved then.
    let blanksEqual =
      switch twins.survivor._state {
      case .updated: policy == .mergeByPropertyObjectTrumpOverwritingUnset
      case nil:
        countsEqualValues
          && [.mergeByPropertyObjectTrumpOverwritingUnset, .overwrite].contains(policy)
      default: false
      }
    let givenLast = twins.slots.map { EditRecord.stamp(edit, layout, $0) }.max(by: isEarlier)
    return layout.slots.indices.compactMap { slot in
      let isAssigned = EditRecord.isChanged(edit, slot)
      let stamp = isAssigned ? EditRecord.stamp(edit, layout, slot) : givenLast ?? 0
      let pair = PropertyPair(
        isRelationship: layout.slots[slot].storage == .reference,
        isAssigned: isAssigned,
        isAssignedLater: twins.survivor.hasAssigned(slot, after: stamp),
        isSurvivorEmpty: PackedRow.isNull(kept, slot)
      )
      // A stored row that is absorbed gives what was changed in it, and nothing by chance.
      if !isNew, !isAssigned, policy != .overwrite { return nil }
      if !isAssigned, !blanksEqual, SlotKeyHash.areSame(row, kept, slot, layout) { return nil }
      return (slot, policy.kind.decide(pair), isAssigned, stamp)
    }
  }

  private func report(
    _ twins: Twins,
    _ policy: MergePolicy,
    _ absorbedID: ManagedObjectID,
    _ choices: [SlotChoice]
  ) {
    let united = twins.layout.toManys.map {
      MergeReport.Choice(property: $0.name, source: .both, reason: .united)
    }
    let properties = choices.map {
      MergeReport.Choice(
        property: twins.layout.slots[$0.slot].name,
        source: $0.decision.source,
        reason: $0.decision.reason
      )
    }
    note(
      twins.survivor,
      absorbedID,
      .constraint(twins.names),
      policy,
      .absorbed,
      properties + united
    )
  }

  private func moveMembers(
    of loser: ManagedObject,
    _ relationship: RelationshipLayout,
    _ index: Int,
    to survivor: ManagedObject
  ) throws(PerennialError) {
    for member in try members(of: loser, relationship) where !member.isDeleted {
      if let side = relationship.side {
        removePair(loser, member, side)
      } else if let slot = relationship.inverseSlot {
        member._writeReference(slot, nil)
      }
      if member !== survivor, member !== loser { survivor._insertMember(index, member) }
    }
    relationships.orders[ownerKey(loser, relationship)] = nil
    relationships.orderedOwners[ownerKey(loser, relationship)] = nil
  }

  /// Empties a to-one slot of the loser, on both sides, and fills the receiver's.
  private func moveTarget(
    _ slot: Int,
    of loser: ManagedObject,
    to receiver: ManagedObject?,
    _ survivor: ManagedObject
  ) {
    let target = object(forNonzero: loser._currentReference(slot))
    if let target {
      if let inverse = loser._relationship(slot)?.inverseSlot, !target.isDeleted,
        target._names(loser._reference, inverse)
      {
        target._writeReference(inverse, nil)
      }
      loser._writeReference(slot, nil)
    }
    guard let receiver, target !== survivor, target !== loser, target?.isDeleted != true else {
      return
    }
    receiver._setTarget(slot, target)
  }

  /// Makes a slot of an object with a row count as changed, whatever its value.
  func markChanged(_ slot: Int, of object: ManagedObject) {
    if object._edit == nil, object._row != nil, !object._isFrozen {
      object.beginEdit()
      if homes.pointee.writeStamp != 0 { touch(object) }
    }
    if let edit = object._edit { EditRecord.markChanged(edit, slot) }
  }

  /// An object for the stored row of a merged one.
  private func makeTombstone(
    of loser: ManagedObject,
    _ home: UnsafeMutablePointer<EntityHome>
  ) -> ManagedObject? {
    guard let edit = loser._edit, let row = edit.pointee.committedRow else { return nil }
    let page = edit.pointee.committedPage?.takeUnretainedValue()
    return home.pointee.type.init(
      _seed: ObjectSeed(home: home, key: loser._key, row: row, page: page)
    )
  }

  /// Puts a deleted object in the place of a merged one, so that its row is not seen any more.
  private func bury(
    _ tombstone: ManagedObject,
    for loser: ManagedObject,
    _ home: UnsafeMutablePointer<EntityHome>
  ) {
    home.pointee.root.pointee.map.insert(tombstone._key, tombstone)
    let edit = tombstone.makeEdit(.deleted)
    edit.pointee.isPropagated = true
    if home.pointee.writeStamp != 0 { touch(tombstone, as: .live) }
    absorbed.append((loser, tombstone))
  }
}

extension ManagedObject {
  /// Whether a slot was assigned here after a moment.
  fileprivate final func hasAssigned(_ slot: Int, after stamp: UInt32) -> Bool {
    guard let edit = _edit, let home = _home, EditRecord.isChanged(edit, slot) else { return false }
    return isEarlier(stamp, EditRecord.stamp(edit, home.pointee.layout, slot))
  }

  /// Notes when a slot was assigned; one that never was is none of a new object's assigned ones.
  fileprivate final func setStamp(_ slot: Int, _ stamp: UInt32, isAssigned: Bool) {
    guard let edit = _edit, let home = _home, home.pointee.stampOffset != 0 else { return }
    if !isAssigned, isNew { EditRecord.clearChanged(edit, slot) }
    EditRecord.setStamp(edit, slot, offset: home.pointee.stampOffset, Int(stamp))
  }
}

/// Whether one stamp is earlier than another; they wrap.
private func isEarlier(_ left: UInt32, _ right: UInt32) -> Bool {
  Int32(bitPattern: right &- left) > 0
}
