// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
package import PerennialModel
package import PerennialStore

extension PostgresStore: HistoryStore {
  /// The log by which other processes learn of changes is a history.
  package var keepsHistory: Bool { true }

  package func historyExtent() throws(PerennialError) -> HistoryExtent {
    try read { connection throws(PostgresFailure) in
      let result = try connection.run(
        """
        SELECT c.number, (SELECT MIN(l.number) FROM \(ChangeLog.table) AS l)
        FROM \(ChangeLog.clock) AS c
        """,
        [],
        .reading
      )
      guard result.count == 1 else { return HistoryExtent(first: 1, last: 0) }
      let last = try ChangeLog.number(result, 0, 0)
      return HistoryExtent(
        first: try result.isNull(0, 1) ? last + 1 : ChangeLog.number(result, 0, 1),
        last: last
      )
    }
  }

  package func history(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    let (condition, value): (String, PostgresValue) =
      switch query.after {
      case .beginning: ("number > $1", .integer(0))
      case .token(let token): ("number > $1", .integer(token.transactionNumber))
      case .date(let date): ("saved > $1", .double(date.timeIntervalSinceReferenceDate))
      }
    // Which transactions a filter leaves, the server does not know.
    let limit = query.limit <= 0 || query.isFiltered ? Int64.max : Int64(query.limit)
    let call = PostgresCall(
      """
      SELECT number, saved, author, context, process, bundle, first_change,
      \(query.includesChanges ? "changes" : "NULL") FROM \(ChangeLog.table)
      WHERE \(condition) ORDER BY number LIMIT $2
      """,
      [value, .integer(limit)]
    )
    var found: [PersistentHistoryTransaction] = []
    try forEachRows(call, nil) { rows throws(PostgresFailure) in
      for row in 0..<rows.count {
        let transaction = try transaction(rows, row)
        guard query.selects(author: transaction.author, contextName: transaction.contextName)
        else { continue }
        found.append(transaction)
        if query.isFiltered, found.count == query.limit { return false }
      }
      return true
    }
    return found
  }

  private func transaction(
    _ rows: PostgresResult,
    _ row: Int
  ) throws(PostgresFailure) -> PersistentHistoryTransaction {
    func text(_ column: Int) -> String? {
      rows.isNull(row, column) ? nil : rows.text(row, column)
    }
    let number = try ChangeLog.number(rows, row, 0)
    let firstChange = try ChangeLog.number(rows, row, 6)
    var changes: [PersistentHistoryChange] = []
    if let text = text(7) {
      guard let record = HistoryRecord(text: text) else {
        throw PostgresFailure(.unexpectedAnswer, "no changes can be read of transaction \(number)")
      }
      changes = record.changes(from: firstChange, store: identifier)
    }
    return PersistentHistoryTransaction(
      transactionNumber: number,
      timestamp: Date(timeIntervalSinceReferenceDate: rows.double(row, 1)),
      author: text(2),
      contextName: text(3),
      processID: text(4),
      bundleID: text(5),
      storeID: identifier,
      changes: changes.filter { model.entitiesByName[$0.changedObjectID.entityName] != nil }
    )
  }

  package func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    try checkWritable()
    let (condition, value): (String, PostgresValue)
    switch place {
    case .beginning: return 0
    case .token(let token): (condition, value) = ("number < $1", .integer(token.transactionNumber))
    case .date(let date):
      // What is deleted is the beginning, even if clocks went back.
      condition = """
        number < COALESCE((SELECT MIN(number) FROM \(ChangeLog.table) WHERE saved >= $1),
        (SELECT number + 1 FROM \(ChangeLog.clock)))
        """
      value = .double(date.timeIntervalSinceReferenceDate)
    }
    return try write { connection throws(PostgresFailure) in
      try connection.run("DELETE FROM \(ChangeLog.table) WHERE \(condition)", [value]).changeCount
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
}
#endif
