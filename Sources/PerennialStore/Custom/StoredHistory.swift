// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// The history of a store that claims `history`: rows of one more table, which the store keeps like any
/// others.
///
/// The row of key 1 is the head, which says which transactions there are; the row of key n + 1 is the
/// transaction n. A save writes its transaction and the head with everything else.
struct StoredHistory {
  /// What the history comprises.
  struct Head {
    var first: Int64 = 1
    var last: Int64 = 0
    var lastChange: Int64 = 0
    /// Whether it keeps the values that updates and deletions replace.
    var keepsOldValues = false
    /// The version of its row; 0 when there is none yet.
    var version = 0
  }

  private enum Name {
    static let first = "first"
    static let last = "last"
    static let lastChange = "lastChange"
    static let keepsOldValues = "keepsOldValues"
    static let timestamp = "timestamp"
    static let author = "author"
    static let contextName = "contextName"
    static let processID = "processID"
    static let bundleID = "bundleID"
    static let firstChange = "firstChange"
    static let changes = "changes"
  }

  private static let headKey: Int64 = 1
  /// How many transactions are read at once.
  private static let pageCount: Int64 = 256

  let store: any PersistentStore
  let identifier: UUID

  // MARK: Reading

  /// The head; `nil` when the store has no history.
  func head() throws(PerennialError) -> Head? {
    guard let row = try rows([Self.headKey]).first else { return nil }
    guard case .integer(let first)? = row.values[Name.first],
      case .integer(let last)? = row.values[Name.last],
      case .integer(let lastChange)? = row.values[Name.lastChange],
      first > 0, last >= first - 1, HistoryRecord.numbers.contains(last),
      HistoryRecord.numbers.contains(lastChange),
      HistoryRecord.numbers.contains(Int64(row.version))
    else { throw .damagedHistory }
    return Head(
      first: first,
      last: last,
      lastChange: lastChange,
      keepsOldValues: row.values[Name.keepsOldValues] == .boolean(true),
      version: row.version
    )
  }

  func transactions(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    guard let head = try head() else { return [] }
    var selected: [PersistentHistoryTransaction] = []
    var first = head.first
    if case .token(let token) = query.after {
      guard token.transactionNumber < head.last else { return [] }
      first = max(first, token.transactionNumber + 1)
    }
    try visit(first, head.last, includesChanges: query.includesChanges) { transaction in
      if query.selects(transaction) { selected.append(transaction) }
      return query.limit == 0 || selected.count < query.limit
    }
    return selected
  }

  /// Calls a closure with successive transactions, as long as it wants more.
  private func visit(
    _ first: Int64,
    _ last: Int64,
    includesChanges: Bool,
    _ wantsMore: (PersistentHistoryTransaction) -> Bool
  ) throws(PerennialError) {
    var next = first
    while next <= last {
      let keys = Array(next + 1...min(next + Self.pageCount, last + 1))
      let rows = try rows(keys).sorted { $0.id.key < $1.id.key }
      guard rows.map(\.id.key) == keys else { throw .damagedHistory }
      for row in rows {
        guard wantsMore(try transaction(row, includesChanges: includesChanges)) else { return }
      }
      next += Self.pageCount
    }
  }

  private func transaction(
    _ row: StoreRow,
    includesChanges: Bool
  ) throws(PerennialError) -> PersistentHistoryTransaction {
    func text(_ name: String) -> String? {
      if case .string(let text)? = row.values[name] { text } else { nil }
    }
    guard case .date(let timestamp)? = row.values[Name.timestamp] else { throw .damagedHistory }
    var changes: [PersistentHistoryChange] = []
    if includesChanges {
      guard case .integer(let firstChange)? = row.values[Name.firstChange],
        HistoryRecord.numbers.contains(firstChange),
        let record = text(Name.changes).flatMap(HistoryRecord.init(text:))
      else { throw .damagedHistory }
      changes = record.changes(from: firstChange, store: identifier)
    }
    return PersistentHistoryTransaction(
      transactionNumber: row.id.key - 1,
      timestamp: timestamp,
      author: text(Name.author),
      contextName: text(Name.contextName),
      processID: text(Name.processID),
      bundleID: text(Name.bundleID),
      storeID: identifier,
      changes: changes
    )
  }

  private func rows(_ keys: [Int64]) throws(PerennialError) -> [StoreRow] {
    try PerennialError.reading { try store.rows(of: StoreRowID.historyTable, keys: keys) }
  }

  // MARK: Writing

  /// Adds a transaction to what a save writes.
  ///
  /// - Parameters:
  ///   - record: What is saved.
  ///   - author: Who saves.
  ///   - changes: What the save writes.
  ///   - keepsOldValues: Whether the record has what is replaced.
  /// - Returns: Whether it is added: not when somebody has asked for old values, and the record has none.
  /// - Throws: What the store throws, or that its history is damaged.
  func append(
    _ record: HistoryRecord,
    author: ChangeSet.Author,
    to changes: inout StoreChanges,
    keepsOldValues: Bool
  ) throws(PerennialError) -> Bool {
    var head = try head() ?? Head()
    guard keepsOldValues || !head.keepsOldValues else { return false }
    head.last += 1
    head.keepsOldValues = keepsOldValues
    guard let text = record.text() else { throw .unwritableHistory }
    var values: [String: PropertyValue] = [
      Name.timestamp: .date(Date()), Name.firstChange: .integer(head.lastChange + 1),
      Name.processID: .string(HistoryProcess.name),
      Name.bundleID: .string(HistoryProcess.bundleIdentifier), Name.changes: .string(text),
    ]
    values[Name.author] = author.name.map { .string($0) }
    values[Name.contextName] = author.contextName.map { .string($0) }
    changes.insertions.append(
      StoreRow(
        id: Self.id(head.last + 1),
        entityName: StoreRowID.historyTable,
        version: 1,
        values: values
      )
    )
    head.lastChange += record.count
    write(head, to: &changes)
    return true
  }

  /// What deletes the beginning, and how many transactions that is.
  func deletion(
    before place: HistoryPlace
  ) throws(PerennialError) -> (changes: StoreChanges, count: Int) {
    var head = try head() ?? Head()
    let first = head.first
    try visit(first, head.last, includesChanges: false) { transaction in
      if place.isKept(transaction) { return false }
      head.first = transaction.transactionNumber + 1
      return true
    }
    var changes = StoreChanges(identifier: .random(in: .min ... .max))
    for number in first..<head.first {
      changes.deletions.append(
        .init(
          id: Self.id(number + 1),
          entityName: StoreRowID.historyTable,
          expectedVersion: 1
        )
      )
    }
    write(head, to: &changes)
    return (changes, changes.deletions.count)
  }

  private func write(_ head: Head, to changes: inout StoreChanges) {
    let values: [String: PropertyValue] = [
      Name.first: .integer(head.first), Name.last: .integer(head.last),
      Name.lastChange: .integer(head.lastChange),
      Name.keepsOldValues: .boolean(head.keepsOldValues),
    ]
    let id = Self.id(Self.headKey)
    let entity = StoreRowID.historyTable
    if head.version == 0 {
      let row = StoreRow(id: id, entityName: entity, version: 1, values: values)
      changes.insertions.append(row)
    } else {
      changes.updates.append(
        .init(
          id: id,
          entityName: entity,
          expectedVersion: head.version,
          version: head.version + 1,
          values: values
        )
      )
    }
  }

  private static func id(_ key: Int64) -> StoreRowID {
    StoreRowID(table: StoreRowID.historyTable, key: key)
  }
}

extension PerennialError {
  fileprivate static var damagedHistory: PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The store gave rows of its history that are not what was saved.",
      recovery: "mend the store: it must keep '\(StoreRowID.historyTable)' like any other table"
    )
  }

  fileprivate static var unwritableHistory: PerennialError {
    PerennialError(
      .persistentStoreSave,
      "A replaced value cannot be written into the history.",
      recovery: "leave out 'historyKeepsOldValues'"
    )
  }
}
