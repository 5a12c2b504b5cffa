// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The tables and indexes that Perennial's SQLite store makes for the bench's two entities.
enum RawSchema {
  static let authorEntity: Int64 = 1
  static let commitEntity: Int64 = 2

  /// Makes an empty store at `file`, as far as the raw contestants need one.
  static func create(at file: URL) throws {
    let connection = try RawConnection(file, isWriter: true)
    for statement in statements { try connection.execute(statement) }
  }

  private static let statements = [
    """
    CREATE TABLE ZAUTHOR ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZEMAIL VARCHAR, ZNAME VARCHAR )
    """,
    """
    CREATE TABLE ZCOMMIT ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZAUTHOR INTEGER, ZDATE TIMESTAMP, ZMESSAGE VARCHAR, ZSHA VARCHAR, ZURL VARCHAR )
    """,
    "CREATE INDEX ZCOMMIT_ZAUTHOR_INDEX ON ZCOMMIT (ZAUTHOR)",
    "CREATE UNIQUE INDEX Z_Commit_UNIQUE_sha ON ZCOMMIT (ZSHA COLLATE BINARY ASC)",
    """
    CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, \
    Z_MAX INTEGER)
    """,
    "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Author', 0, 0), (2, 'Commit', 0, 0)",
  ]
}
