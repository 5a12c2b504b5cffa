// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore

extension PostgresStore: DescribedStore {
  package func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata {
    let names = schema.names.metadata
    let row = try read { connection throws(PostgresFailure) in
      try MetadataRow.read(names, connection)
    }
    guard let shown = row?.metadata?.shown else { throw .withoutMetadata(location, names) }
    return shown
  }

  package func setStoreMetadata(_ metadata: PersistentStoreMetadata) throws(PerennialError) {
    try checkWritable()
    try metadata.check(for: identifier)
    let names = schema.names.metadata
    let isThere = try write { connection throws(PostgresFailure) in
      // Locked, so that what others change meanwhile is not lost.
      guard var stored = try MetadataRow.read(names, connection, forUpdate: true)?.metadata else {
        return false
      }
      stored.replaceValues(with: metadata.values)
      try MetadataRow.write(stored, names, connection)
      return true
    }
    if !isThere { throw .withoutMetadata(location, names) }
  }
}
#endif
