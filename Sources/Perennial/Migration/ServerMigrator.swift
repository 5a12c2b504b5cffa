// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore

/// Migrates a store on a server before it is opened: by way of a file, where whatever files can do is done.
///
/// The store's objects are copied into a file beside nobody's, the file is migrated like any other, and what it holds
/// then takes the place of the store's tables in one transaction. Others can read the store until that begins, and wait
/// from then on; their saves wait from the beginning, and are refused afterwards.
struct ServerMigrator {
  private let description: StoreDescription
  private let model: ModelLayout
  private let classes: [String: ManagedObject.Type]
  private let log: EventLog
  private let begin: ServerKind.Migrating

  /// A migrator; `nil` for a store on no server, or on one that migrates nothing.
  init?(
    _ description: StoreDescription,
    _ model: ModelLayout,
    _ classes: [String: ManagedObject.Type],
    _ log: EventLog
  ) {
    guard let begin = description.server?.migrating else { return nil }
    self.description = description
    self.model = model
    self.classes = classes
    self.log = log
    self.begin = begin
  }

  /// Migrates the store.
  ///
  /// - Throws: Why the store cannot be migrated: 134100, 134110, 134111, 134120, or the store's error. It is as it
  ///   was then.
  func run() throws(PerennialError) {
    let migration = try begin(description, log)
    let stored = migration.storedModel
    // Another process may have migrated it before the lock was there.
    if stored.fits(model) { return }
    // What is refused is refused before anything is copied.
    _ = try MigrationRoute(from: stored, to: ManagedObjectModel(model), description)
    let known = description.migration.models
    guard
      let old = stored.model
        ?? known.first(where: { $0.layout.versionHashes == stored.hashes })
    else {
      throw .incompatible(nil, stored.differences(from: model))
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "perennial-migration-\(UUID().uuidString)", directoryHint: .isDirectory)
    try makeFolder(folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = file(in: folder)
    try copy(migration, old.layout, to: file)
    let migrated = try StoreOpening.open(file, model: model, classes: classes, log: log)
    try migration.replace(with: migrated)
  }

  /// Copies what the store holds into a file, which is closed then.
  private func copy(
    _ migration: any ServerMigration,
    _ model: ModelLayout,
    to file: StoreDescription
  ) throws(PerennialError) {
    let copy = try StoreOpening.openAsIs(file, model: model, log: .quiet)
    try StoreTransfer(from: migration.open(model), to: copy, isDraft: true).run()
  }

  /// A file that is migrated as the store is to be.
  private func file(in folder: URL) -> StoreDescription {
    let name = description.url?.lastPathComponent ?? ""
    var file = StoreDescription.sqlite(
      folder.appending(path: (name.isEmpty ? "Store" : name) + ".sqlite")
    )
    file.durability = .survivesProcessDeathOnly
    file.migrationOptions = description.migrationOptions
    file.shouldInferMappingModelAutomatically = description.shouldInferMappingModelAutomatically
    return file
  }

  private func makeFolder(_ folder: URL) throws(PerennialError) {
    do {
      try FileManager.default.createDirectory(
        at: folder,
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
      )
    } catch {
      throw PerennialError(
        .migration,
        "The store cannot be migrated: there is no room for its copy in '\(folder.deletingLastPathComponent().path())'.",
        recovery: "see that the folder for temporary files can be written; the store is as it was",
        underlying: error
      )
    }
  }
}
