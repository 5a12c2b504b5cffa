// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

#if canImport(CSQLite)
import CSQLite
#else
import SQLite3
#endif

/// A database as another program has it open.
final class SQLiteDatabase {
  struct Failure: Error {
    let message: String
  }

  private let connection: OpaquePointer?

  init(_ url: URL) throws {
    var opened: OpaquePointer?
    let status = sqlite3_open(url.path, &opened)
    connection = opened
    guard status == SQLITE_OK else { throw Failure(message: "\(status)") }
  }

  deinit { sqlite3_close(connection) }

  func run(_ statements: String...) throws {
    for statement in statements {
      guard sqlite3_exec(connection, statement, nil, nil, nil) == SQLITE_OK else {
        throw Failure(message: String(cString: sqlite3_errmsg(connection)))
      }
    }
  }

  /// Makes an order of texts that only this connection knows.
  func addOrder(named name: String) {
    sqlite3_create_collation(connection, name, SQLITE_UTF8, nil) { _, _, _, _, _ in 0 }
  }
}
