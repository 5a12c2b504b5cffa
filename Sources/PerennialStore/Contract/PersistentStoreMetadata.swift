// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// What a store says about itself, and what the application keeps with it.
///
/// ```swift
/// var metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: .sqlite(url))
/// metadata["lastImport"] = .date(.now)
/// try PersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreAt: .sqlite(url))
/// ```
///
/// A store of your own keeps this value as it is given; that is why it is `Codable`.
///
/// Core Data: the dictionary of `NSPersistentStore.metadata`.
public struct PersistentStoreMetadata: Sendable, Hashable, Codable {
  /// The store's identifier, which never changes.
  ///
  /// Core Data: `NSStoreUUIDKey`.
  public let storeID: UUID
  /// The kind of store: `SQLite`, `InMemory` and so on.
  ///
  /// Core Data: `NSStoreTypeKey`.
  public let storeType: String
  /// The version hash of every entity of the model that the store was written with, 32 bytes each.
  ///
  /// Core Data: `NSStoreModelVersionHashesKey`.
  public let modelVersionHashes: [String: Data]
  /// The application's own entries; a key must not begin with `NS` or `_NS`, or be `PerennialModel`.
  public var values: [String: PropertyValue]

  /// Metadata.
  ///
  /// - Parameters:
  ///   - storeID: The store's identifier.
  ///   - storeType: The kind of store.
  ///   - modelVersionHashes: `ManagedObjectModel.entityVersionHashesByName`.
  ///   - values: The application's own entries.
  public init(
    storeID: UUID,
    storeType: String,
    modelVersionHashes: [String: Data],
    values: [String: PropertyValue] = [:]
  ) {
    self.storeID = storeID
    self.storeType = storeType
    self.modelVersionHashes = modelVersionHashes
    self.values = values
  }

  /// One of the application's own entries; setting `nil` removes it.
  ///
  /// - Parameter key: The name of the entry.
  /// - Returns: The value; `nil` when there is no such entry.
  public subscript(key: String) -> PropertyValue? {
    get { values[key] }
    set { values[key] = newValue }
  }

  /// The key of the model that a store was written with.
  package static let modelKey = "PerennialModel"

  /// Whether a key belongs to the store and not to the application.
  package static func isReserved(_ key: String) -> Bool {
    key.hasPrefix("NS") || key.hasPrefix("_NS") || key == modelKey
  }

  /// Throws when the application's entries cannot be written to the store of an identifier.
  package func check(for store: UUID) throws(PerennialError) {
    guard storeID == store else {
      throw PerennialError(
        .persistentStoreSave,
        "The metadata belong to another store.",
        recovery: "read the store's own metadata, change their values and set them"
      )
    }
    for key in values.keys.sorted() { try Self.check(key) }
  }

  /// Throws when a key belongs to the store and not to the application.
  package static func check(_ key: String) throws(PerennialError) {
    guard !isReserved(key) else {
      throw PerennialError(
        .unknownName,
        "The metadata key '\(key)' belongs to the store.",
        recovery: "choose a key that begins neither with NS nor with _NS, and is not \(modelKey)"
      )
    }
  }
}
