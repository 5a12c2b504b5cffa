// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

extension StoreFile {
  /// A connection; a store that is only read, in a folder where SQLite can make no files, is opened
  /// as a file that does not change.
  func connect(
    isReadOnly: Bool,
    _ busyTimeout: Duration,
    _ logLevel: LogLevel = .off
  ) throws(SQLiteFailure) -> (SQLiteConnection, SQLiteConnection.Access) {
    let access: SQLiteConnection.Access = isReadOnly ? .read : exists ? .write : .create
    func open(_ access: SQLiteConnection.Access) throws(SQLiteFailure) -> SQLiteConnection {
      try SQLiteConnection(path: path, access: access, busyTimeout: busyTimeout, logLevel: logLevel)
    }
    let connection = try open(access)
    guard isReadOnly, !hasLog else { return (connection, access) }
    do throws(SQLiteFailure) {
      _ = try connection.integers("SELECT COUNT(*) FROM sqlite_master")
      return (connection, access)
    } catch {
      guard [SQLiteFailure.cannotOpen, SQLiteFailure.readOnly].contains(error.primaryCode) else {
        throw error
      }
      return (try open(.immutable), .immutable)
    }
  }
}

extension PerennialError {
  /// A store whose row of metadata is missing or unreadable.
  static func withoutMetadata(_ store: String) -> PerennialError {
    .cannotOpen(
      "The store '\(store)' does not say which model it was written with.",
      "restore its table Z_METADATA from a copy"
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
