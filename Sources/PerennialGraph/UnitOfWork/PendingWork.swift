// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The changed objects of a context by what a save does with them, gathered in one pass.
struct PendingWork {
  /// New objects and changed ones, by the place of their entity.
  var inserted: [Int: HeldObjects] = [:]
  var updated: [Int: HeldObjects] = [:]
  var deleted: [ManagedObject] = []
  /// How many new objects of a root entity have no key set aside yet.
  var missingKeys: [Int: Int] = [:]
  /// What is wrong with them.
  var problems: [PerennialError] = []
  /// What holds the objects.
  var lists: [ContiguousArray<ManagedObject?>] = []
}

extension ManagedObjectContext {
  /// Gathers the changed objects and checks them.
  func gatherWork() throws(PerennialError) -> PendingWork {
    var work = PendingWork()
    let validates = batchMode?.validates != false
    for index in homeIndexes where !homes[index].changed.isEmpty {
      var inserted = HeldObjects()
      var updated = HeldObjects()
      var missingKeys = 0
      let changed = homes[index].changed
      work.lists.append(changed)
      try changed.visit { object throws(PerennialError) in
        switch object._state {
        case .inserted:
          inserted.append(object)
          if object._reservedKey == 0 { missingKeys += 1 }
        case .updated:
          object._markPrimitives()
          updated.append(object)
        case .deleted, .deletedInsertion: work.deleted.append(object)
        // A check has taken its changes back, and all are done again.
        case nil: return
        }
        if validates || object.isDeleted {
          try object._validate(as: object._state, &work.problems)
        } else {
          object._checkNumbers(&work.problems)
        }
      }
      work.inserted[index] = inserted
      work.updated[index] = updated
      work.missingKeys[homes[index].layout.root, default: 0] += missingKeys
    }
    if validates {
      try checkOwners(&work.problems)
      checkReferences(to: work.deleted, &work.problems)
    }
    return work
  }
}
