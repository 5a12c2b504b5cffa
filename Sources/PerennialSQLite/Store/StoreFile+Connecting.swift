// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

extension StoreFile {
  /// A connection; a store that is only read, in a folder where SQLite can make no files, is opened
  /// as a file that does not change.
  ///
  /// - Parameters:
  ///   - isReadOnly: Whether nothing is written to the store.
  ///   - busyTimeout: How long to wait for another process's lock.
  ///   - logLevel: What is logged of statements.
  ///   - leavesNoTrace: Whether a store that is only read gets no files beside it either.
  /// - Returns: The connection, and how others to the same file are to be opened.
  /// - Throws: SQLite's failure.
  func connect(
    isReadOnly: Bool,
    _ busyTimeout: Duration,
    _ logLevel: LogLevel = .off,
    leavesNoTrace: Bool = false
  ) throws(SQLiteFailure) -> (SQLiteConnection, SQLiteConnection.Access) {
    let access: SQLiteConnection.Access = isReadOnly ? .read : exists ? .write : .create
    let hadLog = has("-wal")
    func open(_ access: SQLiteConnection.Access) throws(SQLiteFailure) -> SQLiteConnection {
      let connection = try SQLiteConnection(
        path: path,
        access: access,
        busyTimeout: busyTimeout,
        logLevel: logLevel
      )
      // Without this SQLite deletes a log that has no whole commit, although the store is only read.
      if isReadOnly { SQLiteLibrary.keepLogOnClose(connection.handle, hadLog || access != .read) }
      return connection
    }
    if isReadOnly, leavesNoTrace, let quiet = quietAccess {
      let connection = try open(quiet)
      do throws(SQLiteFailure) {
        try connection.look()
        return (connection, quiet)
      } catch {
        // The shared memory is not as a spectator needs it: whoever has the store open is about to make it.
        guard quiet == .spectator, error.primaryCode == SQLiteFailure.readOnly else { throw error }
      }
    }
    let connection = try open(access)
    guard isReadOnly else { return (connection, access) }
    do throws(SQLiteFailure) {
      try connection.look()
      return (connection, access)
    } catch {
      guard [SQLiteFailure.cannotOpen, SQLiteFailure.readOnly].contains(error.primaryCode),
        error.code != SQLiteFailure.readOnlyRollback
      else { throw error }
      let lone: SQLiteConnection.Access = hasLog ? .solitary : .immutable
      return (try open(lone), lone)
    }
  }

  /// A connection for one quick look, which leaves no file behind: what is read is as it was at some moment as
  /// long as nobody begins to write the store meanwhile.
  func connectBriefly(_ busyTimeout: Duration) throws(SQLiteFailure) -> SQLiteConnection {
    let access = has("-journal") ? .read : logAccess
    var connection = try SQLiteConnection(path: path, access: access, busyTimeout: busyTimeout)
    do throws(SQLiteFailure) {
      if access == .spectator { try connection.look() }
    } catch {
      guard error.primaryCode == SQLiteFailure.readOnly else { throw error }
      connection = try SQLiteConnection(path: path, access: .read, busyTimeout: busyTimeout)
    }
    SQLiteLibrary.keepLogOnClose(connection.handle, true)
    return connection
  }
}

extension SQLiteConnection {
  /// Reads something, as a connection does not touch its file before.
  fileprivate func look() throws(SQLiteFailure) {
    _ = try integers("SELECT COUNT(*) FROM sqlite_master")
  }
}

extension StoreFile {
  /// How a file with a write-ahead log is read without a trace; `nil` when reading leaves none anyway.
  private var quietAccess: SQLiteConnection.Access? {
    exists && keepsLog ? logAccess : nil
  }

  /// How a file is read quietly whose journal, if it has one, is a write-ahead log.
  ///
  /// Whoever has such a store open has a log and shared memory beside it; a crash may have left both. Shared
  /// memory without a log is of no use, and SQLite would make a log for it.
  private var logAccess: SQLiteConnection.Access {
    if has("-wal"), has("-shm") { return .spectator }
    return hasLog ? .solitary : .immutable
  }

  /// Whether there is a file beside the store.
  private func has(_ end: String) -> Bool { FileManager.default.fileExists(atPath: path + end) }

  /// Whether the file says that a write-ahead log belongs to it (SQLite: "Database File Format", 1.3.3).
  ///
  /// Its first bytes are looked at through a handle of its own: no lock of this process on the file may be
  /// held, as closing the handle ends it.
  var keepsLog: Bool {
    guard let handle = FileHandle(forReadingAtPath: path) else { return false }
    defer { try? handle.close() }
    let header = (try? handle.read(upToCount: Self.headerCount)) ?? Data()
    return header.count == Self.headerCount && header[Self.readVersion] == Self.logVersion
  }

  private static let headerCount = 100
  private static let readVersion = 19
  private static let logVersion: UInt8 = 2
}

extension PerennialError {
  /// A store whose row of metadata is missing or unreadable.
  ///
  /// - Parameters:
  ///   - store: The store's name.
  ///   - place: What is wrong, and where.
  /// - Returns: The error.
  static func withoutMetadata(_ store: String, _ place: String? = nil) -> PerennialError {
    .cannotOpen(
      "The store '\(store)' does not say which model it was written with"
        + (place.map { ": \($0)." } ?? "."),
      "restore its table Z_METADATA from a copy"
    )
  }

  /// A store that lacks something that its model, or every store, has.
  static func incomplete(_ store: String, _ missing: String) -> PerennialError {
    .cannotOpen(
      "The store '\(store)' has no \(missing), which its model asks for.",
      "restore the store from a copy"
    )
  }

  /// A database that is no store.
  static func foreignDatabase(_ file: String) -> PerennialError {
    .cannotOpen(
      "'\(file)' is a SQLite database of another program.",
      "check the URL; the file has been left as it is"
    )
  }
}
