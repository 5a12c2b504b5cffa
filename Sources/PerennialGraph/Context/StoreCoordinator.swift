// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
package import PerennialStore
import Synchronization

/// What all contexts of a container share: the store and the classes of the entities.
package final class StoreCoordinator: Sendable {
  package let store: any PersistentStore
  /// The class of every entity; its superentity's for one without a class, else `ManagedObject`.
  package let classes: [ManagedObject.Type]
  let entityIndexes: [ObjectIdentifier: Int]
  /// Temporary IDs of contexts that have saved: an ID taken before the save works everywhere.
  let temporaryKeys = Mutex(SavedTemporaryKeys())
  /// What the contexts have saved, to tell it from what others have.
  let savedVersions = Mutex(SavedVersions())

  /// A coordinator of a store.
  ///
  /// - Parameters:
  ///   - store: The store, open.
  ///   - classes: The classes of entities, by entity name.
  package init(store: any PersistentStore, classes: [String: ManagedObject.Type]) {
    self.store = store
    var types: [ManagedObject.Type] = []
    for entity in store.model.entities {
      let inherited = entity.superentity.map { types[$0] } ?? ManagedObject.self
      types.append(classes[entity.name] ?? inherited)
    }
    self.classes = types
    var indexes: [ObjectIdentifier: Int] = [:]
    for entity in store.model.entities {
      if let type = classes[entity.name] { indexes[ObjectIdentifier(type)] = entity.index }
    }
    entityIndexes = indexes
  }

  /// Saves the changes of a context: the one way in which anything is written.
  func save(
    _ changes: ChangeSet,
    of context: ManagedObjectContext
  ) throws(SaveFailure) {
    try store.save(changes)
    if !changes.updates.isEmpty || !changes.deletions.isEmpty {
      savedVersions.withLock { $0.note(changes, store.model) }
    }
  }
}
