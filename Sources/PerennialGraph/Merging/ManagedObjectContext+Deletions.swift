// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Version conflicts with a deletion on one side: the object goes, comes back, or is stored again.

extension ManagedObjectContext {
  /// Does what a policy says about a changed object whose row was deleted elsewhere.
  func meetDeletion(of object: ManagedObject, _ policy: MergePolicy) {
    guard policy.kind.storesAgain else {
      note(object, nil, .version, policy, .gone, [])
      return letGo(ofGone: object)
    }
    storeAgain(object)
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
    forgetPendingDeletion(of: object)
    let held = absorbed
    absorbed = held.filter { $0.tombstone !== object }
    defer { withExtendedLifetime(held) {} }
    let layout = layout(of: object)
    let home = homes + layout.index
    let reference = object._reference
    visitSlots(besides: object) { holder, slot in
      if holder._currentReference(slot) == reference { holder._writeReference(slot, nil) }
    }
    dropPairs(of: object)
    forgetMoves(of: object, layout)
    if home.pointee.writeStamp != 0 { noteDiscarded(object) }
    object.endEdit()
    home.forget(key: object._key, of: object)
    object._leave(self, isGone: true)
    noteInvalidated(object)
  }

  /// Takes the deletion of an object back, and what it did to the relationships that lead to it.
  ///
  /// Objects that the deletion deleted with it stay deleted.
  func takeBackDeletion(of object: ManagedObject) {
    unmarkDeleted(object)
    let reference = object._reference
    visitSlots(besides: object) { holder, slot in
      if holder._committedReference(slot) == reference, holder._currentReference(slot).key == 0 {
        holder._writeReference(slot, object)
        if let edit = holder._edit { EditRecord.clearChanged(edit, slot) }
      }
    }
    dropPairs(of: object)
    forgetMoves(of: object, layout(of: object))
  }

  /// Visits the to-one slots of the other changed objects that are not deleted.
  private func visitSlots(besides object: ManagedObject, _ visit: (ManagedObject, Int) -> Void) {
    for index in homeIndexes where !homes[index].changed.isEmpty {
      let slots = homes[index].layout.referenceSlots
      for holder in homes[index].changedObjects where holder !== object && !holder.isDeleted {
        for slot in slots { visit(holder, slot) }
      }
    }
  }

  /// Makes a deleted object a changed or a new one again; what the deletion did to others stays.
  func unmarkDeleted(_ object: ManagedObject) {
    if let edit = object._edit {
      edit.pointee.state = edit.pointee.committedRow == nil ? .inserted : .updated
      edit.pointee.isPropagated = false
    }
    forgetPendingDeletion(of: object)
    meetOthers(object)
    mutationCount &+= 1
  }

  /// Lets no delete rules of an object be applied any more.
  private func forgetPendingDeletion(of object: ManagedObject) {
    pendingDeletions.removeAll { $0 === object }
  }

  /// Takes the pending pairs of an object's many-to-many relationships back.
  func dropPairs(of object: ManagedObject) {
    let layout = layout(of: object)
    membershipStamp &+= 1
    for (number, changes) in relationships.links {
      let link = store.model.links[number]
      let isFirst = store.model.entities[link.first.entity].family.contains(layout.index)
      let isSecond = store.model.entities[link.second.entity].family.contains(layout.index)
      // A symmetric pair is noted both ways; once is enough.
      func isOwn(_ first: Int64, _ second: Int64) -> Bool {
        if link.isSymmetric, first > second { return false }
        return isFirst && first == object._key || isSecond && second == object._key
      }
      let added = changes.fromFirst.additions.map { ($0.owner, $0.member.key) }
      let removed = changes.fromFirst.removals.map { ($0.owner, $0.member) }
      for (first, second) in added + removed where isOwn(first, second) {
        relationships.forgetPair(first, second, link: link)
      }
    }
    for relationship in layout.toManys {
      relationships.orders[ownerKey(object, relationship)] = nil
      relationships.orderedOwners[ownerKey(object, relationship)] = nil
    }
  }
}
