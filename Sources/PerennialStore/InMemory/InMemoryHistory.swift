// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// A history in memory: a value, of which a copy costs little.
///
/// Invariant: the numbers of the transactions are those from `firstTransaction` to `lastTransaction`.
package struct InMemoryHistory: Sendable {
  /// A transaction without its changes, and these.
  package struct Entry: Sendable {
    package let transaction: PersistentHistoryTransaction
    /// The number of the first change.
    package let firstChange: Int64
    fileprivate let content: Content

    /// The changes as ``HistoryRecord/text()`` writes them; `nil` for a value that has no text.
    package var text: String? {
      switch content {
      case .record(let record): record.text()
      case .text(let text): text
      }
    }
  }

  /// What a transaction changed; as text where it is written at every save.
  fileprivate enum Content: Sendable {
    case record(HistoryRecord)
    case text(String)

    var record: HistoryRecord? {
      switch self {
      case .record(let record): record
      case .text(let text): HistoryRecord(text: text)
      }
    }
  }

  private var table = SortedTable<Int64, Entry>()
  private var firstTransaction: Int64
  private var lastTransaction: Int64
  package private(set) var lastChange: Int64 = 0
  /// Whether it keeps the values that updates and deletions replace.
  package var keepsOldValues: Bool
  /// Whether changes are kept as text.
  private let keepsTexts: Bool

  /// A history that begins after a number.
  ///
  /// - Parameters:
  ///   - number: 0 for a store that never was; for one that has been open before, a number that no
  ///     earlier history of it has come to, so that old tokens are expired ones.
  ///   - lastChange: The number of the last change before it.
  ///   - keepsOldValues: Whether it keeps the values that updates and deletions replace.
  ///   - keepsTexts: Whether changes are kept as text, for a store that writes all of them.
  package init(
    after number: Int64 = 0,
    lastChange: Int64 = 0,
    keepsOldValues: Bool,
    keepsTexts: Bool = false
  ) {
    firstTransaction = number + 1
    lastTransaction = number
    self.lastChange = lastChange
    self.keepsOldValues = keepsOldValues
    self.keepsTexts = keepsTexts
  }

  /// A history of a store that outlives its history: it begins at a number that clocks have not come
  /// to before.
  static func anew(keepsOldValues: Bool) -> InMemoryHistory {
    let number = Int64(max(0, Date().timeIntervalSinceReferenceDate) * 1_000_000)
    return InMemoryHistory(after: number, keepsOldValues: keepsOldValues)
  }

  /// The transactions that there are, in their order.
  package var entries: [Entry] {
    var entries: [Entry] = []
    table.visit { entries.append($1) }
    return entries
  }

  package var extent: HistoryExtent {
    HistoryExtent(first: firstTransaction, last: lastTransaction)
  }

  /// Appends what a save has done, if it has done anything.
  package mutating func append(
    _ draft: HistoryDraft,
    author: ChangeSet.Author,
    model: ModelLayout,
    store: UUID
  ) {
    guard !draft.isEmpty else { return }
    let record = HistoryRecord(draft, of: model)
    let text = keepsTexts ? record.text() : nil
    append(
      PersistentHistoryTransaction(
        transactionNumber: lastTransaction + 1,
        timestamp: Date(),
        author: author.name,
        contextName: author.contextName,
        processID: HistoryProcess.name,
        bundleID: HistoryProcess.bundleIdentifier,
        storeID: store
      ),
      text.map { .text($0) } ?? .record(record),
      firstChange: lastChange + 1
    )
    lastChange += record.count
  }

  /// Appends a transaction that has been read, of the next number, and its changes.
  package mutating func append(
    _ transaction: PersistentHistoryTransaction,
    text: String,
    firstChange: Int64
  ) {
    append(transaction, .text(text), firstChange: firstChange)
  }

  private mutating func append(
    _ transaction: PersistentHistoryTransaction,
    _ content: Content,
    firstChange: Int64
  ) {
    lastTransaction += 1
    table[lastTransaction] = Entry(
      transaction: transaction,
      firstChange: firstChange,
      content: content
    )
  }

  /// Notes that something was perhaps saved of which nobody knows what: no token leads past it.
  package mutating func breakOff() {
    self = InMemoryHistory(
      after: lastTransaction + 1,
      lastChange: lastChange,
      keepsOldValues: keepsOldValues,
      keepsTexts: keepsTexts
    )
  }

  package func select(_ query: HistoryQuery) -> [PersistentHistoryTransaction] {
    var selected: [PersistentHistoryTransaction] = []
    let first =
      if case .token(let token) = query.after { token.transactionNumber } else { Int64(0) }
    table.visit(from: first) { _, entry in
      var transaction = entry.transaction
      guard query.selects(transaction) else { return true }
      if query.includesChanges, let record = entry.content.record {
        transaction.changes = record.changes(
          from: entry.firstChange,
          store: transaction.storeID
        )
      }
      selected.append(transaction)
      return query.limit == 0 || selected.count < query.limit
    }
    return selected
  }

  /// Deletes the beginning.
  ///
  /// - Returns: How many transactions that were.
  package mutating func delete(before place: HistoryPlace) -> Int {
    var end = firstTransaction
    table.visit(from: firstTransaction) { number, entry in
      if place.isKept(entry.transaction) { return false }
      end = number + 1
      return true
    }
    let count = Int(end - firstTransaction)
    for number in firstTransaction..<end { table[number] = nil }
    firstTransaction = end
    return count
  }
}

extension HistoryQuery {
  /// Whether a transaction is one of those that are asked for.
  package func selects(_ transaction: PersistentHistoryTransaction) -> Bool {
    switch after {
    case .token(let token) where transaction.transactionNumber <= token.transactionNumber: false
    case .date(let date) where transaction.timestamp <= date: false
    default: selects(author: transaction.author, contextName: transaction.contextName)
    }
  }
}

extension HistoryPlace {
  /// Whether a deletion of everything before the place ends at a transaction.
  package func isKept(_ transaction: PersistentHistoryTransaction) -> Bool {
    switch self {
    case .beginning: true
    case .token(let token): transaction.transactionNumber >= token.transactionNumber
    case .date(let date): transaction.timestamp >= date
    }
  }
}
