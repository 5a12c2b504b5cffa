// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// One save, as the history of its store keeps it.
///
/// Core Data: `NSPersistentHistoryTransaction`.
public struct PersistentHistoryTransaction: Sendable, Hashable, Identifiable {
  /// The number of the transaction, greater than those of all earlier transactions of the store.
  public let transactionNumber: Int64
  /// When it was saved, by the clock of the process that saved.
  public let timestamp: Date
  /// Who saved: the context's `transactionAuthor`.
  public let author: String?
  /// The name of the context that saved.
  public let contextName: String?
  /// The name of the process that saved.
  public let processID: String?
  /// The bundle identifier of the program that saved, or the name of its executable.
  public let bundleID: String?
  /// The store.
  public let storeID: UUID
  /// What was changed: insertions, then updates, then deletions; empty when only transactions were asked
  /// for.
  public internal(set) var changes: [PersistentHistoryChange]

  package init(
    transactionNumber: Int64,
    timestamp: Date,
    author: String?,
    contextName: String?,
    processID: String?,
    bundleID: String?,
    storeID: UUID,
    changes: [PersistentHistoryChange] = []
  ) {
    self.transactionNumber = transactionNumber
    self.timestamp = timestamp
    self.author = author
    self.contextName = contextName
    self.processID = processID
    self.bundleID = bundleID
    self.storeID = storeID
    self.changes = changes
  }

  /// The number of the transaction.
  public var id: Int64 { transactionNumber }

  /// The place in the history after this transaction.
  public var token: PersistentHistoryToken {
    PersistentHistoryToken(storeID: storeID, transactionNumber: transactionNumber)
  }
}
