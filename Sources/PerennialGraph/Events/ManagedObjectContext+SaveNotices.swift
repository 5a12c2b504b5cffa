// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

// What a save tells: that it begins, and what it wrote. A save that fails tells nothing more.

extension ManagedObjectContext {
  func tellWillSave() {
    if notices.listeners.wants(.willSave) || notices.posting == .objects { tell(.willSave) }
  }

  /// Makes the saved rows the objects' committed ones, and tells of the save.
  ///
  /// No listener runs before that is done: it would change objects whose changes are just being
  /// dropped.
  func adoptAndTell(_ plan: SavePlan) {
    let changes = closeEvent()
    let wantsObjects = notices.listeners.wants(.didSave) || notices.posting == .objects
    let written =
      wantsSaveNotices ? WrittenObjects(self, plan, holdsObjects: wantsObjects) : nil
    liveResults.note { news in
      if let changes { news.note(changes, in: self) }
      news.hasSaved = true
    }
    adopt(plan)
    if !liveResults.isEmpty { liveResults.report() }
    if let changes { tell(.objectsDidChange(changes)) }
    guard let written else { return }
    if wantsObjects { tell(.didSave(written.changes)) }
    if notices.listeners.wants(.didSaveObjectIDs) || notices.posting != .none {
      tell(.didSaveObjectIDs(written.objectIDs))
    }
  }

  private var wantsSaveNotices: Bool {
    notices.posting != .none || notices.listeners.wants([.didSave, .didSaveObjectIDs])
  }
}

/// What a save has written, gathered before the changes are forgotten.
///
/// IDs are made of the plan's keys: most saves of most contexts have nobody who wants objects, and
/// looking at a hundred thousand of them, or at their rows, costs more than their IDs.
private struct WrittenObjects {
  private(set) var changes = ChangedObjects()
  private(set) var objectIDs = ObjectChanges()

  init(_ context: ManagedObjectContext, _ plan: SavePlan, holdsObjects: Bool) {
    var latest = context.lifecycle.latestOwners
    let owners = latest.all(in: context)
    objectIDs.inserted = context.ids(of: plan.inserted, plan)
    objectIDs.updated = context.ids(of: plan.updated, plan)
    if context.coordinator.rules.hasRelated {
      let updated = plan.adoptions.map(\.object).filter { $0._state == .updated }
      objectIDs.updated.formUnion(updated.lazy.map(\.objectID))
    }
    objectIDs.updated.formUnion(owners.lazy.map(\.objectID))
    let deleted = plan.deleted.filter { $0._state == .deleted }
    objectIDs.deleted = context.ids(of: deleted)
    guard holdsObjects else { return }
    changes.deleted = Set(deleted)
    changes.updated = Set(owners)
    for adoption in plan.adoptions {
      let object = adoption.object
      if object._state == .inserted {
        changes.inserted.insert(object)
      } else {
        changes.updated.insert(object)
      }
    }
  }
}

extension ManagedObjectContext {
  fileprivate func ids(of batches: [SavePlan.Batch], _ plan: SavePlan) -> Set<ManagedObjectID> {
    let count = batches.reduce(0) { $0 + $1.adoptions.count }
    var ids = Set<ManagedObjectID>(minimumCapacity: count)
    let (stored, temporary) = (storedIDs, temporaryIDs)
    for batch in batches {
      for adoption in plan.adoptions[batch.adoptions] {
        let key = adoption.key
        ids.insert(key < 0 ? temporary.id(batch.entity, key) : stored.id(batch.entity, key))
      }
    }
    return ids
  }

  fileprivate func ids(of objects: [ManagedObject]) -> Set<ManagedObjectID> {
    var ids = Set<ManagedObjectID>(minimumCapacity: objects.count)
    let stored = storedIDs
    for object in objects {
      if let home = object._home, object._key > 0, !object.isForwarding {
        ids.insert(stored.id(home.pointee.index, object._key))
      } else {
        ids.insert(object.objectID)
      }
    }
    return ids
  }
}
