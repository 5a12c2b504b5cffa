// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
public import PerennialStore

// Stores that are not open, and copies of those that are. Nothing here happens by itself: no error ever
// deletes or replaces a store.

extension PersistentStoreCoordinator {
  /// Reads the metadata of a store: its own entries, and the application's.
  ///
  /// The store is not opened for use, and nothing is written.
  ///
  /// Core Data: `metadataForPersistentStore(ofType:at:options:)`.
  ///
  /// - Parameter store: The store. Of the settings for opening it, only the timeout matters.
  /// - Returns: The metadata.
  /// - Throws: `persistentStoreOpen` (134080) when there is no such store, or when it has no file, as a store in
  ///   memory.
  public static func metadataForPersistentStore(
    at store: StoreDescription
  ) throws(PerennialError) -> PersistentStoreMetadata {
    let (files, url) = try StoreOpening.files(of: store)
    return try StoreTurn(store).open { () throws(PerennialError) in try files.metadata(at: url) }
  }

  /// Replaces the application's own entries in the metadata of a store that is not open here.
  ///
  /// Core Data: `setMetadata(_:forPersistentStoreOfType:at:options:)`.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of this store, with other values.
  ///   - store: The store.
  /// - Throws: `persistentStoreOpen` (134080) when there is no such store; `persistentStoreSave` (134030)
  ///   for the metadata of another store; `unknownName` (200003) for a key that belongs to the store.
  public static func setMetadata(
    _ metadata: PersistentStoreMetadata,
    forPersistentStoreAt store: StoreDescription
  ) throws(PerennialError) {
    let (files, url) = try StoreOpening.files(of: store)
    try StoreTurn(store).open { () throws(PerennialError) in
      try files.setMetadata(metadata, at: url)
    }
  }

  /// Deletes a store: its main file and everything that belongs to it.
  ///
  /// A store that does not exist is no error.
  ///
  /// Core Data: `destroyPersistentStore(at:type:options:)`.
  ///
  /// - Parameter store: The store.
  /// - Throws: `persistentStoreTimeout` (134090) when anybody has the store open, in any process, or saves it;
  ///   `persistentStoreOpen` (134080) when the file is no store of that kind. The store is then left as it is. Of
  ///   a JSON store only a save can be noticed: it is deleted while others have it open, and they cannot save any
  ///   more.
  public static func destroyPersistentStore(at store: StoreDescription) throws(PerennialError) {
    let (files, url) = try StoreOpening.files(of: store)
    try StoreTurn(store).replace { () throws(PerennialError) in try files.destroy(at: url) }
    StoreDraft.removeAll(of: url)
  }

  /// Puts a copy of a store in the place of another one of the same kind, or where there is none.
  ///
  /// The copy has the source's identifier. After a crash there is the old store or the new one. The source may be
  /// open. Nobody can tell whether a JSON store is open: a program that has the replaced one open can no longer
  /// fetch and save (134080). If the copy is one of the same store, such as a backup, the program goes on as if
  /// somebody had saved it.
  ///
  /// Core Data: `replacePersistentStore(at:destinationOptions:withPersistentStoreFrom:…)`.
  ///
  /// - Parameters:
  ///   - store: The store that is replaced.
  ///   - source: The store that is copied.
  /// - Throws: As ``destroyPersistentStore(at:)``; `persistentStoreOpen` when there is no source;
  ///   `persistentStoreSave` (134030) when the two are of different kinds, or one and the same.
  public static func replacePersistentStore(
    at store: StoreDescription,
    withPersistentStoreFrom source: StoreDescription
  ) throws(PerennialError) {
    let (files, url) = try StoreOpening.files(of: store)
    let (_, sourceURL) = try StoreOpening.files(of: source)
    guard StoreOpening.type(of: store) == StoreOpening.type(of: source) else {
      throw PerennialError(
        .persistentStoreSave,
        "A store cannot be replaced with one of another kind.",
        recovery:
          "open the source, use 'copyPersistentStore(_:to:)', and replace the store with the copy"
      )
    }
    try StoreTurn(store).replace(copying: StoreTurn(source)) { () throws(PerennialError) in
      try files.replace(at: url, from: sourceURL)
    }
    StoreDraft.removeAll(of: url)
  }

  /// The metadata of an open store: its own entries, and the application's.
  ///
  /// Core Data: `metadata(for:)`.
  ///
  /// - Parameter store: One of ``persistentStores``.
  /// - Returns: The store's identity, its kind, the hashes of its model, and the application's own entries.
  /// - Throws: `persistentStoreOpen` (134080) for a store that is not open here or cannot be read,
  ///   `persistentStoreUnsupportedRequestType` (134091) for a kind of store that keeps no metadata.
  public func metadata(for store: Store) throws(PerennialError) -> PersistentStoreMetadata {
    guard let opened = try opened(store) as? any DescribedStore else { throw .withoutNotes(store) }
    return try opened.storeMetadata()
  }

  /// Replaces the application's own entries in the metadata of an open store, at once.
  ///
  /// Core Data: `setMetadata(_:for:)`, which waits for the next save.
  ///
  /// - Parameters:
  ///   - metadata: The metadata of this store, with other values.
  ///   - store: One of ``persistentStores``.
  /// - Throws: As ``metadata(for:)``; `persistentStoreSave` (134030) for the metadata of another store;
  ///   `unknownName` (200003) for a key that belongs to the store; or why the store cannot be written.
  public func setMetadata(
    _ metadata: PersistentStoreMetadata,
    for store: Store
  ) throws(PerennialError) {
    guard let opened = try opened(store) as? any DescribedStore else { throw .withoutNotes(store) }
    try opened.setStoreMetadata(metadata)
  }

  /// Copies a store while it is used, as it is at one moment.
  ///
  /// The file appears under its name when it is complete and on the disk.
  ///
  /// - Parameters:
  ///   - store: A store of this coordinator.
  ///   - url: A file that does not exist.
  /// - Throws: `persistentStoreSave` (134030) when the file exists, or for a store without a file, such as one in
  ///   memory.
  public func backUp(_ store: Store, to url: URL) throws(PerennialError) {
    guard let opened = try opened(store) as? any CopyableStore else {
      throw PerennialError(
        .persistentStoreSave,
        "A store of the kind '\(store.type)' has no file that could be copied.",
        recovery: "use 'copyPersistentStore(_:to:)'"
      )
    }
    try opened.copy(to: url)
  }
}

extension PerennialError {
  fileprivate static func withoutNotes(_ store: PersistentStoreCoordinator.Store) -> PerennialError
  {
    PerennialError(
      .persistentStoreUnsupportedRequestType,
      "A store of the kind '\(store.type)' has no metadata.",
      recovery: "keep what you want to note in an object"
    )
  }
}
