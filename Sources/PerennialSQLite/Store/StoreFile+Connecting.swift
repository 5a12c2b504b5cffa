// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// The ways to a store's file.
///
/// `connect` is for work on a store: to write, or to read for long. A reader of a store with a write-ahead log
/// makes the files beside it that its users share, and a program that only reads cannot always remove them.
/// `leavesNoTrace` asks for none: `perennial` does, which looks into stores that belong to other programs.
/// `connectBriefly` is for one quick look, for example before a store is opened. It leaves none either, but it
/// cannot ask the file whether there is a log, because this process may have the store open. Which access leaves
/// nothing behind, both find out in `connectQuietly`.
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
    if isReadOnly, leavesNoTrace, exists, keepsLog,
      let quiet = try connectQuietly(busyTimeout, logLevel)
    {
      return quiet
    }
    let access: SQLiteConnection.Access = isReadOnly ? .read : exists ? .write : .create
    let connection = try open(access, busyTimeout, logLevel)
    guard isReadOnly else { return (connection, access) }
    do throws(SQLiteFailure) {
      try connection.look()
      return (connection, access)
    } catch {
      guard [SQLiteFailure.cannotOpen, SQLiteFailure.readOnly].contains(error.primaryCode),
        error.code != SQLiteFailure.readOnlyRollback
      else { throw error }
      let access = try loneAccess()
      return (try open(access, busyTimeout, logLevel), access)
    }
  }

  /// A connection for one quick look, which leaves no file behind: what is read is as it was at some moment as
  /// long as nobody begins to write the store meanwhile.
  func connectBriefly(_ busyTimeout: Duration) throws(SQLiteFailure) -> SQLiteConnection {
    // A journal is of a store without a log, and may be of a save that must be undone first.
    let quiet =
      try hasFile("-journal") ? nil : try connectQuietly(busyTimeout, .off, isBrief: true)?.0
    let connection = if let quiet { quiet } else { try open(.read, busyTimeout, .off) }
    SQLiteLibrary.keepLogOnClose(connection.handle, true)
    return connection
  }

  /// A connection that reads a store with a write-ahead log and makes no files beside it; `nil` when somebody
  /// who opens the store is about to make them, or may have made them just now.
  private func connectQuietly(
    _ busyTimeout: Duration,
    _ logLevel: LogLevel,
    isBrief: Bool = false
  ) throws(SQLiteFailure) -> (SQLiteConnection, SQLiteConnection.Access)? {
    // Whoever has a store with a log open has both beside it; a crash may have left them, too. For shared memory
    // alone, which is of no use, SQLite would make a log.
    let log = try Self.status(of: path + "-wal")
    let isShared = try log == nil ? false : hasFile("-shm")
    let isBegun = isShared && log.map { $0.byteCount > 0 && !mayHaveFrames($0) } == true
    if isBegun, !isBrief { return nil }
    let access = isShared && !isBegun ? .spectator : try loneAccess()
    let connection = try open(access, busyTimeout, logLevel)
    do throws(SQLiteFailure) {
      try connection.look()
      return (connection, access)
    } catch {
      guard access == .spectator, error.primaryCode == SQLiteFailure.readOnly else { throw error }
      return nil
    }
  }

  private func open(
    _ access: SQLiteConnection.Access,
    _ busyTimeout: Duration,
    _ logLevel: LogLevel
  ) throws(SQLiteFailure) -> SQLiteConnection {
    let connection = try SQLiteConnection(
      path: path,
      access: access,
      busyTimeout: busyTimeout,
      logLevel: logLevel
    )
    // Else SQLite deletes a log without a whole commit, although the store is only read.
    switch access {
    case .create, .write: break
    case .read: SQLiteLibrary.keepLogOnClose(connection.handle, try hasFile("-wal"))
    case .immutable, .solitary, .spectator: SQLiteLibrary.keepLogOnClose(connection.handle, true)
    }
    return connection
  }

  /// Whether SQLite looks for frames in a log: it has a header of one, and something behind it.
  ///
  /// A full disk, or a process that ends at the right moment, leaves a header alone; a loss of power, anything in its
  /// place. A spectator cannot read such a store: SQLite 3.40 looks at the log again and again for ten seconds, and says
  /// `SQLITE_PROTOCOL` then (`walBeginShmUnreliable`).
  ///
  /// SQLite: "Database File Format", 4.1.
  private func mayHaveFrames(_ log: FileStatus) -> Bool {
    guard log.byteCount > 32 else { return false }
    // Else SQLite says why it cannot read it.
    guard let handle = FileHandle(forReadingAtPath: path + "-wal") else { return true }
    defer { try? handle.close() }
    let header = Array((try? handle.read(upToCount: 12)) ?? Data())
    guard header.count == 12 else { return false }
    let (magic, pageSize) = (header[..<4].bigEndian, header[8...].bigEndian)
    return magic & ~1 == 0x377F_0682 && 512...65_536 ~= pageSize && pageSize.nonzeroBitCount == 1
  }

  /// How a file that nobody writes to is read without making others.
  private func loneAccess() throws(SQLiteFailure) -> SQLiteConnection.Access {
    try hasLog() ? .solitary : .immutable
  }

  /// Whether there is a file beside the store's whose name has an ending more.
  private func hasFile(_ ending: String) throws(SQLiteFailure) -> Bool {
    try Self.status(of: path + ending) != nil
  }
}

extension ArraySlice<UInt8> {
  /// The number that the bytes are, the greatest first.
  fileprivate var bigEndian: Int { reduce(0) { $0 << 8 | Int($1) } }
}

extension SQLiteConnection {
  /// Reads something, as a connection does not touch its file before.
  fileprivate func look() throws(SQLiteFailure) {
    _ = try integers("SELECT COUNT(*) FROM sqlite_master")
  }
}

extension StoreFile {
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

  /// A store in which something of another program would run with every save.
  static func foreignCode(_ code: SchemaCode, in store: String) -> PerennialError {
    if code.isRTree {
      return .cannotOpen(
        "The store '\(store)' has the R-tree index '\(code.name)', to which Perennial cannot write.",
        "open it with 'isReadOnly'"
      )
    }
    return .cannotOpen(
      "The store '\(store)' has the \(code.kind) '\(code.name)', in which code of another program would run.",
      code.kind == "table"
        ? "restore the store from a copy, or open it with 'isReadOnly'"
        : "open it with 'isReadOnly', or remove the \(code.kind) with sqlite3"
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
