// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

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
    let written = wantsSaveNotices ? WrittenObjects(self) : nil
    adopt(plan)
    if let changes { tell(.objectsDidChange(changes)) }
    guard let written else { return }
    if notices.listeners.wants(.didSave) || notices.posting == .objects {
      tell(.didSave(written.changes))
    }
    if notices.listeners.wants(.didSaveObjectIDs) || notices.posting != .none {
      tell(.didSaveObjectIDs(written.objectIDs))
    }
  }

  private var wantsSaveNotices: Bool {
    notices.posting != .none || notices.listeners.wants([.didSave, .didSaveObjectIDs])
  }
}

/// The objects that a save has written, gathered before their changes are forgotten.
private struct WrittenObjects {
  private var inserted: [ManagedObject] = []
  private var updated: [ManagedObject] = []
  private var deleted: [ManagedObject] = []
  private var deletedIDs: [ManagedObjectID] = []
  private let owners: [ManagedObject]

  init(_ context: ManagedObjectContext) {
    owners = context.membershipOwners().filter { $0._edit == nil && $0._home != nil }
    for index in context.homeIndexes {
      for case let object? in context.homes[index].changed {
        switch object._state {
        case .inserted: inserted.append(object)
        case .updated: updated.append(object)
        case .deleted:
          deleted.append(object)
          deletedIDs.append(object.objectID)
        case .deletedInsertion, nil: break
        }
      }
    }
  }

  var changes: ChangedObjects {
    var changes = ChangedObjects()
    changes.inserted = Set(inserted)
    changes.updated = Set(updated).union(owners)
    changes.deleted = Set(deleted)
    return changes
  }

  /// The IDs, permanent once the save is done.
  var objectIDs: ObjectChanges {
    ObjectChanges(
      inserted: Set(inserted.lazy.map(\.objectID)),
      updated: Set(updated.lazy.map(\.objectID)).union(owners.lazy.map(\.objectID)),
      deleted: Set(deletedIDs)
    )
  }
}
