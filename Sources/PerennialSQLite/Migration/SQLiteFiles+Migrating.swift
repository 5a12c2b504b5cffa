// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialSQL
package import PerennialStore

extension SQLiteFiles: MigratableFiles {
  package func storedModel(
    at url: URL,
    among known: [ManagedObjectModel]
  ) throws(PerennialError) -> StoredModel {
    let file = try StoreFile(url, isReadOnly: true)
    return try useBriefly(file) { connection throws(PerennialError) in
      let metadata = try readMetadata(on: connection, file)
      guard let hashes = metadata.hashes else { throw .withoutMetadata(file.name) }
      let stored = StoredModel(hashes: hashes, encoded: metadata.encodedModel)
      if stored.model != nil { return stored }
      let model = try translating(file, .reading) { () throws(SQLiteFailure) in
        try WriterModel(hashes, on: connection).choose(among: known)
      }
      return model.map(StoredModel.init(model:)) ?? stored
    }
  }

  package func lockForMigration(at url: URL) throws(PerennialError) -> any MigrationLock {
    let names = StoreNames(url)
    let connection = try lock(existing(names.url), .zero)
    // A copy is not made of a transaction; the lock stays without one.
    try working(on: names) {
      try connection.execute("PRAGMA locking_mode = EXCLUSIVE; COMMIT")
    }
    return SQLiteMigrationLock(connection)
  }

  package func makeDraft(
    of url: URL,
    in draft: StoreDraft,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    guard let lock = lock as? SQLiteMigrationLock else { return }
    try working(on: StoreNames(url)) {
      // The draft is written to the disk before it gets the store's name.
      try lock.copy(to: draft.url.path(percentEncoded: false))
    }
  }

  package func migrate(
    _ url: URL,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor
  ) throws(PerennialError) {
    let names = StoreNames(url)
    try working(on: names) {
      let connection = try SQLiteConnection(
        path: names.path,
        access: .write,
        busyTimeout: busyTimeout
      )
      if let code = try SchemaCatalogue(connection).foreignCode() {
        throw PerennialError.foreignCode(code, in: names.name)
      }
      SQLiteLibrary.allowNoJournal(connection.handle)
      try connection.execute(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -131072"
      )
      try SchemaMigration(connection, names, mapping, monitor).run()
    }
    try monitor.step()
  }

  package func keep(
    _ url: URL,
    as backup: URL,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    guard let lock = lock as? SQLiteMigrationLock else { return }
    try copy(lock.connection, of: StoreNames(url), over: backup)
  }

  package func put(
    _ file: URL,
    over url: URL,
    previous: URL?,
    _ lock: any MigrationLock
  ) throws(PerennialError) {
    let names = StoreNames(url)
    guard let lock = lock as? SQLiteMigrationLock else { return }
    try working(on: names) {
      let path = file.path(percentEncoded: false)
      try steps.copyPermissions(of: names.path, to: path)
      try steps.synchronise(path)
      if let previous {
        try keep(names, as: previous.path(percentEncoded: false), lock)
        try steps.synchronise(names.folder)
      }
      try names.take(path, steps)
    }
    withExtendedLifetime(lock) {}
  }

  /// Keeps what a store is: under another name of its file, or as a copy where a file has one name only.
  private func keep(
    _ names: StoreNames,
    as previous: String,
    _ lock: SQLiteMigrationLock
  ) throws {
    if try steps.addName(previous, to: names.path) { return }
    try lock.copy(to: previous)
    try steps.copyPermissions(of: names.path, to: previous)
    try steps.synchronise(previous)
  }

  /// Says of which store a failure is.
  private func working(on names: StoreNames, _ body: () throws -> Void) throws(PerennialError) {
    do {
      try body()
    } catch let error as PerennialError {
      throw error
    } catch let failure as SQLiteFailure {
      if failure.primaryCode == SQLiteFailure.interrupt { throw .migrationCancelled }
      throw PerennialError(failure, during: .saving, store: names.name)
    } catch {
      throw PerennialError(
        .migration,
        "The store '\(names.name)' cannot be migrated.",
        recovery:
          "see that its folder can be written and that the disk has room; the store is as it was",
        underlying: error
      )
    }
  }
}

/// The connection that keeps everybody else away from a store.
///
/// Safe because whoever migrates the store uses it on one thread at a time.
private final class SQLiteMigrationLock: MigrationLock {
  let connection: SQLiteConnection

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// Copies the store to a file that is not there, or an empty one; it need not be on the disk then.
  ///
  /// It is read through this connection: to close another descriptor of the store's file would end the lock.
  func copy(to path: String) throws(SQLiteFailure) {
    let copy = try SQLiteConnection(path: path, access: .create, busyTimeout: .zero)
    try copy.execute("PRAGMA synchronous = OFF")
    try connection.copy(to: copy)
  }
}
