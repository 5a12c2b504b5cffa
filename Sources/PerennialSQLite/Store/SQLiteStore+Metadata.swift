// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialSQL
package import PerennialStore

extension SQLiteStore: DescribedStore {
  package func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata {
    let stored = try read { connection throws(SQLiteFailure) in
      try connection.unnoticed { () throws(SQLiteFailure) in
        try MetadataTable(connection).read()?.shown
      }
    }
    guard let stored else { throw .withoutMetadata(name) }
    return stored
  }

  package func setStoreMetadata(_ metadata: PersistentStoreMetadata) throws(PerennialError) {
    try metadata.check(for: identifier)
    try write { connection throws(SQLiteFailure) in
      try MetadataTable(connection).replaceValues(with: metadata.values)
    }
  }
}

extension SQLiteStore {
  /// An entry of the application's own in the store's metadata.
  ///
  /// - Returns: The value; `nil` when there is none, or none of a type that can be given.
  package func metadata(forKey key: String) throws(PerennialError) -> PropertyValue? {
    try read { connection throws(SQLiteFailure) in
      try MetadataTable(connection).read()?[key]
    }
  }

  /// Sets an entry of the application's own, or removes it when the value is null; all other
  /// entries stay as they are.
  ///
  /// - Throws: `unknownName` when the key is one of the store's own (`NS…`).
  package func setMetadata(_ value: PropertyValue, forKey key: String) throws(PerennialError) {
    try PersistentStoreMetadata.check(key)
    try write { connection throws(SQLiteFailure) in
      try connection.transaction(.immediate) { () throws(SQLiteFailure) in
        let table = MetadataTable(connection)
        guard var metadata = try table.read() else { return }
        metadata.set(value, forKey: key)
        try table.write(metadata, isNew: false)
      }
    }
  }
}
