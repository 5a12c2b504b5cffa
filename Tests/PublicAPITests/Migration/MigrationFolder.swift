// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// The kinds of stores that have files which can be migrated.
enum MigrationStoreKind: String, CaseIterable, Sendable {
  case sqlite, json
}

/// A folder for a store that is migrated; it goes with the test.
final class MigrationFolder {
  let url: URL

  init() {
    url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func name(_ kind: MigrationStoreKind) -> String { "Books.\(kind.rawValue)" }

  func store(_ kind: MigrationStoreKind, at url: URL? = nil) -> StoreDescription {
    let url = url ?? self.url.appending(path: name(kind))
    return kind == .json ? .json(url) : .sqlite(url)
  }

  /// A model of books whose covers may lie in files of their own.
  func bookModel(_ extra: [PropertyDescription] = []) throws -> ManagedObjectModel {
    let cover = AttributeDescription(
      "cover",
      .binaryData,
      isOptional: true,
      allowsExternalBinaryDataStorage: true
    )
    return try ManagedObjectModel(
      EntityDescription(
        "Book",
        properties: [.attribute("title", .string), .attribute(cover)] + extra
      )
    )
  }

  /// A context of a store.
  func open(
    _ store: StoreDescription,
    _ model: ManagedObjectModel
  ) throws -> ManagedObjectContext {
    try PersistentContainer(name: "Store", model: model, store: store).newBackgroundContext()
  }

  /// Writes an object of each entity, with its entity as its name.
  func write(
    _ store: StoreDescription,
    _ model: ManagedObjectModel,
    _ entities: String...
  ) throws {
    let context = try open(store, model)
    for entity in entities {
      try context.insert(entityNamed: entity).setValue("a \(entity)", forKey: "name")
    }
    try context.save()
  }

  /// The bytes of the store; a SQLite store that nobody has open has no log.
  func contents(_ kind: MigrationStoreKind) throws -> Data {
    try Data(contentsOf: url.appending(path: name(kind)))
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: url.path(percentEncoded: false))
  }

  /// Whether there is nothing but the store and what its engine keeps beside it.
  func hasOnlyCompanions(_ kind: MigrationStoreKind) throws -> Bool {
    try names().allSatisfy { $0.hasPrefix(name(kind)) && !$0.contains(".copy-") }
  }
}
