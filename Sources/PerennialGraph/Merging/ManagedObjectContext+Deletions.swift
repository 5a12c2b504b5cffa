// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Version conflicts with a deletion on one side: the object goes, comes back, or is stored again.

extension ManagedObjectContext {
  /// Does what a policy says about a changed object whose row was deleted elsewhere.
  func meetDeletion(of object: ManagedObject, _ policy: MergePolicy) {
    guard let edit = object._edit, edit.pointee.state == .updated else { return }
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
    guard let edit = object._edit else { return }
    edit.pointee.committedPage?.release()
    edit.pointee.committedPage = nil
    edit.pointee.committedRow = nil
    edit.pointee.reservedKey = object._key
    edit.pointee.state = .inserted
    object.set(.isGone, false)
    guard let home = object._home else { return }
    // Somebody else may have its unique values by now.
    if home.pointee.hasConstraints { home.pointee.noteKeyChange(of: object) }
    forgetMoves(of: object, home.pointee.layout)
  }

  /// Takes an object whose row is gone out of the context, with its changes.
  ///
  /// It stays readable, as it was saved. No unsaved change refers to it any more.
  func letGo(ofGone object: ManagedObject) {
    guard let home = object._home, let edit = object._edit else { return }
    pendingDeletions.removeAll { $0 === object }
    let held = absorbed
    absorbed = held.filter { $0.tombstone !== object }
    defer { withExtendedLifetime(held) {} }
    let layout = home.pointee.layout
    let reference = object._reference
    for holder in changedObjects where holder !== object && !holder.isDeleted {
      for slot in holder._home?.pointee.layout.referenceSlots ?? []
      where holder._currentReference(slot) == reference {
        holder._writeReference(slot, nil)
      }
    }
    dropPairs(of: object)
    forgetMoves(of: object, layout)
    if home.pointee.writeStamp != 0 { noteDiscarded(object) }
    home.pointee.changed[edit.pointee.place] = nil
    object._row = edit.pointee.committedRow
    object._page = edit.pointee.committedPage?.takeUnretainedValue()
    object._edit = nil
    EditRecord.free(edit)
    home.forget(key: object._key, of: object)
    object._leave(self, isGone: true)
    noteInvalidated(object)
  }

  /// Takes the deletion of an object back, and what it did to the relationships that lead to it.
  ///
  /// Objects that the deletion deleted with it stay deleted.
  func takeBackDeletion(of object: ManagedObject) {
    guard let home = object._home else { return }
    unmarkDeleted(object)
    let reference = object._reference
    for holder in changedObjects where holder !== object && !holder.isDeleted {
      for slot in holder._home?.pointee.layout.referenceSlots ?? []
      where holder._committedReference(slot) == reference
        && holder._currentReference(slot).key == 0
      {
        holder._writeReference(slot, object)
        if let edit = holder._edit { EditRecord.clearChanged(edit, slot) }
      }
    }
    dropPairs(of: object)
    forgetMoves(of: object, home.pointee.layout)
  }

  /// Makes a deleted object a changed or a new one again; what the deletion did to others stays.
  func unmarkDeleted(_ object: ManagedObject) {
    guard let home = object._home, let edit = object._edit else { return }
    edit.pointee.state = edit.pointee.committedRow == nil ? .inserted : .updated
    edit.pointee.isPropagated = false
    pendingDeletions.removeAll { $0 === object }
    // Somebody else may have been given its unique values meanwhile.
    if home.pointee.hasConstraints { home.pointee.noteKeyChange(of: object) }
    forgetMoves(of: object, home.pointee.layout)
    mutationCount &+= 1
  }

  /// Takes the pending pairs of an object's many-to-many relationships back.
  func dropPairs(of object: ManagedObject) {
    guard let home = object._home else { return }
    let layout = home.pointee.layout
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
