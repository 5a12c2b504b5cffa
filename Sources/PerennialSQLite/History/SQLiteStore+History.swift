// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
import PerennialSQL
package import PerennialStore

extension SQLiteStore: HistoryStore {
  package var keepsHistory: Bool { historyTables != nil }

  /// The tables of the history, as far as they have been found.
  var historyTables: HistoryTables? { history.tables }

  package func historyExtent() throws(PerennialError) -> HistoryExtent {
    guard keepsHistory else { throw .noHistory }
    return try read { connection throws(SQLiteFailure) in
      try HistoryReader(connection: connection, store: self).extent()
    }
  }

  package func history(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    guard keepsHistory else { throw .noHistory }
    return try read { connection throws(SQLiteFailure) in
      try connection.transaction(.deferred) { () throws(SQLiteFailure) in
        try HistoryReader(connection: connection, store: self).transactions(query)
      }
    }
  }

  package func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    guard keepsHistory else { throw .noHistory }
    return try write { connection throws(SQLiteFailure) in
      try connection.transaction(.immediate) { () throws(SQLiteFailure) -> Int in
        guard let tables = try history.find(on: connection) else { return 0 }
        return try HistoryEraser(connection: connection, tables: tables).erase(before: place)
      }
    }
  }

  package func isOwn(transaction number: Int64) -> Bool {
    ownTransactions.contains(number)
  }

  package func ownRun(after number: Int64) -> ClosedRange<Int64>? {
    ownTransactions.run(after: number)
  }

  package func noteOwnTransactions() { ownTransactions.begin() }

  package func forgetOwnTransactions(through number: Int64) {
    ownTransactions.forget(through: number)
  }

  /// What a save tells the history; `nil` without one.
  ///
  /// - Parameter connection: The connection that writes, in its transaction.
  /// - Returns: What gathers the changes, or `nil`.
  /// - Throws: What could not be read.
  func makeHistory(on connection: SQLiteConnection) throws(SQLiteFailure) -> SaveHistory? {
    guard let historyTables = try history.find(on: connection) else { return nil }
    return SaveHistory(
      connection: connection,
      schema: schema,
      plans: familyPlans,
      tables: historyTables,
      store: identifier,
      recorder: HistoryRecorder(model: model, keepsOldValues: historyTables.hasDetails)
    )
  }
}
