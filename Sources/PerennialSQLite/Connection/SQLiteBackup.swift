// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

extension SQLiteConnection {
  /// Copies the database, as it is at one moment, into that of another connection.
  ///
  /// SQLite: `sqlite3_backup_init`, all pages in one step.
  func copy(to target: SQLiteConnection) throws(SQLiteFailure) {
    guard let backup = sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw target.failure(SQLITE_ERROR)
    }
    let result = sqlite3_backup_step(backup, -1)
    let end = sqlite3_backup_finish(backup)
    guard result == SQLITE_DONE, end == SQLITE_OK else {
      throw target.failure(end == SQLITE_OK ? result : end)
    }
  }
}
