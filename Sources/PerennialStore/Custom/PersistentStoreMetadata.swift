// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

/// What a store knows of itself, besides its rows.
///
/// A store keeps it as it is; it is `Codable` for that.
///
/// Core Data: `NSPersistentStore.metadata`.
public struct PersistentStoreMetadata: Sendable, Hashable, Codable {
  /// The store's identity, part of the IDs of its objects; it never changes.
  ///
  /// Core Data: `NSStoreUUIDKey`.
  public var identifier: UUID
  /// A hash of every entity of the model that the rows are of.
  ///
  /// Core Data: `NSStoreModelVersionHashesKey`.
  public var versionHashes: [String: Data]
  /// Entries of the application's own.
  public var entries: [String: PropertyValue]

  /// Metadata.
  ///
  /// - Parameters:
  ///   - identifier: The store's identity.
  ///   - versionHashes: `ManagedObjectModel.entityVersionHashesByName`.
  ///   - entries: Entries of the application's own.
  public init(
    identifier: UUID,
    versionHashes: [String: Data],
    entries: [String: PropertyValue] = [:]
  ) {
    self.identifier = identifier
    self.versionHashes = versionHashes
    self.entries = entries
  }
}
