// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import Synchronization

extension InMemoryStore: DescribedStore {
  package func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata {
    PersistentStoreMetadata(
      storeID: identifier,
      storeType: "InMemory",
      modelVersionHashes: model.versionHashes.byEntity,
      values: notes.withLock { $0 }
    )
  }

  package func setStoreMetadata(_ metadata: PersistentStoreMetadata) throws(PerennialError) {
    try metadata.check(for: identifier)
    try checkWritable()
    notes.withLock { $0 = metadata.values }
  }
}
