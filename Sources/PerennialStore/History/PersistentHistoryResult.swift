// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel

/// What a request for history gives.
///
/// Core Data: `NSPersistentHistoryResultType`.
public enum PersistentHistoryResultType: Int, Sendable, Hashable {
  /// Nothing but whether the request was done.
  case statusOnly = 0
  /// The IDs of all objects that were changed, each once.
  case objectIDs = 1
  /// The number of transactions.
  case count = 2
  /// The transactions without their changes.
  case transactionsOnly = 3
  /// The changes of all transactions.
  case changesOnly = 4
  /// The transactions with their changes.
  case transactionsAndChanges = 5
}

extension PersistentHistoryResultType {
  /// Whether the changes of the transactions have to be read.
  var needsChanges: Bool {
    switch self {
    case .objectIDs, .changesOnly, .transactionsAndChanges: true
    case .statusOnly, .count, .transactionsOnly: false
    }
  }
}

/// What a request for history gave.
///
/// Core Data: `NSPersistentHistoryResult`.
public struct PersistentHistoryResult: Sendable {
  /// What was asked for.
  public let resultType: PersistentHistoryResultType
  /// The number of transactions that were fetched or deleted.
  public let count: Int
  private let fetched: [PersistentHistoryTransaction]

  package init(
    _ type: PersistentHistoryResultType,
    _ transactions: [PersistentHistoryTransaction],
    count: Int
  ) {
    resultType = type
    fetched = transactions
    self.count = count
  }

  /// What several stores gave, which is at least one.
  package init(merging results: [PersistentHistoryResult], limit: Int) {
    var all: [PersistentHistoryTransaction] = []
    // Those of one store stay in its order, whatever its clock has shown.
    var queues = results.map { $0.fetched[...] }
    func time(_ queue: Int) -> Date { queues[queue][queues[queue].startIndex].timestamp }
    while let next = queues.indices.filter({ !queues[$0].isEmpty })
      .min(by: { time($0) < time($1) })
    {
      all.append(queues[next].removeFirst())
    }
    let isDeletion = results.contains { $0.fetched.isEmpty && $0.count > 0 }
    if limit > 0, !isDeletion { all = Array(all.prefix(limit)) }
    self.init(
      results.first?.resultType ?? .statusOnly,
      all,
      count: isDeletion ? results.reduce(0) { $0 + $1.count } : all.count
    )
  }

  /// The transactions, the oldest first; empty when they were not asked for.
  public var transactions: [PersistentHistoryTransaction] {
    switch resultType {
    case .transactionsOnly, .transactionsAndChanges: fetched
    case .statusOnly, .objectIDs, .count, .changesOnly: []
    }
  }

  /// All changes, the oldest first; empty when they were not asked for.
  public var changes: [PersistentHistoryChange] {
    switch resultType {
    case .changesOnly, .transactionsAndChanges: fetched.flatMap(\.changes)
    case .statusOnly, .objectIDs, .count, .transactionsOnly: []
    }
  }

  /// The IDs of all objects that were changed; empty when they were not asked for.
  public var objectIDs: Set<ManagedObjectID> {
    guard resultType == .objectIDs else { return [] }
    return Set(fetched.lazy.flatMap(\.changes).map(\.changedObjectID))
  }
}
