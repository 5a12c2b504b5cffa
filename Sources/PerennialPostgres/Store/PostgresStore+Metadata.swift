// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore

extension PostgresStore: DescribedStore {
  package func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata {
    let row = try read { connection throws(PostgresFailure) in
      try MetadataRow.read(connection)
    }
    guard let shown = row?.metadata?.shown else { throw .withoutMetadata(location) }
    return shown
  }

  package func setStoreMetadata(_ metadata: PersistentStoreMetadata) throws(PerennialError) {
    try checkWritable()
    try metadata.check(for: identifier)
    let isThere = try write { connection throws(PostgresFailure) in
      // Locked, so that what others change meanwhile is not lost.
      guard var stored = try MetadataRow.read(connection, forUpdate: true)?.metadata else {
        return false
      }
      stored.replaceValues(with: metadata.values)
      try MetadataRow.write(stored, connection)
      return true
    }
    if !isThere { throw .withoutMetadata(location) }
  }
}
#endif
