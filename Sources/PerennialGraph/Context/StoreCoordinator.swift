// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
package import PerennialStore
import Synchronization

/// What all contexts of a container share: the store and the classes of the entities.
package final class StoreCoordinator: Sendable {
  package let store: any PersistentStore
  /// The class of every entity; `ManagedObject` for one without a class.
  package let classes: [ManagedObject.Type]
  let entityIndexes: [ObjectIdentifier: Int]
  /// Temporary IDs of contexts that have saved: an ID taken before the save works everywhere.
  let temporaryKeys = Mutex(SavedTemporaryKeys())

  /// A coordinator of a store.
  ///
  /// - Parameters:
  ///   - store: The store, open.
  ///   - classes: The classes of entities, by entity name.
  package init(store: any PersistentStore, classes: [String: ManagedObject.Type]) {
    self.store = store
    self.classes = store.model.entities.map { classes[$0.name] ?? ManagedObject.self }
    var indexes: [ObjectIdentifier: Int] = [:]
    for entity in store.model.entities {
      if let type = classes[entity.name] { indexes[ObjectIdentifier(type)] = entity.index }
    }
    entityIndexes = indexes
  }
}
