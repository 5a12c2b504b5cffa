// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Merging: one object takes over what was assigned to another, which then stands for it.

extension ManagedObjectContext {
  /// Finds changed objects with the same unique values, and merges them if the policy allows.
  ///
  /// Merging changes values, and so may make other objects equal: it goes on until none are.
  ///
  /// - Returns: Whether any were merged.
  /// - Throws: With the policy `error`, or when one cannot stand for the other, 133,021 and a problem
  ///   for each; the changes stay.
  @discardableResult
  func enforceConstraintsAmongChanges() throws(PerennialError) -> Bool {
    var problems: [PerennialError] = []
    var hasMerged = false
    var refused: [ManagedObject] = []
    while let index = homeIndexes.first(where: { !homes[$0].keyChanges.isEmpty }) {
      let layout = homes[index].layout
      let candidates = homes[index].keyChanges
      homes[index].keyChanges = []
      if candidates.count > 64 { constraintIndex.reserve(candidates.count, of: layout) }
      for object in candidates where object.hasChanges && !object.isDeleted {
        for number in layout.constraints.indices {
          guard let twin = constraintIndex.enter(object, constraint: number, of: layout) else {
            continue
          }
          if let (loser, survivor) = roles(object, twin) {
            try merge(loser, into: survivor)
            hasMerged = true
          } else {
            problems.append(constraintProblem(object, layout, number))
            refused.append(object)
          }
          break
        }
      }
    }
    for object in refused { object._home?.pointee.noteKeyChange(of: object) }
    if let error = PerennialError.combined(problems, code: .managedObjectConstraintMerge) {
      throw error
    }
    return hasMerged
  }

  /// Which of two equal objects goes: the newer one, a new one rather than a stored one.
  ///
  /// - Returns: `nil` when neither may.
  private func roles(
    _ object: ManagedObject,
    _ twin: ManagedObject
  ) -> (loser: ManagedObject, survivor: ManagedObject)? {
    guard mergePolicy != .error else { return nil }
    let twinSurvives = twin._state == .updated || object._state == .inserted
    let (loser, survivor) = twinSurvives ? (object, twin) : (twin, object)
    if canMerge(loser, into: survivor) { return (loser, survivor) }
    let areAlike = object._state == twin._state
    return areAlike && canMerge(survivor, into: loser) ? (survivor, loser) : nil
  }

  /// Whether an object has every property of another, so that the other can stand for it.
  func canMerge(_ loser: ManagedObject, into survivor: ManagedObject) -> Bool {
    guard let home = loser._home, let target = survivor._home else { return false }
    return home.pointee.layout.family.contains(target.pointee.layout.index)
  }

  func constraintProblem(
    _ object: ManagedObject,
    _ layout: EntityLayout,
    _ number: Int
  ) -> PerennialError {
    .constraintConflict(
      entity: layout.name,
      constraint: layout.constraints[number].map { layout.slots[$0].name },
      object.objectID
    )
  }

  /// Gives one object's assigned values and to-many members to another, for which it then stands.
  ///
  /// The loser's row, if it has one, is deleted by the save. Afterwards nothing refers to the loser.
  func merge(_ loser: ManagedObject, into survivor: ManagedObject) throws(PerennialError) {
    guard let home = loser._home, let edit = loser._edit, loser !== survivor, !survivor.isDeleted,
      !survivor.isForwarding
    else { return }
    // What was done to either before cannot be told apart afterwards.
    defer { undoManager?.removeAllActions() }
    let layout = home.pointee.layout
    let assigned = EditRecord.changedSlots(edit, layout)
    let reference = loser._reference
    _ = survivor._loadedRow()
    for relationship in layout.toManys {
      try moveMembers(of: loser, relationship, to: survivor)
    }
    for slot in assigned where layout.slots[slot].storage != .reference {
      copy(slot, of: layout, loser, to: survivor)
    }
    for slot in layout.referenceSlots {
      moveTarget(slot, of: loser, to: assigned.contains(slot) ? survivor : nil, survivor)
    }
    moveNamelessPairs(of: loser, to: survivor)
    redirectReferences(from: loser, to: survivor)
    if loser._key < 0 { aliases[loser.objectID] = survivor }
    membershipStamp &+= 1
    let tombstone = makeTombstone(of: loser)
    discardRow(of: loser)
    forward(loser, to: survivor)
    if let tombstone { bury(tombstone, for: loser) }
    passMerge(of: reference, into: survivor._reference)
    if survivor.hasChanges { survivor._home?.pointee.noteKeyChange(of: survivor) }
  }

  private func moveMembers(
    of loser: ManagedObject,
    _ relationship: RelationshipLayout,
    to survivor: ManagedObject
  ) throws(PerennialError) {
    guard case .toMany(let index) = relationship.place else { return }
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

  /// Empties a to-one slot of the loser, on both sides, and fills the survivor's.
  private func moveTarget(
    _ slot: Int,
    of loser: ManagedObject,
    to receiver: ManagedObject?,
    _ survivor: ManagedObject
  ) {
    let target = object(forNonzero: loser._currentReference(slot))
    if let target {
      if case .slot(let inverse) = loser._relationship(slot)?.inverse?.place, !target.isDeleted,
        PackedRow.reference(target._loadedRow(), inverse).key == loser._key
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

  /// Moves the pending pairs of to-many relationships that have no inverse.
  private func moveNamelessPairs(of loser: ManagedObject, to survivor: ManagedObject) {
    guard let entity = loser._home?.pointee.layout.index else { return }
    for (number, changes) in relationships.links {
      let link = store.model.links[number]
      guard link.second.name == nil,
        store.model.entities[link.second.entity].family.contains(entity)
      else { continue }
      for (owner, member) in changes.fromFirst.additions where member.key == loser._key {
        relationships.removePair(owner, loser._key, link: link)
        if changes.fromFirst.added(to: owner)?.contains(key: survivor._key) != true {
          let first = ObjectReference(key: owner, entity: link.first.entity)
          relationships.addPair(first, survivor._reference, link: link)
        }
      }
    }
  }

  /// An object for the stored row of a merged one.
  private func makeTombstone(of loser: ManagedObject) -> ManagedObject? {
    guard let home = loser._home, let edit = loser._edit, let row = edit.pointee.committedRow else {
      return nil
    }
    let page = edit.pointee.committedPage?.takeUnretainedValue()
    return home.pointee.type.init(
      _seed: ObjectSeed(home: home, key: loser._key, row: row, page: page)
    )
  }

  /// Puts a deleted object in the place of a merged one, so that its row is not seen any more.
  private func bury(_ tombstone: ManagedObject, for loser: ManagedObject) {
    guard let home = tombstone._home else { return }
    home.pointee.root.pointee.map.insert(tombstone._key, tombstone)
    let edit = tombstone.makeEdit(.deleted)
    edit.pointee.isPropagated = true
    if home.pointee.writeStamp != 0 { touch(tombstone, as: .live) }
    absorbed.append((loser, tombstone))
  }

  private func copy(
    _ slot: Int,
    of layout: EntityLayout,
    _ loser: ManagedObject,
    to survivor: ManagedObject
  ) {
    guard let row = loser._row else { return }
    survivor._store(PackedRow.slotValue(row, slot, of: layout), slot)
  }

  /// Makes the to-one slots of changed objects that name the loser name the survivor.
  private func redirectReferences(from loser: ManagedObject, to survivor: ManagedObject) {
    guard let loserIndex = loser._home?.pointee.layout.index else { return }
    for index in homeIndexes where !homes[index].changed.isEmpty {
      for slot in homes[index].layout.referenceSlots {
        guard let relationship = homes[index].layout.slots[slot].relationship,
          relationship.inverse == nil,
          store.model.entities[relationship.destination].family.contains(loserIndex)
        else { continue }
        for object in homes[index].changedObjects
        where object !== loser && object._currentReference(slot) == loser._reference {
          object._writeReference(slot, survivor)
        }
      }
    }
  }

  /// Puts this context's changes of an object on top of the row that the store has now.
  func rebase(_ object: ManagedObject, onto stored: PageRow?) {
    guard let home = object._home, let edit = object._edit else { return }
    guard let stored else {
      edit.pointee.committedPage?.release()
      edit.pointee.committedPage = nil
      edit.pointee.committedRow = nil
      edit.pointee.reservedKey = object._key
      object.set(.isGone, false)
      if edit.pointee.state == .updated { edit.pointee.state = .inserted }
      return
    }
    let layout = home.pointee.layout
    forgetMoves(of: object, ifCommittedDiffersFrom: stored.pointer, layout)
    edit.pointee.committedPage?.release()
    edit.pointee.committedPage = .passRetained(stored.page)
    edit.pointee.committedRow = stored.pointer
    for slot in layout.slots.indices where !EditRecord.isChanged(edit, slot) {
      takeStored(slot, of: layout, stored.pointer, object)
    }
    if let row = object._row {
      // Safe because the row of an object with an edit record is its private one.
      PackedRow.setHeader(
        UnsafeMutableRawPointer(mutating: row),
        key: object._key,
        version: stored.version,
        entity: layout.index
      )
    }
  }

  // Safe because the caller holds the page of the row, and the values are copied.
  private func takeStored(
    _ slot: Int,
    of layout: EntityLayout,
    _ row: UnsafeRawPointer,
    _ object: ManagedObject
  ) {
    object._store(PackedRow.slotValue(row, slot, of: layout), slot)
    if let edit = object._edit { EditRecord.clearChanged(edit, slot) }
  }

  /// Drops the indexes that know of another committed target of a slot; they are made anew.
  private func forgetMoves(
    of object: ManagedObject,
    ifCommittedDiffersFrom row: UnsafeRawPointer,
    _ layout: EntityLayout
  ) {
    for slot in layout.referenceSlots
    where object._committedReference(slot) != PackedRow.reference(row, slot) {
      relationships.slots[SlotKey(entity: layout.slots[slot].entity, slot: slot)] = nil
    }
  }
}
