// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Taking newer values from the store, and forgetting what is here.

extension ManagedObjectContext {
  /// Makes an object take its values from the store again.
  ///
  /// Without merging, the object becomes a fault: its pending changes and its transient values are dropped, and the
  /// next access to a property loads its row. `willTurnIntoFault()` and `didTurnIntoFault()` are called. With
  /// merging, its row is read now; its pending changes stay on top of the row, and its transient values stay, too.
  /// Rows that other contexts have loaded are not used.
  ///
  /// A new or deleted object, one whose row is gone, and one of another context stay as they are. What a pending
  /// deletion does to the object is not a change of its own: the delete rules are applied to it again before the next
  /// fetch or save.
  ///
  /// Core Data: `NSManagedObjectContext.refresh(_:mergeChanges:)`.
  ///
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - mergeChanges: Whether its pending changes are kept. If so, they stay even when its row cannot be read;
  ///     ``lastFaultError`` then says why.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    let object = object._survivor ?? object
    guard let home = object._home, home.pointee.context === self,
      object._edit == nil || object._state == .updated
    else { return }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    coordinator.rowCache.remove(root: home.pointee.layout.root, key: object._key)
    if mergeChanges {
      refreshMerging([object])
    } else {
      let wasKeptByEdits = object._edit != nil && object.has(.isGone)
      turnIntoFault(object)
      if wasKeptByEdits { noteInvalidated(object) } else { noteRefreshed(object) }
    }
  }

  /// Makes every object take its values from the store again; pending changes stay.
  ///
  /// Objects without changes become faults, and lose their transient values. Objects with changes take the stored
  /// values of their other properties. New and deleted objects stay as they are.
  ///
  /// Core Data: `NSManagedObjectContext.refreshAllObjects()`.
  public func refreshAllObjects() {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    coordinator.rowCache.removeAll()
    let forgotten = faulting.forget()
    withExtendedLifetime(forgotten) {}
    relationships.forgetLoaded()
    membershipStamp &+= 1
    let objects = liveObjects
    refreshMerging(objects.filter { $0._state == .updated })
    for object in objects where object._edit == nil && object._row != nil && object._home != nil {
      turnIntoFault(object, keepsChanges: true)
      noteRefreshed(object)
    }
    settlePairs()
  }

  /// Forgets all objects and all changes.
  ///
  /// The objects leave the context: they read as they were, a fault as empty, and take no changes.
  /// Fetch them again, or use their IDs.
  ///
  /// Core Data: `NSManagedObjectContext.reset()`.
  public func reset() {
    let saveNumber = coordinator.saveNumber
    let noted = noteInvalidatedAll()
    let objects = liveObjects
    let forgotten = faulting.forget()
    faulting.prefetched = PrefetchedOwners()
    faulting.undecodable = [:]
    lifecycle.unsavedRoots = []
    lifecycle.refetched = []
    liveCountPeak = 0
    settleForwardings()
    for object in objects {
      unpublish(object)
      if object._row == nil { detach(object) }
      object._leave(self, isGone: false)
    }
    let released = dropAllChanges()
    for index in homeIndexes {
      homes[index].map.free()
      homes[index].map = IdentityMap()
    }
    if retainedObjects != nil { retainedObjects = [] }
    if parent == nil { noteAllRead(at: saveNumber) }
    endEvent()
    withExtendedLifetime((objects, noted, forgotten, released)) {}
  }

  /// All objects of the identity maps.
  var liveObjects: [ManagedObject] {
    var objects: [ManagedObject] = []
    for index in homeIndexes { homes[index].map.visit { objects.append($0) } }
    return objects
  }

  /// Drops an object's row, and its changes unless they are kept: those of members and pairs, which
  /// lie beside the row.
  private func turnIntoFault(_ object: ManagedObject, keepsChanges: Bool = false) {
    guard object._row != nil else { return }
    object.willTurnIntoFault()
    guard object._home != nil, object._edit == nil || object._state == .updated else { return }
    if keepsChanges {
      guard object._edit == nil else { return }
    } else {
      withoutUndo { dropRelationshipChanges(of: object) }
    }
    if let edit = object._edit, let home = object._home {
      home.pointee.changed[edit.pointee.place] = nil
      home.pointee.keyChanges.removeAll { $0 === object }
      object._edit = nil
      EditRecord.free(edit)
      mutationCount &+= 1
    }
    object._row = nil
    object._page = nil
    relationships.forgetDerived()
    forgetPrefetched(object)
    object.didTurnIntoFault()
  }

  /// Makes the relationships of an object what they were when it was last saved, as far as the object
  /// holds them: its to-one slots and its pairs.
  private func dropRelationshipChanges(of object: ManagedObject) {
    guard let home = object._home else { return }
    let layout = home.pointee.layout
    for slot in layout.referenceSlots {
      guard let edit = object._edit, EditRecord.isChanged(edit, slot),
        let relationship = layout.slots[slot].relationship
      else { continue }
      let target = self.object(forNonzero: object._committedReference(slot))
      reapplyRules(of: target)
      if let inverse = relationship.inverseSlot {
        restorePartner(target, of: object, slot, inverse)
      } else {
        let former = object._currentReference(slot).key
        // As long as the move is there: an index that is made later must not have it.
        prepareMove(relationship, slot)
        noteMove(of: object, relationship, slot, from: former, to: target)
        takeOldPlace(object, relationship, slot, from: former, in: target?._key ?? 0)
      }
    }
    for relationship in layout.toManys {
      if let side = relationship.side { dropPairChanges(of: object, relationship, side) }
      let key = ownerKey(object, relationship)
      relationships.forget(key)
    }
    membershipStamp &+= 1
  }

  /// Gives a member that goes back to its stored owner the place there that it had.
  ///
  /// One that had come back by itself stays where it came: that is the order of its owner, not a change of its own.
  private func takeOldPlace(
    _ member: ManagedObject,
    _ relationship: RelationshipLayout,
    _ slot: Int,
    from former: Int64,
    in owner: Int64
  ) {
    guard former != owner else { return }
    let key = SlotKey(entity: relationship.entity, slot: slot)
    relationships.slots[key]?.forget(member._key, of: owner)
    for side in [former, owner] where side != 0 { settleOrder(of: side, relationship.inverse) }
  }

  /// Makes the pairs of an object's relationship those that are stored, in their order.
  private func dropPairChanges(
    of object: ManagedObject,
    _ relationship: RelationshipLayout,
    _ side: RelationshipLayout.Side
  ) {
    guard let delta = relationships.delta(side) else { return }
    let added = delta.added(to: object._key)?.elements ?? []
    let removed = delta.removed(from: object._key) ?? []
    for member in added {
      if !removed.contains(member.key) { removePair(object, self.object(for: member), side) }
      settlePair(object._key, member.key, relationship, side)
    }
    for key in removed where !added.contains(where: { $0.key == key }) {
      let reference = ObjectReference(key: key, entity: relationship.destination)
      let member = self.object(for: reference)
      addPair(object, member, side)
      reapplyRules(of: member)
      settlePair(object._key, key, relationship, side)
    }
  }

  /// Forgets that a stored pair has gone and come back, which would be a change of the order.
  private func settlePair(
    _ owner: Int64,
    _ member: Int64,
    _ relationship: RelationshipLayout,
    _ side: RelationshipLayout.Side
  ) {
    let (first, second) = side.isFirst ? (owner, member) : (member, owner)
    relationships.forgetPair(first, second, link: store.model.links[side.link])
    settleOrder(of: member, relationship.inverse)
  }

  /// Keeps the order of an owner's members from being saved, if it is the stored one.
  private func settleOrder(of owner: Int64, _ inverse: RelationshipLayout.Inverse?) {
    guard let inverse, inverse.isOrdered, case .toMany(let number) = inverse.place else { return }
    let key = OwnerKey(entity: inverse.entity, toMany: number, owner: owner)
    guard relationships.orders[key] == nil,
      delta(homes[inverse.entity].layout.toManys[number])?.added(to: owner) == nil
    else { return }
    let released = relationships.orderedOwners.removeValue(forKey: key)
    withExtendedLifetime(released) {}
  }

  /// Makes a one-to-one relationship what it was when the object was last saved, on the other sides
  /// too: nobody else may refer to the object, and its partner to nobody else.
  private func restorePartner(
    _ partner: ManagedObject?,
    of object: ManagedObject,
    _ slot: Int,
    _ inverse: Int
  ) {
    let former = self.object(forNonzero: object._currentReference(slot))
    let isUsable = partner?._loaded() != nil && partner?.isDeleted == false
    object._setTarget(slot, isUsable ? partner : nil)
    for side in [former, partner] {
      guard let side, side._home != nil, !side.isDeleted else { continue }
      unmarkIfUnchanged(inverse, of: side)
      endEditIfEmpty(side)
      if side._edit == nil { noteRefreshed(side) }
    }
  }

  /// Reads the rows of objects and puts their pending changes on top.
  func refreshMerging(_ objects: [ManagedObject]) {
    for (root, objects) in Dictionary(grouping: objects, by: { $0._home?.pointee.layout.root }) {
      guard let root else { continue }
      do throws(PerennialError) {
        try withoutUndo { () throws(PerennialError) in
          try refreshMerging(objects, root: root)
        }
      } catch {
        lastFaultError = error
      }
    }
  }

  private func refreshMerging(
    _ objects: [ManagedObject],
    root: Int
  ) throws(PerennialError) {
    var rows: [Int64: PageRow] = [:]
    try readRows(objects.map(\._key)[...], root, into: &rows)
    relationships.forgetDerived()
    var inverses = InverseRepair()
    for object in objects {
      guard let home = object._home else { continue }
      for relationship in home.pointee.layout.toManys {
        relationships.forgetStored(ownerKey(object, relationship))
      }
      guard let row = rows[object._key], object._fits(row.entity) else {
        lastFaultError = .objectGone(object.objectID)
        if object._edit == nil { becomeGone(object) }
        continue
      }
      if object._edit != nil {
        inverses.noteEdits(of: object, onto: row.pointer)
        rebase(object, onto: row)
      } else {
        if object._row == nil { object.set(.awaitsAwakening, true) }
        object.takeNewer(row, in: self)
        awaken(object)
      }
      object.awake(fromSnapshotEvents: .refresh)
      noteRefreshed(object)
    }
    settlePairs(around: objects)
    membershipStamp &+= 1
    try inverses.run(in: self)
  }
}
