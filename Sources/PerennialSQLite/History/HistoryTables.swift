// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The tables of a store's history, as Core Data has them (FORMAT 2.10), and one of our own for
/// replaced values.
///
/// Tables that Core Data made may lack columns that later versions of it have.
struct HistoryTables: Sendable {
  /// The numbers of the tables in `Z_PRIMARYKEY`.
  enum Number {
    static let change: Int64 = 16_001
    static let transaction: Int64 = 16_002
    static let string: Int64 = 16_003
    /// The numbers of the model's entities are less.
    static let first: Int64 = 16_000
  }

  /// Whether names are kept once, in a table of their own.
  let hasStrings: Bool
  /// How many preserved values a change has columns for.
  let tombstoneCount: Int
  /// Whether there is a table for replaced values.
  let hasDetails: Bool

  /// Whether triggers of Core Data's compute derived attributes (FORMAT 2.8).
  let hasTriggers: Bool

  /// The tables of a store, or `nil` when it has none.
  init?(_ connection: SQLiteConnection) throws(SQLiteFailure) {
    let changes = try Self.columns(of: "ACHANGE", on: connection)
    guard changes.contains("ZTRANSACTIONID") else { return nil }
    let transactions = try Self.columns(of: "ATRANSACTION", on: connection)
    guard transactions.contains("ZTIMESTAMP") else { return nil }
    hasStrings = transactions.contains("ZAUTHORTS")
    tombstoneCount = changes.count { $0.hasPrefix("ZTOMBSTONE") }
    hasDetails = try !Self.columns(of: Self.details, on: connection).isEmpty
    let triggers =
      "SELECT 1 FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'Z_DA_*' LIMIT 1"
    hasTriggers = try !connection.integers(triggers).isEmpty
  }

  /// The table of replaced values: by the key of the change, as JSON.
  static let details = "PERENNIAL_CHANGEDETAILS"

  /// Makes the tables that a store lacks.
  ///
  /// - Parameters:
  ///   - connection: The connection that writes, in a transaction.
  ///   - tombstoneCount: How many preserved values the model's changes may have.
  ///   - keepsOldValues: Whether replaced values are wanted.
  /// - Throws: What could not be written.
  static func create(
    on connection: SQLiteConnection,
    tombstoneCount: Int,
    keepsOldValues: Bool
  ) throws(SQLiteFailure) {
    if try columns(of: "ACHANGE", on: connection).isEmpty {
      for statement in statements { try connection.execute(statement) }
    }
    let present = try columns(of: "ACHANGE", on: connection)
    for index in 0..<tombstoneCount where !present.contains("ZTOMBSTONE\(index)") {
      try connection.execute("ALTER TABLE ACHANGE ADD COLUMN ZTOMBSTONE\(index) BLOB")
    }
    if keepsOldValues {
      try connection.execute(
        "CREATE TABLE IF NOT EXISTS \(details) (Z_PK INTEGER PRIMARY KEY, ZDETAILS BLOB)"
      )
    }
  }

  private static func columns(
    of table: String,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [String] {
    try connection.texts("SELECT UPPER(name) FROM pragma_table_info('\(table)')")
  }

  /// The statements, word for word as Core Data's stores have them.
  private static let statements = [
    """
    CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB )
    """,
    """
    CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
    ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
    ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
    """,
    """
    CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
    ZNAME VARCHAR )
    """,
    "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
    "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
    "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
    "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
    "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
    """
    CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION \
    (ZAUTHOR COLLATE BINARY ASC)
    """,
    """
    CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION \
    (ZTIMESTAMP COLLATE BINARY ASC)
    """,
    """
    CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING \
    (ZNAME COLLATE BINARY ASC)
    """,
    number(Number.change, of: "ACHANGE"), number(Number.transaction, of: "ATRANSACTION"),
    number(Number.string, of: "ATRANSACTIONSTRING"),
  ]

  /// What gives a table its row in `Z_PRIMARYKEY`, if it has none.
  static func number(_ number: Int64, of table: String) -> String {
    "INSERT OR IGNORE INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
      + "VALUES (\(number), '\(table.dropFirst())', 0, 0)"
  }
}
