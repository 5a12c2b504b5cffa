// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Opens the connections of a store that has been checked, and gives each the settings of its work.
struct ConnectionMaker: Sendable {
  let path: String
  /// How the store was opened.
  let access: SQLiteConnection.Access
  let busyTimeout: Duration
  let durability: StoreDurability
  let pragmas: StorePragmas
  let logLevel: LogLevel
  /// The file that was checked; `nil` in memory.
  let file: FileStatus?
  /// Whether triggers may write the tables of full-text indexes.
  let trustsSchema: Bool

  /// Another connection that reads.
  ///
  /// - Throws: What SQLite says, or that the name is another file's by now.
  func openReader() throws(SQLiteFailure) -> sending SQLiteConnection {
    let connection = try open()
    try prepareToRead(connection)
    return connection
  }

  /// A connection that writes.
  ///
  /// - Throws: What SQLite says, or that the name is another file's by now.
  func openWriter() throws(SQLiteFailure) -> sending SQLiteConnection {
    let connection = try open()
    try Self.prepareToWrite(connection, durability, pragmas, busyTimeout)
    if trustsSchema { SQLiteLibrary.trustSchema(connection.handle) }
    // What users count is their own.
    _ = connection.takeCounters()
    return connection
  }

  /// What keeps others from committing during a checkpoint, where SQLite needs it.
  var gate: CheckpointGate {
    guard SQLiteLibrary.checkpointsLoseCommits else { return CheckpointGate(nil) }
    return CheckpointGate { () throws(SQLiteFailure) in
      let connection = try open()
      SQLiteLibrary.keepLogOnClose(connection.handle, true)
      return ConfinedConnection(connection: connection)
    }
  }

  /// Lets the connection that a store was opened with read from now on.
  func turnIntoReader(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    if trustsSchema { SQLiteLibrary.trustSchema(connection.handle, false) }
    try connection.execute("PRAGMA cache_size = \(Self.readersCacheSize)")
    try prepareToRead(connection)
  }

  /// SQLite's own, 2 MiB: to make a larger one costs more than it spares, as the system keeps the file's pages, too.
  private static let readersCacheSize = -2000

  /// A connection to the file that was checked.
  private func open() throws(SQLiteFailure) -> sending SQLiteConnection {
    let connection = try SQLiteConnection(
      path: path,
      access: access == .create ? .write : access,
      busyTimeout: busyTimeout,
      logLevel: logLevel
    )
    if let file, try StoreFile.status(of: path)?.isSameFile(as: file) != true { throw .fileMoved }
    return connection
  }

  /// The settings of a connection that reads, whose cache is SQLite's own.
  private func prepareToRead(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    SQLiteLibrary.keepLogOnClose(connection.handle, true)
    try connection.execute("PRAGMA query_only = ON")
    try connection.execute(pragmas.sql)
  }

  /// The settings of a connection that writes.
  ///
  /// - Parameters:
  ///   - connection: The connection.
  ///   - durability: Whether a save waits for the disk.
  ///   - pragmas: What the user has set.
  ///   - busyTimeout: How long to wait for another process's lock.
  /// - Throws: What SQLite says.
  static func prepareToWrite(
    _ connection: SQLiteConnection,
    _ durability: StoreDurability,
    _ pragmas: StorePragmas,
    _ busyTimeout: Duration
  ) throws(SQLiteFailure) {
    SQLiteLibrary.keepLogOnClose(connection.handle, false)
    let mode = try keepLog(connection, pragmas, busyTimeout)
    // Beyond FULL, EXTRA waits until a journal's end is on the disk that ends a save by being deleted; with a
    // write-ahead log they are the same. NORMAL keeps the file whole with that log only: with a journal the trial of
    // power losses has found a file that it had damaged, as SQLite's page on the pragma says may happen.
    let weaker = mode == "wal" ? "NORMAL" : "FULL"
    let synchronous = durability == .full ? "EXTRA" : weaker
    try connection.execute("PRAGMA synchronous = \(synchronous); PRAGMA cache_size = -65536")
    #if canImport(Darwin)
    // Without these a file that is synchronised may still be in the drive's memory (SQLite: "PRAGMA fullfsync").
    if durability == .full {
      try connection.execute("PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON")
    }
    #endif
    try connection.execute(pragmas.sql)
  }

  /// Turns on the write-ahead log, or the journal that was chosen instead.
  ///
  /// While another connection has a lock, SQLite refuses this one pragma at once, whatever the busy
  /// timeout says, as it upgrades a read lock (`sqlite3_busy_handler`): so it is tried again until then.
  ///
  /// - Returns: The mode as SQLite calls it. It is another one than was chosen where the file system has no memory that
  ///   the users of a log share: that is no error.
  @discardableResult
  static func keepLog(
    _ connection: SQLiteConnection,
    _ pragmas: StorePragmas,
    _ busyTimeout: Duration
  ) throws(SQLiteFailure) -> String {
    let end = ContinuousClock.now + busyTimeout
    while true {
      let result = Result { () throws(SQLiteFailure) in
        try connection.texts("PRAGMA journal_mode = \(pragmas.journalMode)").first ?? ""
      }
      guard case .failure(let failure) = result else { return try result.get() }
      guard failure.primaryCode == SQLiteFailure.busy, ContinuousClock.now < end else {
        throw failure
      }
      Thread.sleep(forTimeInterval: Self.pause)
    }
  }

  /// Seconds between two attempts.
  private static let pause = 0.005
}
