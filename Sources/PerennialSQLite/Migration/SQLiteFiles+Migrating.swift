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
    let names = StoreNames(url)
    guard let lock = lock as? SQLiteMigrationLock else { return }
    try working(on: names) {
      let path = draft.url.path(percentEncoded: false)
      let copy = try SQLiteConnection(path: path, access: .create, busyTimeout: .zero)
      // The draft is written to the disk before it gets the store's name.
      try copy.execute("PRAGMA synchronous = OFF")
      try lock.connection.copy(to: copy)
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
    try working(on: names) {
      let path = file.path(percentEncoded: false)
      try steps.copyPermissions(of: names.path, to: path)
      try steps.synchronise(path)
      if let previous {
        try steps.keep(names.path, as: previous.path(percentEncoded: false))
        try steps.synchronise(names.folder)
      }
      try names.take(path, steps)
    }
    withExtendedLifetime(lock) {}
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
}
