// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore

extension PostgresStore {
  /// What a store that is not open says of its model; nothing is made or changed.
  ///
  /// - Parameter location: The database.
  /// - Returns: What it says.
  /// - Throws: `persistentStoreOpen` (134080) when there is no way to the database, or it has no store.
  package static func storedModel(
    at location: PostgresLocation
  ) throws(PerennialError) -> StoredModel {
    let pool = PostgresPool(location)
    defer { pool.close() }
    let found: (names: MetadataNames, row: MetadataRow?)
    do throws(PostgresFailure) {
      found = try pool.use { connection throws(PostgresFailure) in
        let names = (try TableNames.found(on: connection) ?? .coreData).schemaNames.metadata
        return (names, try MetadataRow.read(names, connection))
      }
    } catch {
      if error.state == .undefinedTable || error.state == .undefinedColumn {
        throw PerennialError(
          .persistentStoreOpen,
          "The database of '\(location)' has no store.",
          recovery: "check the URL and its 'options=-csearch_path%3D…', if it has one",
          underlying: error
        )
      }
      throw PerennialError(error, during: .opening, store: location)
    }
    guard let metadata = found.row?.metadata, let hashes = metadata.hashes else {
      throw .withoutMetadata(location, found.names)
    }
    return StoredModel(hashes: hashes, encoded: metadata.encodedModel)
  }
}
#endif
