// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// The tables of a store's history, also when another process makes them while the store is open.
///
/// Whoever writes looks for them within the transaction: from the moment when they are there, every
/// write is in the history, whoever has turned it on, and so are replaced values. Tables once found stay.
final class HistoryFinder: Sendable {
  private struct State {
    var tables: HistoryTables?
    /// The schema, as SQLite counts it, in which they were looked for last.
    var schemaVersion: Int64?
  }

  private let state: Mutex<State>

  init(_ tables: HistoryTables?) { state = Mutex(State(tables: tables)) }

  /// The tables that have been found.
  var tables: HistoryTables? { state.withLock { $0.tables } }

  /// The tables; while one is missing, looked for if the schema has changed.
  ///
  /// - Parameter connection: A connection in a transaction.
  /// - Returns: The tables, or `nil` when there are none.
  /// - Throws: What could not be read.
  func find(on connection: SQLiteConnection) throws(SQLiteFailure) -> HistoryTables? {
    let known = state.withLock { $0 }
    if let tables = known.tables, tables.hasDetails { return tables }
    return try connection.unnoticed { () throws(SQLiteFailure) in
      let version = try connection.statement(.schemaVersion) { () throws(SQLiteFailure) in
        "PRAGMA schema_version"
      }
      let number = try version.step() ? version.integer(0) : 0
      version.reset()
      if number == known.schemaVersion { return known.tables }
      let tables = try HistoryTables(connection) ?? known.tables
      state.withLock { $0 = State(tables: tables, schemaVersion: number) }
      return tables
    }
  }
}
