// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// The steps of undoing: objects go and come back, slots get old values.
//
// Safe because a private row belongs to a live object, and no pointer to it is kept across a write.

extension ManagedObjectContext {
  /// Gives a slot an old value, and to the index what follows; the other side has its own entry.
  ///
  /// A reference to a row that has gone, or to an object that is deleted, becomes none.
  ///
  /// - Returns: Whether the object takes changes.
  func set(
    _ value: UndoValue,
    _ slot: Int,
    of object: ManagedObject,
    isAssigned: Bool,
    _ targets: UndoTargets
  ) -> Bool {
    guard object._loaded() === object, !object._isFrozen else { return false }
    if object._relationship(slot) != nil {
      let reference = reference(value)
      let target = targets.isGone(reference) ? nil : self.object(forNonzero: reference)
      object._writeReference(slot, target?.isDeleted == true ? nil : target)
    } else {
      switch value {
      case .null, .object: object._store(.null, slot)
      case .word(let word): object._store(.word(word), slot)
      case .bytes(let bytes): bytes.withUnsafeBytes { object._store(.bytes($0), slot) }
      }
    }
    unmarkIfUnchanged(slot, of: object, isAssigned)
    for copy in object._home?.pointee.derivations?.copies[slot] ?? [] {
      unmarkIfUnchanged(copy.slot, of: object)
    }
    return true
  }

  /// A slot that has its committed value again, or was never assigned, does not count as changed.
  func unmarkIfUnchanged(_ slot: Int, of object: ManagedObject, _ isAssigned: Bool = true) {
    guard let edit = object._edit, let row = object._row, let home = object._home else { return }
    guard let committed = edit.pointee.committedRow else {
      if !isAssigned, edit.pointee.state == .inserted { EditRecord.clearChanged(edit, slot) }
      return
    }
    let layout = home.pointee.layout
    let isEqual: Bool
    if PackedRow.isNull(row, slot) || PackedRow.isNull(committed, slot) {
      isEqual = PackedRow.isNull(row, slot) == PackedRow.isNull(committed, slot)
    } else if layout.slots[slot].storage == .bytes {
      isEqual = PackedRow.bytes(row, slot).elementsEqual(PackedRow.bytes(committed, slot))
    } else {
      isEqual = PackedRow.word(row, slot) == PackedRow.word(committed, slot)
    }
    if isEqual { EditRecord.clearChanged(edit, slot) }
  }

  /// The reference that a value stands for now; none for an object that has gone.
  func reference(_ value: UndoValue) -> ObjectReference {
    switch value {
    case .null, .bytes: return ObjectReference(word: 0)
    case .word(let word): return ObjectReference(word: Int64(bitPattern: word))
    case .object(let object):
      let target = object._survivor ?? object
      return target._home == nil ? ObjectReference(word: 0) : target._reference
    }
  }

  /// Makes an object clean again whose changes have all been taken back.
  func endEditIfUnchanged(_ object: ManagedObject) {
    guard let edit = object._edit, let home = object._home, edit.pointee.state == .updated,
      let committed = edit.pointee.committedRow,
      EditRecord.changedSlots(edit, home.pointee.layout).isEmpty
    else { return }
    // Its values are others than when the event began.
    if home.pointee.writeStamp != 0 { notices.note(replayed: object) }
    home.pointee.changed[edit.pointee.place] = nil
    object._row = committed
    object._page = edit.pointee.committedPage?.takeUnretainedValue()
    object._edit = nil
    EditRecord.free(edit)
  }

  /// Takes a new object out of the context, as if it had never been; deletes one that was saved.
  ///
  /// - Returns: Whether it was there.
  func takeOut(_ object: ManagedObject) -> Bool {
    guard let home = object._home, !object.isDeleted else { return false }
    guard let edit = object._edit, edit.pointee.state == .inserted else {
      return deleteAgain(object)
    }
    if edit.pointee.stamp != home.pointee.writeStamp { noteDiscarded(object) }
    reading(()) { () throws(PerennialError) in try unlink(object, home.pointee.layout) }
    if undoRegistration.isActive { noteUndo(ofOrdersAround: object) }
    noteDepartures(of: object)
    for relationship in home.pointee.layout.toManys {
      relationships.forget(ownerKey(object, relationship))
    }
    if let place = object._edit?.pointee.place { home.pointee.changed[place] = nil }
    home.forget(key: object._key, of: object)
    object._leave(self, isGone: true)
    mutationCount &+= 1
    noteUndo(.withdrawal(object))
    return true
  }

  /// Deletes an object without asking it to prepare.
  ///
  /// - Returns: Whether it was there.
  func deleteAgain(_ object: ManagedObject) -> Bool {
    guard object._loaded() === object, object._home != nil, !object.isDeleted else { return false }
    markDeleted(object)
    return true
  }

  /// Takes an object out of relationships that were changed without a note, whatever their rule.
  private func unlink(
    _ object: ManagedObject,
    _ layout: EntityLayout
  ) throws(PerennialError) {
    for relationship in layout.toManys {
      for member in try members(of: object, relationship) {
        if let side = relationship.side {
          removePair(object, member, side)
        } else if let slot = relationship.inverseSlot {
          member._writeReference(slot, nil)
        }
      }
    }
    for slot in layout.referenceSlots where object._relationship(slot)?.inverseSlot != nil {
      object._setTarget(slot, nil)
    }
  }

  /// Lets go of the objects that are out of the context.
  func forgetAbsentees() {
    let held = (homeIndexes.map { homes[$0].keyChanges }, relationships.pairOwners)
    for (index, objects) in held.0.enumerated() where !objects.isEmpty {
      homes[index].keyChanges = objects.filter { $0._home != nil }
    }
    for index in homeIndexes where merging.hasNewcomers { forgetAbsentNewcomers(index) }
    if !held.1.isEmpty { relationships.pairOwners = held.1.filter { $0.value._home != nil } }
    withExtendedLifetime(held) {}
  }

  /// Makes an object live that was deleted or taken out; its references are noted afterwards.
  ///
  /// An object whose deletion has been saved becomes a new one with the same key.
  ///
  /// - Returns: Whether there was anything to do.
  func reinstate(_ object: ManagedObject) -> Bool {
    guard let edit = object._edit, let row = object._row else { return false }
    if object._home != nil {
      guard object.isDeleted else { return false }
      if homes.pointee.writeStamp != 0 { touch(object) }
      // Somebody else has deleted it, too: there is no row to come back to.
      if edit.pointee.state == .deleted, object.has(.isGone) { becomeNew(object, edit) }
      edit.pointee.state = edit.pointee.committedRow == nil ? .inserted : .updated
    } else {
      let home = homes + PackedRow.entity(row)
      if edit.pointee.state == .deleted { becomeNew(object, edit) }
      edit.pointee.state = .inserted
      edit.pointee.place = home.pointee.changed.count
      home.pointee.changed.append(object)
      home.pointee.movesStored = true
      let root = home.pointee.root
      if let other = root.pointee.map.find(object._key)?.takeUnretainedValue() {
        other._becomeGone()
      }
      root.pointee.map.insert(object._key, object)
      retainedObjects?.insert(object)
      object._return(to: home)
    }
    object.set(.isGone, false)
    edit.pointee.isPropagated = false
    object._home?.pointee.noteKeyChange(of: object)
    mutationCount &+= 1
    if object._home?.pointee.writeStamp ?? 0 != 0 { noteReturned(object) }
    return true
  }

  /// Makes every value of an object whose row has gone an assigned one, for another row of that key.
  private func becomeNew(_ object: ManagedObject, _ edit: UnsafeMutablePointer<EditRecord>) {
    let layout = homes[PackedRow.entity(object._mutableRow)].layout
    edit.pointee.committedPage?.release()
    edit.pointee.committedPage = nil
    edit.pointee.committedRow = nil
    edit.pointee.reservedKey = object._key
    for slot in layout.slots.indices where !PackedRow.isNull(object._mutableRow, slot) {
      EditRecord.markChanged(edit, slot)
    }
  }

  /// Tells the other sides of an object's to-one relationships that it is back.
  ///
  /// References by keys that a save has replaced get the new ones; those to nothing become null.
  func noteReferences(of object: ManagedObject, _ targets: UndoTargets) {
    guard let home = object._home else { return }
    for slot in home.pointee.layout.referenceSlots {
      guard let relationship = home.pointee.layout.slots[slot].relationship,
        object._currentReference(slot).key != 0
      else { continue }
      let target = target(of: object, slot, targets)
      noteMove(of: object, relationship, slot, from: 0, to: target)
    }
  }

  /// What a slot of an object that has left the context had then, for another object to have.
  func undoValue(
    of slot: Int,
    _ object: ManagedObject,
    _ layout: EntityLayout,
    _ targets: UndoTargets
  ) -> UndoValue {
    guard let row = object._row else { return .null }
    guard layout.slots[slot].storage == .reference else {
      return UndoValue(PackedRow.slotValue(row, slot, of: layout))
    }
    return target(of: object, slot, targets).map { .object($0) } ?? .null
  }

  private func target(
    of object: ManagedObject,
    _ slot: Int,
    _ targets: UndoTargets
  ) -> ManagedObject? {
    let reference = savedReference(object._currentReference(slot))
    let root = homes[reference.entity].layout.root
    let known = homes[root].map.find(reference.key)?.takeUnretainedValue()
    let row = object._mutableRow
    object._home?.pointee.movesStored = true
    if known?.isDeleted == true || known == nil && reference.key < 0 && parent == nil
      || targets.isGone(reference)
    {
      PackedRow.setWord(row, slot, 0)
      PackedRow.setNull(row, slot, true)
      return nil
    }
    PackedRow.setWord(row, slot, UInt64(bitPattern: reference.word))
    return self.object(for: reference)
  }

  /// A reference by the key that a save has put in the place of a temporary one.
  func savedReference(_ reference: ObjectReference) -> ObjectReference {
    guard reference.key < 0 else { return reference }
    let root = homes[reference.entity].layout.root
    let key = top.temporaryKeys.key(root: root, temporary: reference.key) ?? reference.key
    return ObjectReference(key: key, entity: reference.entity)
  }
}
