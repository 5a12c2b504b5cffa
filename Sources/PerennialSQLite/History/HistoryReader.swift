// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// Reads the history of a store.
struct HistoryReader {
  let connection: SQLiteConnection
  let store: SQLiteStore

  func extent() throws(SQLiteFailure) -> HistoryExtent {
    let number = HistoryTables.Number.transaction
    let statement = try connection.prepare(
      """
      SELECT MAX(IFNULL((SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT = \(number)), 0),
      IFNULL((SELECT MAX(Z_PK) FROM ATRANSACTION), 0)), (SELECT MIN(Z_PK) FROM ATRANSACTION)
      """
    )
    defer { statement.finalize() }
    guard try statement.step() else { return HistoryExtent(first: 1, last: 0) }
    // Both are as the file has them.
    let last = statement.integer(0)
    let first = statement.isNull(1) ? nil : statement.integer(1)
    let possible = 0...HistoryWriter.greatestKey
    guard possible.contains(last), possible.contains(first ?? last) else {
      throw SQLiteFailure(
        code: SQLiteFailure.corrupt,
        message: "'ATRANSACTION' has a number that no transaction can have"
      )
    }
    return HistoryExtent(first: first ?? last + 1, last: last)
  }

  func transactions(
    _ query: HistoryQuery
  ) throws(SQLiteFailure) -> [PersistentHistoryTransaction] {
    var transactions = try found(query)
    guard query.includesChanges, let tables = try store.history.find(on: connection) else {
      return transactions
    }
    let changes = try ChangeReader(connection, store, tables)
    for index in transactions.indices {
      let number = transactions[index].transactionNumber
      transactions[index] = transactions[index].with(try changes.read(number))
    }
    return transactions
  }

  /// The transactions without their changes.
  private func found(
    _ query: HistoryQuery
  ) throws(SQLiteFailure) -> [PersistentHistoryTransaction] {
    let (condition, value): (String, SQLValue) =
      switch query.after {
      case .beginning: ("Z_PK > ?", .integer(0))
      case .token(let token): ("Z_PK > ?", .integer(token.transactionNumber))
      case .date(let date): ("ZTIMESTAMP > ?", .double(date.timeIntervalSinceReferenceDate))
      }
    let names = ["AUTHOR", "CONTEXTNAME", "PROCESSID", "BUNDLEID"].map(name).joined(separator: ", ")
    let statement = try connection.prepare(
      "SELECT Z_PK, ZTIMESTAMP, \(names) FROM ATRANSACTION WHERE \(condition) ORDER BY Z_PK"
    )
    defer { statement.finalize() }
    try statement.bind([value])
    var found: [PersistentHistoryTransaction] = []
    while try statement.step() {
      let (author, context) = (text(statement, 2), text(statement, 3))
      guard query.selects(author: author, contextName: context) else { continue }
      found.append(
        PersistentHistoryTransaction(
          transactionNumber: statement.integer(0),
          timestamp: Date(timeIntervalSinceReferenceDate: statement.double(1)),
          author: author,
          contextName: context,
          processID: text(statement, 4),
          bundleID: text(statement, 5),
          storeID: store.identifier
        )
      )
      if found.count == query.limit { break }
    }
    return found
  }

  /// The expression of a name, wherever the store keeps it.
  private func name(_ column: String) -> String {
    guard store.historyTables?.hasStrings == true else { return "Z\(column)" }
    return
      "IFNULL((SELECT ZNAME FROM ATRANSACTIONSTRING AS s WHERE s.Z_PK = Z\(column)TS), Z\(column))"
  }

  private func text(_ statement: SQLiteStatement, _ column: Int) -> String? {
    statement.isNull(column) ? nil : statement.text(column)
  }
}

extension PersistentHistoryTransaction {
  /// The transaction with its changes.
  fileprivate func with(_ changes: [PersistentHistoryChange]) -> Self {
    Self(
      transactionNumber: transactionNumber,
      timestamp: timestamp,
      author: author,
      contextName: contextName,
      processID: processID,
      bundleID: bundleID,
      storeID: storeID,
      changes: changes
    )
  }
}

/// Reads the changes of transactions.
private struct ChangeReader {
  private let statement: SQLiteStatement
  private let store: SQLiteStore
  private let tables: HistoryTables
  private let columns: [HistoryColumns]

  init(
    _ connection: SQLiteConnection,
    _ store: SQLiteStore,
    _ tables: HistoryTables
  ) throws(SQLiteFailure) {
    let tombstones = (0..<tables.tombstoneCount).map { ", c.ZTOMBSTONE\($0)" }.joined()
    let details = tables.hasDetails ? ", d.ZDETAILS" : ", NULL"
    let join =
      tables.hasDetails ? "LEFT JOIN \(HistoryTables.details) AS d ON d.Z_PK = c.Z_PK" : ""
    statement = try connection.prepare(
      """
      SELECT c.Z_PK, c.ZCHANGETYPE, c.ZENTITY, c.ZENTITYPK, c.ZCOLUMNS\(details)\(tombstones)
      FROM ACHANGE AS c \(join) WHERE c.ZTRANSACTIONID = ? ORDER BY c.Z_PK
      """
    )
    self.store = store
    self.tables = tables
    columns = store.model.entities.map { HistoryColumns($0) }
  }

  /// The changes of a transaction; those of entities that the model does not have are left out.
  func read(_ number: Int64) throws(SQLiteFailure) -> [PersistentHistoryChange] {
    var changes: [PersistentHistoryChange] = []
    var known: (bytes: [UInt8], entity: Int, names: Set<String>) = ([], -1, [])
    statement.bind(1, number)
    while try statement.step() {
      guard let entity = store.schema.entity(ofNumber: statement.integer(2)),
        let type = PersistentHistoryChangeType(rawValue: Int(statement.integer(1)))
      else { continue }
      let bytes = statement.bytes(4)
      if known.entity != entity || !known.bytes.elementsEqual(bytes) {
        known = (Array(bytes), entity, columns[entity].properties(of: bytes))
      }
      changes.append(
        PersistentHistoryChange(
          changeID: statement.integer(0),
          changedObjectID: store.objectIDs.id(entity, statement.integer(3)),
          changeType: type,
          updatedProperties: type == .update ? known.names : [],
          tombstone: type == .delete ? tombstone(of: store.model.entities[entity]) : [:],
          details: details
        )
      )
    }
    return changes
  }

  private var details: HistoryDetails {
    guard !statement.isNull(5) else { return HistoryDetails() }
    return HistoryJSON.decode(HistoryDetails.self, from: statement.data(5)) ?? HistoryDetails()
  }

  private func tombstone(of entity: EntityLayout) -> [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for (index, slot) in entity.preservedSlots.enumerated() where index < tables.tombstoneCount {
      let layout = entity.slots[slot]
      guard !statement.isNull(6 + index), let type = layout.attributeType,
        let value = HistoryValue.value(statement, 6 + index, as: type)
      else { continue }
      values[layout.name] = value
    }
    return values
  }
}
