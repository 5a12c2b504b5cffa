// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CSQLite
import Foundation

/// B2 and B3 by hand: one statement that changes all commits after a date.
enum RawStatements {
  /// What B2 writes.
  static let url = "https://example.org/moved"

  static func update(_ connection: RawConnection) throws -> UInt64 {
    let statement = try RawStatement(
      connection,
      "UPDATE ZCOMMIT SET ZURL=?,Z_OPT=Z_OPT+1 WHERE ZDATE > ?"
    )
    statement.bindCopy(1, url)
    statement.bind(2, Date.distantPast)
    return try run(statement, connection)
  }

  static func delete(_ connection: RawConnection) throws -> UInt64 {
    let statement = try RawStatement(connection, "DELETE FROM ZCOMMIT WHERE ZDATE > ?")
    statement.bind(1, Date.distantPast)
    return try run(statement, connection)
  }

  private static func run(
    _ statement: RawStatement,
    _ connection: RawConnection
  ) throws -> UInt64 {
    try connection.transaction { try statement.run() }
    return UInt64(sqlite3_changes(connection.handle))
  }
}
