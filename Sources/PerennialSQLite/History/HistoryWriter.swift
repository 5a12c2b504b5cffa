// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// Writes what a save has done into the history, within the save's transaction.
///
/// New rows of successive keys take one statement, however many they are.
struct HistoryWriter {
  let connection: SQLiteConnection
  let schema: StoreSchema
  let tables: HistoryTables

  /// From so many successive keys on one statement is better than one for each.
  private static let leastRun = 4

  /// Writes a transaction and its changes.
  ///
  /// - Returns: The number of the transaction, or `nil` when nothing has changed.
  func write(
    _ draft: HistoryDraft,
    author: ChangeSet.Author
  ) throws(SQLiteFailure) -> Int64? {
    guard !draft.isEmpty else { return nil }
    let number = try reserve(1, HistoryTables.Number.transaction, "ATRANSACTION")
    var change = try reserve(draft.count, HistoryTables.Number.change, "ACHANGE")
    try insertTransaction(number, author)
    for batch in draft.batches {
      let isPlain =
        batch.type == .insert
        || batch.type == .update && (draft.details.isEmpty || !tables.hasDetails)
      let columns = columns(of: batch)
      for run in batch.keys.runs {
        if isPlain, run.count >= Self.leastRun {
          try insert(run, of: batch, columns, from: change, number)
          change += Int64(run.count)
          continue
        }
        for key in run {
          try insert(key, of: batch, columns, change, number)
          try insertDetails(of: key, batch, change, draft)
          change += 1
        }
      }
    }
    return number
  }

  /// Keys beyond are damage: so many changes nobody makes.
  static let greatestKey: Int64 = 1 << 62

  /// Takes keys of a table.
  ///
  /// - Returns: The first of them.
  private func reserve(
    _ count: Int,
    _ entity: Int64,
    _ table: String
  ) throws(SQLiteFailure) -> Int64 {
    let update = try connection.statement(.historyKeys(entity)) { () throws(SQLiteFailure) in
      SQLiteDialect().keyReservation(
        of: table,
        key: CoreDataNames.rows.key,
        number: entity,
        in: CoreDataNames().counters
      )
    }
    func take() throws(SQLiteFailure) -> Int64? {
      update.bind(1, Int64(count))
      var last: Int64?
      while try update.step() { last = update.integer(0) }
      // The counter is as the file has it.
      if let last, !(Int64(count)...Self.greatestKey).contains(last) {
        throw SQLiteFailure.noKeysLeft(table)
      }
      return last
    }
    if let last = try take() { return last - Int64(count) + 1 }
    // The row is missing: the tables have been made, or the row been deleted, by another program.
    try connection.execute(HistoryTables.number(entity, of: table))
    return try (take() ?? Int64(count)) - Int64(count) + 1
  }

  private func insertTransaction(
    _ number: Int64,
    _ author: ChangeSet.Author
  ) throws(SQLiteFailure) {
    let names = [
      ("AUTHOR", author.name), ("BUNDLEID", HistoryProcess.bundleIdentifier),
      ("CONTEXTNAME", author.contextName), ("PROCESSID", HistoryProcess.name),
    ]
    let suffix = tables.hasStrings ? "TS" : ""
    let statement = try connection.statement(.historyTransaction) { () throws(SQLiteFailure) in
      let columns = names.map { "Z\($0.0)\(suffix)" }.joined(separator: ", ")
      return """
        INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, \(columns))
        VALUES (?, \(HistoryTables.Number.transaction), ?, ?, ?, ?, ?)
        """
    }
    var values: [SQLValue] = []
    for (_, name) in names {
      if let name {
        values.append(tables.hasStrings ? .integer(try string(name)) : .text(name))
      } else {
        values.append(.null)
      }
    }
    defer { statement.clear() }
    try statement.bind(
      [.integer(number), .double(Date().timeIntervalSinceReferenceDate)] + values
    )
    try statement.run()
  }

  /// The key of a name in the table of names.
  private func string(_ name: String) throws(SQLiteFailure) -> Int64 {
    let find = try connection.statement(.historyString(isNew: false)) { () throws(SQLiteFailure) in
      "SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?"
    }
    var found: Int64?
    try find.withBound(.text(name)) { () throws(SQLiteFailure) in
      while try find.step() { found = find.integer(0) }
    }
    if let found { return found }
    let key = try reserve(1, HistoryTables.Number.string, "ATRANSACTIONSTRING")
    let insert = try connection.statement(.historyString(isNew: true)) { () throws(SQLiteFailure) in
      """
      INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME)
      VALUES (?, \(HistoryTables.Number.string), ?)
      """
    }
    defer { insert.clear() }
    try insert.bind([.integer(key), .text(name)])
    try insert.run()
    return key
  }

  private func columns(of batch: HistoryDraft.Batch) -> SQLValue {
    guard batch.type == .update else { return .null }
    let columns = HistoryColumns(schema.model.entities[batch.entity])
    return .blob(Data(columns.bytes(of: batch.properties)))
  }
}

// MARK: - Changes

extension HistoryWriter {
  /// Inserts the changes of successive keys, whose rows are stored.
  private func insert(
    _ run: ClosedRange<Int64>,
    of batch: HistoryDraft.Batch,
    _ columns: SQLValue,
    from change: Int64,
    _ number: Int64
  ) throws(SQLiteFailure) {
    let key = StatementKey.historyRun(entity: batch.entity)
    let statement = try connection.statement(key) { () throws(SQLiteFailure) in
      """
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
      SELECT Z_PK + ?, \(HistoryTables.Number.change), ?, ?, Z_PK, ?, ?
      FROM \(schema.table(of: batch.entity)) WHERE Z_PK BETWEEN ? AND ? ORDER BY Z_PK
      """
    }
    defer { statement.clear() }
    try statement.bind([
      .integer(change - run.lowerBound), .integer(Int64(batch.type.rawValue)),
      .integer(schema.number(of: batch.entity)), .integer(number), columns,
      .integer(run.lowerBound), .integer(run.upperBound),
    ])
    try statement.run()
  }

  private func insert(
    _ key: Int64,
    of batch: HistoryDraft.Batch,
    _ columns: SQLValue,
    _ change: Int64,
    _ number: Int64
  ) throws(SQLiteFailure) {
    let statement = try connection.statement(.historyChange) { () throws(SQLiteFailure) in
      """
      INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS)
      VALUES (?, \(HistoryTables.Number.change), ?, ?, ?, ?, ?)
      """
    }
    statement.bind(1, change)
    statement.bind(2, Int64(batch.type.rawValue))
    statement.bind(3, schema.number(of: batch.entity))
    statement.bind(4, key)
    statement.bind(5, number)
    try statement.bind(6, columns)
    try statement.run()
  }

  /// Adds preserved and replaced values to a change.
  private func insertDetails(
    of key: Int64,
    _ batch: HistoryDraft.Batch,
    _ change: Int64,
    _ draft: HistoryDraft
  ) throws(SQLiteFailure) {
    let entity = schema.model.entities[batch.entity]
    let place = HistoryDraft.Place(root: entity.root, key: key)
    if let tombstone = draft.tombstones[place] {
      for (index, slot) in entity.preservedSlots.enumerated() where index < tables.tombstoneCount {
        let name = entity.slots[slot].name
        guard let value = tombstone[name], !value.isNull else { continue }
        try run(
          .historyTombstone(index),
          "UPDATE ACHANGE SET ZTOMBSTONE\(index) = ? WHERE Z_PK = ?",
          [HistoryValue.stored(value), .integer(change)]
        )
      }
    }
    guard tables.hasDetails, let details = draft.details[place],
      let json = HistoryJSON.encode(details)
    else { return }
    try run(
      .historyDetails,
      "INSERT OR REPLACE INTO \(HistoryTables.details) (Z_PK, ZDETAILS) VALUES (?, ?)",
      [.integer(change), .blob(json)]
    )
  }

  private func run(
    _ key: StatementKey,
    _ sql: String,
    _ values: [SQLValue]
  ) throws(SQLiteFailure) {
    let statement = try connection.statement(key) { () throws(SQLiteFailure) in sql }
    defer { statement.clear() }
    try statement.bind(values)
    try statement.run()
  }
}
