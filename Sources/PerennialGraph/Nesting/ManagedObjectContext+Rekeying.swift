// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// How keys that change above reach the contexts below: by a direct call, since a family shares one
// isolation.

extension ManagedObjectContext {
  /// Tells the contexts below which temporary keys have become permanent ones.
  func passPermanentKeys() {
    let keys = temporaryKeys
    for child in family.children { child.takePermanentKeys(keys) }
  }

  private func takePermanentKeys(_ keys: TemporaryKeys) {
    for (loser, survivor) in meetings(keys) { followMerge(of: loser, into: survivor) }
    translateKeys(.saved(keys, store.model))
    settleAliases()
    for child in family.children { child.takePermanentKeys(keys) }
  }

  /// The objects here whose keys become those of others that are here: a sibling has merged the one into the other.
  private func meetings(
    _ keys: TemporaryKeys
  ) -> [(loser: ObjectReference, survivor: ObjectReference)] {
    liveObjects.compactMap { object in
      guard object._key < 0, let root = object._home?.pointee.root,
        let key = keys.key(root: root.pointee.index, temporary: object._key),
        let other = root.pointee.map.find(key)?.takeUnretainedValue()
      else { return nil }
      return (object._reference, other._reference)
    }
  }

  /// Tells the contexts below that an object has been merged into another.
  func passMerge(of loser: ObjectReference, into survivor: ObjectReference) {
    for child in family.children { child.followMerge(of: loser, into: survivor) }
  }

  /// Makes the object here that was merged above stand for the survivor, too.
  ///
  /// Afterwards none has the loser's key: a deleted object is gone, as its row is. Edits win over a
  /// deletion of the survivor, which is taken back for them. If the two were merged the other way round
  /// here, the object that is left gets the survivor's key, and reads its row.
  private func followMerge(of loser: ObjectReference, into survivor: ObjectReference) {
    let root = homes[loser.entity].root
    var rekeyed: ManagedObject?
    if let object = root.pointee.map.find(loser.key)?.takeUnretainedValue(), !object.isDeleted {
      let twin = self.object(for: survivor)
      let target = livingTwin(twin)
      if target === object {
        // Here the other one was merged into this one: it gets that one's key.
        letGo(ofGone: twin)
        if object._key < 0 { aliases[object.objectID] = object }
        rekeyed = object
      } else if object._state == .updated {
        if target.isDeleted { takeBackDeletion(of: target) }
        reading(()) { () throws(PerennialError) in try merge(object, into: target) }
      } else if object._edit == nil {
        object._home?.forget(key: object._key, of: object)
        object._row = nil
        object._page = nil
        forward(object, to: target, isFollowing: true)
      }
    }
    if let object = root.pointee.map.find(loser.key)?.takeUnretainedValue(), object.isDeleted {
      letGo(ofGone: object)
    }
    translateKeys(.merged(loser, into: survivor, store.model))
    // A pair of the loser's may be one that the survivor has above.
    if !relationships.links.isEmpty { settlePairs(around: [self.object(for: survivor)]) }
    if let rekeyed, rekeyed._edit == nil {
      // Its row is the other's, whose version may be equal.
      rekeyed._row = nil
      rekeyed._page = nil
      noteRefreshed(rekeyed)
    }
    for child in family.children { child.followMerge(of: loser, into: survivor) }
  }

  /// Tells the contexts below that objects which had been merged are apart again.
  func passParting(of pairs: [(loser: ObjectReference, survivor: ObjectReference)]) {
    for child in family.children { child.followParting(of: pairs) }
  }

  /// Makes objects here that followed a merge above what they were: faults, and what refers to them is
  /// read again.
  ///
  /// What had changes here when it was merged stays merged: the changes are the survivor's now.
  private func followParting(of pairs: [(loser: ObjectReference, survivor: ObjectReference)]) {
    relationships.forgetLoaded()
    membershipStamp &+= 1
    for (loser, _) in pairs {
      let root = homes[loser.entity].root
      for object in followers(of: loser) where root.pointee.map.find(loser.key) == nil {
        forgetForwarding(of: object)
        root.pointee.map.insert(loser.key, object)
        retainedObjects?.insert(object)
        noteRefreshed(object)
      }
    }
    let survivors = Set(pairs.map(\.survivor))
    for object in liveObjects where object.refers(to: survivors) {
      refresh(object, mergeChanges: object._edit != nil)
    }
    for child in family.children { child.followParting(of: pairs) }
  }

  /// For the tombstone of a merged object, the object that it was merged into.
  private func livingTwin(_ object: ManagedObject) -> ManagedObject {
    guard object.isDeleted else { return object }
    return absorbed.first { $0.tombstone === object }?.loser._survivor ?? object
  }

  /// Gives objects other keys, and replaces these in rows and pending changes.
  private func translateKeys(_ translation: KeyTranslation) {
    for index in homeIndexes where homes[index].root == homes + index {
      var objects: [ManagedObject] = []
      homes[index].map.visit { objects.append($0) }
      for object in objects { translateKeys(of: object, translation) }
    }
    relationships.translateKeys(translation, store.model)
    forgetHolders()
    faulting.translateKeys(translation)
    membershipStamp &+= 1
    let old = constraintIndex
    constraintIndex.removeAll()
    withExtendedLifetime(old) {}
    for index in homeIndexes where homes[index].hasConstraints {
      for object in homes[index].changedObjects { homes[index].noteKeyChange(of: object) }
    }
  }

  // Safe because the row of an object with an edit record is its private one, and the object keeps
  // the page of any other.
  private func translateKeys(of object: ManagedObject, _ translation: KeyTranslation) {
    guard let layout = object._home?.pointee.layout else { return }
    let key = translation.ownKey(of: object._reference)
    let isRenamed = key != object._key
    if isRenamed { rename(object, to: key) }
    guard let row = object._row else { return }
    guard let edit = object._edit else {
      guard isRenamed || translation.changesReferences(of: row, layout) else { return }
      let page = translation.copy(of: row, layout, key: key)
      object._row = page.row(0)
      object._page = page
      return
    }
    translation.apply(to: object._mutableRow, layout, key: key)
    guard let committed = edit.pointee.committedRow,
      isRenamed || translation.changesReferences(of: committed, layout)
    else { return }
    let page = translation.copy(of: committed, layout, key: key)
    edit.pointee.committedPage?.release()
    edit.pointee.committedPage = .passRetained(page)
    edit.pointee.committedRow = page.row(0)
  }

  /// Gives an object another key.
  private func rename(_ object: ManagedObject, to key: Int64) {
    guard let root = object._home?.pointee.root else { return }
    root.pointee.map.remove(object._key)
    root.pointee.map.insert(key, object)
    if let edit = object._edit, edit.pointee.reservedKey == object._key {
      edit.pointee.reservedKey = key
    }
    object._key = key
  }
}

extension ManagedObject {
  /// Whether a row of the object, its own or the committed one, names any of some objects.
  fileprivate final func refers(to objects: Set<ObjectReference>) -> Bool {
    guard _row != nil, let slots = _home?.pointee.layout.referenceSlots else { return false }
    return slots.contains {
      objects.contains(_currentReference($0)) || objects.contains(_committedReference($0))
    }
  }
}
