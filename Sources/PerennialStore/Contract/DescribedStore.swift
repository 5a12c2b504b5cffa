// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// A store that keeps notes of the application's with its rows.
package protocol DescribedStore: RowStore {
  /// What the store says of itself, and the application's entries.
  func storeMetadata() throws(PerennialError) -> PersistentStoreMetadata

  /// Replaces the application's entries; durable when it returns, if the store is.
  ///
  /// - Throws: The store's error, or that a key is the store's own.
  func setStoreMetadata(_ metadata: PersistentStoreMetadata) throws(PerennialError)
}

/// A store that can be copied while it is used.
package protocol CopyableStore: RowStore {
  /// Copies the store, as it is at one moment, to a file that does not exist.
  ///
  /// The file appears under its name when it is complete and on the disk.
  ///
  /// - Throws: `persistentStoreSave` when there is such a file, or the store's error.
  func copy(to url: URL) throws(PerennialError)
}

/// What can be done with the files of one kind of store while the store is not open.
package protocol StoreFiles: Sendable {
  /// What a store says of itself; nothing is written.
  func metadata(at url: URL) throws(PerennialError) -> PersistentStoreMetadata

  /// Replaces the application's entries of a store.
  func setMetadata(_ metadata: PersistentStoreMetadata, at url: URL) throws(PerennialError)

  /// Deletes a store with everything that belongs to it; no error when there is none.
  ///
  /// - Throws: `persistentStoreTimeout` when somebody has it open, `persistentStoreOpen` when the file
  ///   is no such store; then it is left as it is.
  func destroy(at url: URL) throws(PerennialError)

  /// Puts a copy of a store in the place of another one, or where none is.
  ///
  /// After a crash there is the old store or the new one.
  ///
  /// - Throws: As ``destroy(at:)`` for the old store; the new one may be open.
  func replace(at url: URL, from source: URL) throws(PerennialError)
}
