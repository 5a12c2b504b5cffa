// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CSQLite
import Foundation

/// A connection opened as the store opens its own: same flags, same pragmas.
final class RawConnection {
  let handle: OpaquePointer

  /// Opens `file`; a writer gets the store's 64 MiB cache, a reader SQLite's own.
  init(_ file: URL, isWriter: Bool) throws {
    var opened: OpaquePointer?
    let access = isWriter ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
    let flags = access | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(file.path, &opened, flags, nil)
    guard code == SQLITE_OK, let opened else {
      sqlite3_close_v2(opened)
      throw BenchmarkError("SQLite cannot open '\(file.path)' (code \(code)).")
    }
    handle = opened
    // As the store has it: whatever is read from a file is looked at before it is believed.
    try execute("PRAGMA cell_size_check=ON; PRAGMA mmap_size=0")
    guard isWriter else { return }
    try execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-65536")
    // The store moves its log into the file after a save; here that is done as the connection closes.
    try execute("PRAGMA wal_autocheckpoint=0")
  }

  deinit {
    sqlite3_close_v2(handle)
  }

  /// Runs statements that return nothing of interest.
  func execute(_ sql: String) throws {
    try check(sqlite3_exec(handle, sql, nil, nil, nil))
  }

  /// Throws SQLite's own message unless `code` is `SQLITE_OK`.
  func check(_ code: Int32) throws {
    guard code != SQLITE_OK else { return }
    throw BenchmarkError("SQLite: \(String(cString: sqlite3_errmsg(handle))) (code \(code)).")
  }

  /// Runs `body` in one transaction.
  func transaction(_ body: () throws -> Void) throws {
    try execute("BEGIN IMMEDIATE")
    try body()
    try execute("COMMIT")
  }

  /// Brings everything into the main file, so that it can be copied.
  func checkpoint() throws {
    let checkpoint = try RawStatement(self, "PRAGMA wal_checkpoint(TRUNCATE)")
    guard try checkpoint.step(), checkpoint.integer(0) == 0 else {
      throw BenchmarkError("The store is still in use.")
    }
  }
}
