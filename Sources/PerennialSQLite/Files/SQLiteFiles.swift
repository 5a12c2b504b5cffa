// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialSQL
package import PerennialStore

/// What can be done with the files of a SQLite store that is not open.
///
/// Nothing here is done in answer to an error: only what the program has asked for by name deletes or
/// replaces a store, and only when nobody has it open.
package struct SQLiteFiles: StoreFiles {
  /// How long to wait for the lock of another process.
  let busyTimeout: Duration
  /// Whether stores that are only read for long get no files beside them either.
  private let leavesNoTrace: Bool
  let steps: FileSteps

  package init(busyTimeout: Duration, leavesNoTrace: Bool = false) {
    self.init(busyTimeout: busyTimeout, leavesNoTrace: leavesNoTrace, steps: FileSteps())
  }

  init(busyTimeout: Duration, leavesNoTrace: Bool = false, steps: FileSteps) {
    self.busyTimeout = busyTimeout
    self.leavesNoTrace = leavesNoTrace
    self.steps = steps
  }

  package func metadata(at url: URL) throws(PerennialError) -> PersistentStoreMetadata {
    let file = try StoreFile(url, isReadOnly: true)
    return try useBriefly(file) { connection throws(PerennialError) in
      try readMetadata(on: connection, file).shown
    }
  }

  package func setMetadata(
    _ metadata: PersistentStoreMetadata,
    at url: URL
  ) throws(PerennialError) {
    let file = try existing(url)
    try use(file, isReadOnly: false) { connection throws(PerennialError) in
      let stored = try readMetadata(on: connection, file)
      try metadata.check(for: stored.identifier)
      try translating(file, .saving) { () throws(SQLiteFailure) in
        try connection.execute("PRAGMA synchronous = EXTRA")
        try MetadataTable(connection).replaceValues(with: metadata.values)
      }
    }
  }

  package func destroy(at url: URL) throws(PerennialError) {
    let names = StoreNames(url)
    guard try names.isToBeDeleted(steps) else { return try names.removeAll(steps) }
    let file = try StoreFile(names.url, isReadOnly: false)
    let lock = try file.exists ? lock(file, busyTimeout) : nil
    // The lock ends after the files have gone: nobody can open them in between.
    defer { withExtendedLifetime(lock) {} }
    try names.removeAll(steps)
  }

  package func replace(at url: URL, from source: URL) throws(PerennialError) {
    let names = StoreNames(url)
    let sourceNames = StoreNames(source)
    guard names.path != sourceNames.path else {
      throw PerennialError(
        .persistentStoreSave,
        "The store '\(names.name)' cannot be replaced with itself.",
        recovery: "name two stores"
      )
    }
    let sourceFile = try StoreFile(source, isReadOnly: true)
    try use(sourceFile, isReadOnly: true) { connection throws(PerennialError) in
      _ = try readMetadata(on: connection, sourceFile)
      try copy(connection, of: sourceNames, over: names.url)
    }
  }

  /// Copies an open store to where another one may be, which nobody has open.
  func copy(
    _ connection: SQLiteConnection,
    of source: StoreNames,
    over url: URL
  ) throws(PerennialError) {
    let names = StoreNames(url)
    let file = try StoreFile(names.url, isReadOnly: false)
    let lock = try file.exists ? lock(file, busyTimeout) : nil
    defer { withExtendedLifetime(lock) {} }
    try StoreCopy(from: connection, source, to: names, replaces: true, steps).run()
  }
}

// MARK: - Locks
extension SQLiteFiles {
  /// Copies a store to a place where none is, as it is at one moment, while others may write to it.
  ///
  /// - Parameters:
  ///   - source: The store's file.
  ///   - url: A file that does not exist.
  /// - Throws: `persistentStoreSave` when there is such a file, `persistentStoreOpen` when the source is no
  ///   store; nothing is left then.
  package func copy(from source: URL, to url: URL) throws(PerennialError) {
    let names = StoreNames(url)
    try names.checkIsFree(steps)
    let file = try StoreFile(source, isReadOnly: true)
    try use(file, isReadOnly: true) { connection throws(PerennialError) in
      _ = try readMetadata(on: connection, file)
      try StoreCopy(from: connection, StoreNames(source), to: names, replaces: false, steps).run()
    }
  }

  /// Plays back the journal that a crash has left beside a store, by opening it to write.
  ///
  /// - Parameter url: The store's file.
  /// - Throws: `persistentStoreOpen` when the file is no store.
  package func recover(at url: URL) throws(PerennialError) {
    let file = try existing(url)
    _ = try use(file, isReadOnly: false) { connection throws(PerennialError) in
      try readMetadata(on: connection, file)
    }
  }

  /// Writes a store anew, without the room that deleted rows left.
  ///
  /// - Parameter url: The store's file.
  /// - Throws: `persistentStoreTimeout` when somebody uses the store, `persistentStoreOpen` when the file is
  ///   no store; it is then as it was.
  package func vacuum(at url: URL) throws(PerennialError) {
    let file = try existing(url)
    try use(file, isReadOnly: false) { connection throws(PerennialError) in
      _ = try readMetadata(on: connection, file)
      try translating(file, .saving) { () throws(SQLiteFailure) in
        try connection.execute("PRAGMA synchronous = EXTRA")
        try connection.execute("VACUUM")
      }
    }
  }
}

extension SQLiteFiles {
  /// A lock on a store that nobody else has open; what its log held is in the file.
  ///
  /// Leaving the write-ahead log is refused while another connection has the store open, so it tells
  /// that nobody has. Of a damaged store this cannot be told: it is not locked.
  ///
  /// Who waits for the lock of a migration may get it of the former file. Then the log of its name is that of the new
  /// one, which leaving the log would delete: so the name is looked at as soon as the file cannot lose it any more.
  ///
  /// - Throws: `persistentStoreTimeout` when somebody has the store open, or has just replaced it.
  func lock(_ file: StoreFile, _ busyTimeout: Duration) throws(PerennialError) -> SQLiteConnection {
    let connection = try translating(file, .opening) { () throws(SQLiteFailure) in
      try file.connect(isReadOnly: false, busyTimeout).0
    }
    func checkIsThere() throws(SQLiteFailure) {
      if connection.hasMoved { throw SQLiteFailure(code: SQLiteFailure.busy, message: "") }
    }
    do throws(SQLiteFailure) {
      let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
      guard tables.isEmpty || tables.contains("Z_METADATA") else {
        throw SQLiteFailure(code: Self.foreign, message: "")
      }
      // With a log open, the connection keeps its lock on the file after reading.
      try checkIsThere()
      let mode = try connection.texts("PRAGMA journal_mode = DELETE")
      guard mode == ["delete"] else { throw SQLiteFailure(code: SQLiteFailure.busy, message: "") }
      try connection.execute("BEGIN EXCLUSIVE")
      try checkIsThere()
    } catch {
      switch error.primaryCode {
      case Self.foreign: throw .foreignDatabase(file.name)
      case SQLiteFailure.busy, SQLiteFailure.locked: throw .isOpen(file.name)
      case SQLiteFailure.corrupt: break
      default: throw PerennialError(error, during: .opening, store: file.name)
      }
    }
    return connection
  }

  /// No code of SQLite's.
  private static let foreign: Int32 = 0xFE

  func existing(_ url: URL) throws(PerennialError) -> StoreFile {
    let file = try StoreFile(url, isReadOnly: false)
    guard file.exists else {
      throw .cannotOpen("The store '\(file.name)' does not exist.", "check the URL")
    }
    return file
  }

  func readMetadata(
    on connection: SQLiteConnection,
    _ file: StoreFile
  ) throws(PerennialError) -> StoreMetadata {
    var isForeign = false
    var problem: String?
    let stored = try translating(file, .reading) { () throws(SQLiteFailure) -> StoreMetadata? in
      let tables = try connection.texts("SELECT name FROM sqlite_master WHERE type = 'table'")
      guard tables.contains("Z_METADATA") else {
        isForeign = !tables.contains("Z_PRIMARYKEY")
        return nil
      }
      let table = MetadataTable(connection)
      let stored = try table.read()
      problem = stored == nil ? try table.problem() : nil
      return stored
    }
    if isForeign { throw .foreignDatabase(file.name) }
    guard let stored else { throw .withoutMetadata(file.name, problem) }
    return stored
  }

  /// Looks at a store quickly: no file appears beside it.
  func useBriefly<Result>(
    _ file: StoreFile,
    _ body: (SQLiteConnection) throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    let connection = try translating(file, .opening) { () throws(SQLiteFailure) in
      try file.connectBriefly(busyTimeout)
    }
    return try body(connection)
  }

  /// Opens a store, and closes it after the closure; what was written is moved from the log into the file.
  func use<Result>(
    _ file: StoreFile,
    isReadOnly: Bool,
    _ body: (SQLiteConnection) throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    let connection = try translating(file, .opening) { () throws(SQLiteFailure) in
      try file.connect(isReadOnly: isReadOnly, busyTimeout, leavesNoTrace: leavesNoTrace).0
    }
    let result = try body(connection)
    if !isReadOnly { moveLog(of: file, by: connection) }
    return result
  }

  /// Moves the log into the file; closing does that only where nobody else has the store open.
  private func moveLog(of file: StoreFile, by connection: SQLiteConnection) {
    var gate = CheckpointGate(nil)
    if SQLiteLibrary.checkpointsLoseCommits {
      gate = CheckpointGate { () throws(SQLiteFailure) in
        let other = try file.connect(isReadOnly: false, busyTimeout).0
        SQLiteLibrary.keepLogOnClose(other.handle, true)
        return ConfinedConnection(connection: other)
      }
    }
    gate.whileClosed { _ = connection.checkpoint() }
  }

  func translating<Result>(
    _ file: StoreFile,
    _ activity: StoreActivity,
    _ body: () throws(SQLiteFailure) -> Result
  ) throws(PerennialError) -> Result {
    do throws(SQLiteFailure) {
      return try body()
    } catch {
      throw PerennialError(error, during: activity, store: file.name)
    }
  }
}

extension PerennialError {
  /// A store that somebody has open.
  fileprivate static func isOpen(_ store: String) -> PerennialError {
    PerennialError(
      .persistentStoreTimeout,
      "The store '\(store)' is open: its files cannot be deleted, replaced or migrated.",
      recovery: "let go of the containers that have it open, in other processes too"
    )
  }
}
