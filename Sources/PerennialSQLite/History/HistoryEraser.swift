// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialSQL
import PerennialStore

/// Deletes the beginning of a store's history.
struct HistoryEraser {
  let connection: SQLiteConnection
  let tables: HistoryTables

  /// - Returns: How many transactions were deleted.
  func erase(before place: HistoryPlace) throws(SQLiteFailure) -> Int {
    guard let end = try end(of: place) else { return 0 }
    if tables.hasDetails {
      try connection.execute(
        """
        DELETE FROM \(HistoryTables.details) WHERE Z_PK IN
        (SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID < \(end))
        """
      )
    }
    try connection.execute("DELETE FROM ACHANGE WHERE ZTRANSACTIONID < \(end)")
    try connection.execute("DELETE FROM ATRANSACTION WHERE Z_PK < \(end)")
    return connection.changeCount
  }

  /// The number of the first transaction that stays.
  private func end(of place: HistoryPlace) throws(SQLiteFailure) -> Int64? {
    switch place {
    case .beginning: return nil
    case .token(let token): return token.transactionNumber
    case .date(let date):
      let statement = try connection.prepare(
        """
        SELECT IFNULL((SELECT MIN(Z_PK) FROM ATRANSACTION WHERE ZTIMESTAMP >= ?),
        (SELECT MAX(Z_PK) + 1 FROM ATRANSACTION))
        """
      )
      defer { statement.finalize() }
      try statement.bind([.double(date.timeIntervalSinceReferenceDate)])
      return try statement.step() && !statement.isNull(0) ? statement.integer(0) : nil
    }
  }
}
