// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

// The end of a unit of work: the changes become the committed state, or are dropped.

extension ManagedObjectContext {
  /// Makes the saved rows the objects' committed ones.
  func adopt(_ plan: SavePlan) {
    let lists = homeIndexes.map { homes[$0].changed }
    let owners = lifecycle.savedOwners.filter { $0._edit == nil }
    var run: TemporaryKeys.Run?
    // Safe because the object and its page are held by their lists: counting references to them costs
    // more here than the rest.
    for adoption in plan.adoptions {
      let page = plan.pages.withUnsafeBufferPointer {
        Unmanaged.passUnretained($0[Int(adoption.page)])
      }
      page._withUnsafeGuaranteedRef { adopt(adoption, of: $0, &run) }
    }
    if let run { temporaryKeys.append(run) }
    // An undo may bring them back.
    if undoManager == nil, !top.merging.published.isEmpty { plan.deleted.forEach(unpublish) }
    for object in plan.deleted { letGo(object) }
    adoptWatched(plan)
    let released = clearChanges()
    if !plan.changes.insertions.isEmpty, parent == nil {
      publishTemporaryKeys()
      faulting.translateKeys(.saved(temporaryKeys, store.model))
      passPermanentKeys()
      if !merging.published.isEmpty { merging.published.remove(saved: temporaryKeys) }
    }
    for list in lists { list.visit { $0.didSave() } }
    for owner in owners where owner._home != nil { owner.didSave() }
    withExtendedLifetime(released) {}
  }

  private func adopt(
    _ adoption: SavePlan.Adoption,
    of page: RowPage,
    _ run: inout TemporaryKeys.Run?
  ) {
    adoption.reference._withUnsafeGuaranteedRef { object in
      adopt(object, adoption.key, page.row(Int(adoption.row)), page, &run)
    }
  }

  @inline(__always)
  private func adopt(
    _ object: ManagedObject,
    _ key: Int64,
    _ row: UnsafeRawPointer,
    _ page: RowPage,
    _ run: inout TemporaryKeys.Run?
  ) {
    if object._key != key, let home = object._home {
      let root = home.pointee.root
      root.pointee.map.remove(object._key)
      root.pointee.map.insert(key, object)
      let rootIndex = root - homes
      let next = TemporaryKeys.Run(root: rootIndex, temporary: object._key, key: key)
      if let joined = run?.joined(with: next) {
        run = joined
      } else {
        if let run { temporaryKeys.append(run) }
        run = next
      }
      object._key = key
    }
    if let edit = object._edit { EditRecord.free(edit) }
    object._edit = nil
    object._row = row
    object._page = page
  }

  /// Takes an object whose row has been deleted out of the context; it stays readable.
  private func letGo(_ object: ManagedObject) {
    object._home?.forget(key: object._key, of: object)
    object._leave(self, isGone: true)
  }

  /// Forgets every pending change; the objects keep what they read.
  ///
  /// - Returns: What was held; to be released when the context can be used again.
  func dropAllChanges() -> ReleasedChanges {
    var released = clearChanges()
    // A check of a save that drops changes has the others done again.
    mutationCount &+= 1
    aliases = [:]
    misuses = []
    released.undoGroups = undoManager?.takeAllActions() ?? []
    return released
  }

  /// - Returns: What was held; to be released when the context can be used again.
  private func clearChanges() -> ReleasedChanges {
    let released = ReleasedChanges(self)
    undoRegistration.epoch += 1
    emptyLists()
    relationships = RelationshipChanges()
    faulting.lists = HeldLists()
    constraintIndex.removeAll()
    membershipStamp &+= 1
    settleAliases()
    absorbed = []
    pendingDeletions.removeAll()
    merging.endWork()
    forgetHolders()
    mail.unitOfWork = nil
    mail.hasLostRows = false
    return released
  }

  /// Empties the lists of changed objects, and what was noted for these.
  private func emptyLists() {
    for index in homeIndexes where !homes[index].changed.isEmpty {
      homes[index].changed = []
      homes[index].movesStored = false
      homes[index].keyChanges = []
      homes[index].newcomers = Newcomers()
      homes[index].slab = nil
    }
  }

  /// Forgets what is left of changes that have all been taken back: their places, and what was noted of unique values.
  ///
  /// - Returns: What was held; to be released when the context can be used again.
  func forgetTraces() -> ReleasedChanges? {
    settleAliases()
    guard homeIndexes.contains(where: { !homes[$0].changed.isEmpty }) else { return nil }
    let released = ReleasedChanges(self)
    emptyLists()
    relationships.edited = [:]
    constraintIndex.removeAll()
    merging.hasNewcomers = false
    forgetHolders()
    return released
  }

  /// Notes which keys the IDs of merged objects stand for, as soon as their survivors have
  /// permanent ones.
  ///
  /// The ID of an object that a context above has, and may save, is its own; and so it stays when it has been saved.
  func settleAliases() {
    let count = aliases.count
    for (id, known) in aliases {
      guard let entity = store.model.entitiesByName[id.entityName] else { continue }
      let root = store.model.entities[entity].root
      let temporary = temporaryKey(of: id, root)
      // First: what a save above has set aside for it is forgotten soon.
      if let temporary, top.temporaryKeys.key(root: root, temporary: temporary) != nil {
        aliases[id] = nil
        continue
      }
      let survivor = known._survivor ?? known
      if survivor._home == nil {
        // An undo may bring it back.
        if undoManager == nil { aliases[id] = nil }
        continue
      }
      if survivor._key < 0 { continue }
      if let temporary, isLiveAbove(temporary, root) { continue }
      if id.isTemporaryID {
        top.temporaryKeys.append(.init(root: root, temporary: id.key, key: survivor._key))
      } else if let key = coordinator.naming.key(of: id) {
        top.merging.absorbedKeys[root, default: [:]][key] = survivor._key
      }
      aliases[id] = nil
    }
    if aliases.count < count { publishTemporaryKeys() }
  }

  /// The temporary key of the object that had an ID; `nil` when nothing is known of that any more.
  private func temporaryKey(of id: ManagedObjectID, _ root: Int) -> Int64? {
    if id.isTemporaryID { return id.key }
    return coordinator.naming.key(of: id).flatMap {
      top.merging.published.temporary($0, root: root)
    }
  }

  /// Whether a context above has the object of a key, and has not deleted it.
  private func isLiveAbove(_ key: Int64, _ root: Int) -> Bool {
    contextsAbove(upTo: top).contains {
      $0.homes[root].map.find(key)?.takeUnretainedValue().isDeleted == false
    }
  }

  /// Lets the other contexts of the coordinator know what the temporary keys have become.
  private func publishTemporaryKeys() {
    let keys = top.temporaryKeys
    coordinator.temporaryKeys.withLock { $0.publish(keys, of: family.identifier) }
  }

  /// Drops all changes: new objects leave the context, the others are as they were last saved.
  ///
  /// Saved objects that were merged into others come back, also in the contexts below, unless they had changes there,
  /// which now belong to the survivors. A new object that was merged into a saved one still forwards to it. At the
  /// end, ``ManagedObject/awake(fromSnapshotEvents:)`` is called for the changed and deleted objects.
  ///
  /// Core Data: `NSManagedObjectContext.rollback()`.
  public func rollback() {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    let dropped = noteWillRollBack()
    let held = (aliases, absorbed.map { survivor(of: $0.loser) })
    let parted = zip(absorbed, held.1).compactMap { merged, survivor in
      survivor.map { (loser: merged.tombstone._reference, survivor: $0._reference) }
    }
    let changed = changedObjects
    let merged = absorbed.map(\.loser)
    for object in changed { dropChanges(of: object) }
    for (loser, tombstone) in absorbed { restore(loser, from: tombstone) }
    aliases = [:]
    let released = dropAllChanges()
    noteRolledBack(dropped)
    if !parted.isEmpty { passParting(of: parted) }
    withoutUndo {
      for object in changed + merged where object._home != nil && !object.has(.isGone) {
        object.awake(fromSnapshotEvents: .rollback)
      }
    }
    withExtendedLifetime((held, released)) {}
    withoutUndo { receivePostponedMail() }
  }

  /// Makes one object as it was last saved; a new object leaves the context.
  private func dropChanges(of object: ManagedObject) {
    guard let edit = object._edit, let committed = edit.pointee.committedRow else {
      unpublish(object)
      return letGo(object)
    }
    object._row = committed
    object._page = edit.pointee.committedPage?.takeUnretainedValue()
    object._edit = nil
    EditRecord.free(edit)
  }

  /// Ends the forwarding of a merged object, which gets its row back.
  private func restore(_ loser: ManagedObject, from tombstone: ManagedObject) {
    let root = homes[tombstone._reference.entity].root
    forgetForwarding(of: loser)
    loser._row = tombstone._row
    loser._page = tombstone._page
    tombstone._home = nil
    root.pointee.map.remove(tombstone._key)
    // The row may have been saved above since, and have another key.
    loser._key = tombstone._key
    root.pointee.map.insert(loser._key, loser)
    retainedObjects?.remove(tombstone)
    retainedObjects?.insert(loser)
    // It may never have been saved above, and its ID lead to another object since.
    if isUnsavedAndGoneAbove(loser._reference) { letGo(loser) }
  }

  /// Whether an object that a context above has made is in none of them any more.
  func isUnsavedAndGoneAbove(_ reference: ObjectReference) -> Bool {
    guard reference.key < 0, let parent else { return false }
    let root = homes[reference.entity].layout.root
    return sequence(first: parent, next: \.parent).allSatisfy {
      $0.homes[root].map.find(reference.key) == nil
    }
  }

  /// Takes an object out of the changed ones, and its row from it.
  func discardRow(of object: ManagedObject, _ home: UnsafeMutablePointer<EntityHome>) {
    if home.pointee.writeStamp != 0 { noteDiscarded(object) }
    home.forget(key: object._key, of: object)
    if let edit = object._edit {
      home.pointee.changed[edit.pointee.place] = nil
      EditRecord.free(edit)
    }
    object._edit = nil
    object._row = nil
    object._page = nil
  }
}
