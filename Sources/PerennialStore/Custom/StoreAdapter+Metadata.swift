// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

extension StoreAdapter: DescribedStore {
  /// Opens a store, and makes one that is not there.
  static func open(
    _ store: any PersistentStore,
    _ model: ModelLayout,
    isReadOnly: Bool
  ) throws(PerennialError) -> PersistentStoreMetadata {
    let hashes = model.versionHashes
    do {
      if let stored = try store.open(ManagedObjectModel(model)) {
        let differences = hashes.differences(
          from: VersionHashes(byEntity: stored.modelVersionHashes)
        )
        guard differences.isEmpty else { throw PerennialError.incompatible(nil, differences) }
        return stored
      }
      guard !isReadOnly else {
        throw StoreProblem(
          .unreadable,
          "There is no store to open without the right to write.",
          recovery: "open it once without 'isReadOnly'"
        )
      }
      let new = PersistentStoreMetadata(
        storeID: UUID(),
        storeType: "Custom",
        modelVersionHashes: hashes.byEntity
      )
      try store.write(new)
      return new
    } catch {
      throw PerennialError(storeError: error, during: .persistentStoreOpen)
    }
  }

  /// What the store says of itself, and the application's entries.
  package func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata {
    try inTurn { turn throws(PerennialError) -> PersistentStoreMetadata in turn.metadata }
  }

  /// Replaces the application's entries.
  ///
  /// - Throws: The store's error, or that a key is the store's own.
  package func setStoreMetadata(_ metadata: PersistentStoreMetadata) throws(PerennialError) {
    try metadata.check(for: identifier)
    try checkWritable()
    try inTurn { turn throws(PerennialError) -> Void in
      var next = turn.metadata
      next.values = metadata.values
      try PerennialError.writing { try store.write(next) }
      turn.metadata = next
    }
  }
}
