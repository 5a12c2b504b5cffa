// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// The history of an in-memory store: a value, part of its state.
struct InMemoryHistory: Sendable {
  private(set) var transactions: [PersistentHistoryTransaction] = []
  private var lastTransaction: Int64 = 0
  private var lastChange: Int64 = 0

  var extent: HistoryExtent {
    HistoryExtent(
      first: transactions.first?.transactionNumber ?? lastTransaction + 1,
      last: lastTransaction
    )
  }

  /// Appends what a save has done, if it has done anything.
  mutating func append(
    _ draft: HistoryDraft,
    author: ChangeSet.Author,
    model: ModelLayout,
    store: UUID
  ) {
    guard !draft.isEmpty else { return }
    lastTransaction += 1
    var changes: [PersistentHistoryChange] = []
    changes.reserveCapacity(draft.count)
    for batch in draft.batches {
      let entity = model.entities[batch.entity]
      for key in batch.keys.keys {
        lastChange += 1
        let place = HistoryDraft.Place(root: entity.root, key: key)
        changes.append(
          PersistentHistoryChange(
            changeID: lastChange,
            changedObjectID: ManagedObjectID(entityName: entity.name, owner: store, key: key),
            changeType: batch.type,
            updatedProperties: batch.properties,
            tombstone: draft.tombstones[place] ?? [:],
            details: draft.details[place] ?? HistoryDetails()
          )
        )
      }
    }
    transactions.append(
      PersistentHistoryTransaction(
        transactionNumber: lastTransaction,
        timestamp: Date(),
        author: author.name,
        contextName: author.contextName,
        processID: HistoryProcess.name,
        bundleID: HistoryProcess.bundleIdentifier,
        storeID: store,
        changes: changes
      )
    )
  }

  func select(_ query: HistoryQuery) -> [PersistentHistoryTransaction] {
    let rest =
      switch query.after {
      case .beginning: transactions
      case .token(let token):
        transactions.filter { $0.transactionNumber > token.transactionNumber }
      case .date(let date): transactions.filter { $0.timestamp > date }
      }
    let selected = rest.lazy.filter {
      query.selects(author: $0.author, contextName: $0.contextName)
    }
    let limited = query.limit > 0 ? Array(selected.prefix(query.limit)) : Array(selected)
    guard !query.includesChanges else { return limited }
    return limited.map {
      var transaction = $0
      transaction.changes = []
      return transaction
    }
  }

  /// Deletes the beginning.
  ///
  /// - Returns: How many transactions that were.
  mutating func delete(before place: HistoryPlace) -> Int {
    let end =
      switch place {
      case .beginning: 0
      case .token(let token):
        transactions.firstIndex { $0.transactionNumber >= token.transactionNumber }
          ?? transactions.count
      case .date(let date):
        transactions.firstIndex { $0.timestamp >= date } ?? transactions.count
      }
    transactions.removeFirst(end)
    return end
  }
}
