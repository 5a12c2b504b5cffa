// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Version conflicts with a deletion on one side: the object goes, comes back, or is stored again.

extension ManagedObjectContext {
  /// Does what a policy says about a changed object whose row was deleted elsewhere.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - policy: The policy.
  ///   - inverses: Takes an object that is stored again.
  func meetDeletion(
    of object: ManagedObject,
    _ policy: MergePolicy,
    _ inverses: inout InverseRepair
  ) {
    guard policy.kind.storesAgain else {
      note(object, nil, .version, policy, .gone, [])
      merging.touched[ObjectIdentifier(object)] = object
      return letGo(ofGone: object)
    }
    storeAgain(object)
    inverses.noteStoredAgain(object)
    merging.touched[ObjectIdentifier(object)] = object
    note(object, nil, .version, policy, .storedAgain, [])
  }

  /// Makes a changed object whose row is gone one that is inserted under its old key.
  func storeAgain(_ object: ManagedObject) {
    if let edit = object._edit {
      edit.pointee.committedPage?.release()
      edit.pointee.committedPage = nil
      edit.pointee.committedRow = nil
      edit.pointee.reservedKey = object._key
      edit.pointee.state = .inserted
    }
    object.set(.isGone, false)
    meetOthers(object)
  }

  /// Lets an object be compared with others, who may have its unique values by now, and be found again by what it
  /// refers to.
  private func meetOthers(_ object: ManagedObject) {
    let layout = layout(of: object)
    if !layout.constraints.isEmpty { homes[layout.index].noteKeyChange(of: object) }
    forgetMoves(of: object, layout)
  }

  /// Takes an object whose row is gone out of the context, with its changes.
  ///
  /// It stays readable, as it was saved. No unsaved change refers to it any more.
  func letGo(ofGone object: ManagedObject) {
    pendingDeletions.remove(object)
    let held = absorbed
    absorbed = held.filter { $0.tombstone !== object }
    defer { withExtendedLifetime(held) {} }
    let layout = layout(of: object)
    let home = homes + layout.index
    emptySlots(naming: object, layout)
    dropPairs(of: object)
    forgetMembership(of: object, layout)
    if home.pointee.writeStamp != 0 { noteDiscarded(object) }
    object.endEdit()
    if object._row == nil { detach(object) }
    home.forget(key: object._key, of: object)
    object._leave(self, isGone: true)
    noteInvalidated(object)
  }

  /// Takes an object that leaves out of the indexes by its to-one slots; to make them anew would cost a
  /// look at all changed objects.
  private func forgetMembership(of object: ManagedObject, _ layout: EntityLayout) {
    for slot in layout.referenceSlots {
      let key = SlotKey(entity: layout.slots[slot].entity, slot: slot)
      relationships.slots[key]?.forget(object._key, of: object._committedReference(slot).key)
      relationships.slots[key]?.forget(object._key, of: object._currentReference(slot).key)
    }
  }

  /// Takes the deletion of an object back, and what it did to the relationships that lead to it.
  ///
  /// Objects that the deletion deleted with it stay deleted.
  func takeBackDeletion(of object: ManagedObject) {
    unmarkDeleted(object)
    let reference = object._reference
    let layout = layout(of: object)
    for index in homeIndexes where !homes[index].changed.isEmpty {
      let slots = slots(of: index, leadingTo: layout.index)
      if slots.isEmpty { continue }
      for holder in homes[index].changedObjects where holder !== object && !holder.isDeleted {
        for slot in slots
        where holder._committedReference(slot) == reference
          && holder._currentReference(slot).key == 0
        {
          holder._writeReference(slot, object)
          if let edit = holder._edit { EditRecord.clearChanged(edit, slot) }
        }
      }
    }
    dropPairs(of: object)
    forgetMoves(of: object, layout)
  }

  /// Empties the to-one slots of an object that has come back which name objects that are still deleted, as the rules
  /// of these say.
  ///
  /// One that comes back later has them filled again.
  func emptySlotsNamingDeleted(of object: ManagedObject) {
    let layout = layout(of: object)
    for slot in layout.referenceSlots {
      guard let inverse = layout.slots[slot].relationship?.inverse,
        let rule = store.model.deleteRule(of: inverse), rule == .nullify || rule == .cascade
      else { continue }
      let target = object._currentReference(slot)
      if target.key != 0, known(target)?.isDeleted == true { object._writeReference(slot, nil) }
    }
  }

  /// Empties the to-one slots of the other changed objects that name an object, but not those of deleted ones.
  private func emptySlots(naming object: ManagedObject, _ layout: EntityLayout) {
    let reference = object._reference
    merging.holders.noteQuestion()
    for index in homeIndexes where !homes[index].changed.isEmpty {
      var found: [(place: Int, slot: Int, holder: ManagedObject)] = []
      for slot in slots(of: index, leadingTo: layout.index) {
        for holder in holders(of: reference, index, slot)
        where holder !== object && holder._currentReference(slot) == reference {
          if let edit = holder._edit { found.append((edit.pointee.place, slot, holder)) }
        }
      }
      found.sort { ($0.place, $0.slot) < ($1.place, $1.slot) }
      for (_, slot, holder) in found
      where !holder.isDeleted && holder._currentReference(slot) == reference {
        holder._writeReference(slot, nil)
      }
    }
  }

  /// The to-one slots of an entity that may name objects of another.
  private func slots(of index: Int, leadingTo destination: Int) -> [Int] {
    homes[index].layout.referenceSlots.filter {
      homes[index].target($0)?.family.contains(destination) == true
    }
  }

  /// Makes a deleted object a changed or a new one again; what the deletion did to others stays.
  func unmarkDeleted(_ object: ManagedObject) {
    if let edit = object._edit {
      edit.pointee.state = edit.pointee.committedRow == nil ? .inserted : .updated
      edit.pointee.isPropagated = false
    }
    pendingDeletions.remove(object)
    meetOthers(object)
    mutationCount &+= 1
  }

  /// Takes the pending pairs of an object's many-to-many relationships back.
  func dropPairs(of object: ManagedObject) {
    let layout = layout(of: object)
    membershipStamp &+= 1
    let model = store.model
    // Nothing here holds a copy of the changes: the first write would copy them all.
    for link in model.links {
      if model.entities[link.first.entity].family.contains(layout.index) {
        for second in relationships.links[link.index]?.fromFirst.changes(of: object._key) ?? [] {
          relationships.forgetPair(object._key, second, link: link)
        }
      }
      // A symmetric pair is noted both ways; once is enough.
      if !link.isSymmetric, model.entities[link.second.entity].family.contains(layout.index) {
        for first in relationships.links[link.index]?.fromSecond.changes(of: object._key) ?? [] {
          relationships.forgetPair(first, object._key, link: link)
        }
      }
    }
    for relationship in layout.toManys {
      relationships.orders[ownerKey(object, relationship)] = nil
      relationships.orderedOwners[ownerKey(object, relationship)] = nil
    }
  }
}
