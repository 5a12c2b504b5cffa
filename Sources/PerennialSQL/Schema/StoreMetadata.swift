// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialStore

/// The one row of the table of metadata: the store's identifier and a property list.
///
/// Entries that Perennial does not know are kept as they are.
package struct StoreMetadata {
  /// The store's identifier.
  package var identifier: UUID
  private var entries: [String: Any]
  /// What kind of store it is when no entry says so.
  private let storeType: String

  /// The metadata of a new store.
  ///
  /// - Parameters:
  ///   - identifier: Its identifier.
  ///   - model: Its model.
  ///   - storeType: What Core Data calls its kind: `SQLite`.
  package init(identifier: UUID, model: ModelLayout, storeType: String) {
    self.identifier = identifier
    self.storeType = storeType
    entries = [
      Key.storeType: storeType,
      Key.frameworkVersion: 1344,
      Key.hashesVersion: 3,
      Key.identifiers: [""],
    ]
    setModel(model)
  }

  /// Reads stored metadata, or `nil` when it is no property list or has no identifier.
  ///
  /// - Parameters:
  ///   - identifier: The identifier.
  ///   - propertyList: The list.
  ///   - storeType: What kind of store it is when the list does not say so.
  package init?(identifier: String, propertyList: Data, storeType: String = "") {
    // Of what has a set in it, as no property list has, Foundation may make what ends the program.
    guard let identifier = UUID(uuidString: identifier),
      !propertyList.starts(with: Data("bplist".utf8))
        || (try? BinaryPropertyList(propertyList)) != nil,
      let list = try? PropertyListSerialization.propertyList(from: propertyList, format: nil),
      let entries = list as? [String: Any]
    else { return nil }
    self.identifier = identifier
    self.entries = entries
    self.storeType = storeType
  }

  /// The version hashes, or `nil` when the store has none of the kind that Perennial computes.
  package var hashes: VersionHashes? {
    guard entries[Key.hashesVersion] as? Int == 3 else { return nil }
    return (entries[Key.hashes] as? [String: Data]).map { VersionHashes(byEntity: $0) }
  }

  /// The model, as ``StoredModel/encode(_:)`` made it; `nil` when the store does not have it.
  package var encodedModel: Data? { entries[PersistentStoreMetadata.modelKey] as? Data }

  /// Notes the model that the store is of from now on.
  package mutating func setModel(_ model: ModelLayout) {
    let hashes = model.versionHashes
    entries[Key.hashes] = hashes.byEntity
    entries[Key.digest] = hashes.digest
    entries[Key.checksum] = hashes.checksum
    entries[PersistentStoreMetadata.modelKey] = StoredModel.encode(model)
  }

  /// The version of the framework that made the store, as it calls itself.
  package var frameworkVersion: Int? { entries[Key.frameworkVersion] as? Int }

  /// What the author of the model calls its version.
  package var versionIdentifiers: [String] { entries[Key.identifiers] as? [String] ?? [] }

  /// The property list in its binary form.
  package func propertyList() throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
  }

  /// An entry of the application's own; `nil` when there is none of a type that can be given.
  package subscript(key: String) -> PropertyValue? {
    switch entries[key] {
    case let value as Bool where !(entries[key] is Int) || Self.isBoolean(entries[key]):
      .boolean(value)
    case let value as Int: .integer(Int64(value))
    case let value as Double: .double(value)
    case let value as String: .string(value)
    case let value as Date: .date(value)
    case let value as Data: .data(value)
    default: nil
    }
  }

  /// The application's own entries of types that can be given.
  package var values: [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for key in entries.keys where !PersistentStoreMetadata.isReserved(key) {
      values[key] = self[key]
    }
    return values
  }

  /// What users see.
  package var shown: PersistentStoreMetadata {
    PersistentStoreMetadata(
      storeID: identifier,
      storeType: entries[Key.storeType] as? String ?? storeType,
      modelVersionHashes: entries[Key.hashes] as? [String: Data] ?? [:],
      values: values
    )
  }

  /// Replaces the application's own entries; those of types that cannot be given stay.
  package mutating func replaceValues(with values: [String: PropertyValue]) {
    for (key, old) in self.values where values[key] != old {
      entries[key] = nil
    }
    for (key, value) in values where self[key] != value { set(value, forKey: key) }
  }

  /// Sets an entry, or removes it when the value is null.
  package mutating func set(_ value: PropertyValue, forKey key: String) {
    entries[key] =
      switch value {
      case .null: nil
      case .boolean(let value): value
      case .integer(let value): Int(value)
      case .double(let value): value
      case .decimal(let value): "\(value)"
      case .string(let value): value
      case .date(let value): value
      case .data(let value): value
      case .uuid(let value): value.uuidString
      case .url(let value): value.absoluteString
      case .objectID(let value): value.uriRepresentation.absoluteString
      }
  }

  private static func isBoolean(_ value: Any?) -> Bool {
    guard let value else { return false }
    return type(of: value) == Bool.self || "\(type(of: value))".contains("Boolean")
      || (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
  }

  /// The names of the store's own entries.
  package enum Key {
    /// The kind of store.
    package static let storeType = "NSStoreType"
    /// The version of the framework that made the store.
    package static let frameworkVersion = "NSPersistenceFrameworkVersion"
    /// The version of the way in which hashes are made.
    package static let hashesVersion = "NSStoreModelVersionHashesVersion"
    /// What the author of the model calls its version.
    package static let identifiers = "NSStoreModelVersionIdentifiers"
    /// The hashes of the entities.
    package static let hashes = "NSStoreModelVersionHashes"
    /// The digest of the hashes.
    package static let digest = "NSStoreModelVersionHashesDigest"
    /// The checksum of the model.
    package static let checksum = "NSStoreModelVersionChecksumKey"
  }
}
