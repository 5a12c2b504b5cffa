// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
package import PerennialModel

/// A place in the history of a store: after one of its transactions.
///
/// Keep a token, for instance in a file, to ask later for what has been saved since. Tokens of one store
/// compare by their places.
///
/// Core Data: `NSPersistentHistoryToken`.
public struct PersistentHistoryToken: Sendable, Hashable, Codable, Comparable {
  /// The store that the token belongs to.
  public let storeID: UUID
  /// The number of the last transaction before this place; 0 before the first.
  public let transactionNumber: Int64

  package init(storeID: UUID, transactionNumber: Int64) {
    self.storeID = storeID
    self.transactionNumber = transactionNumber
  }

  /// Whether one place is before another; tokens of different stores compare by their stores.
  ///
  /// - Parameters:
  ///   - left: A token.
  ///   - right: Another one.
  /// - Returns: `false` also for equal tokens. The order of tokens of different stores has no meaning.
  public static func < (left: Self, right: Self) -> Bool {
    left.storeID == right.storeID
      ? left.transactionNumber < right.transactionNumber
      : left.storeID.uuidString < right.storeID.uuidString
  }
}

extension PerennialError {
  /// A token whose history has been deleted, or which the store never gave.
  package static func expired(
    _ token: PersistentHistoryToken,
    of store: UUID
  ) -> PerennialError {
    PerennialError(
      .persistentHistoryTokenExpired,
      token.storeID == store
        ? "The history that follows the token has been deleted, or the store is an older copy."
        : "The token belongs to another store.",
      recovery: "fetch everything again, and then the history after 'currentPersistentHistoryToken'"
    )
  }

  /// A request to a store that keeps no history.
  package static var noHistory: PerennialError {
    PerennialError(
      .persistentStoreUnsupportedRequestType,
      "The store keeps no history.",
      recovery: "open it with 'historyTracking' of its description, and without 'isReadOnly'"
    )
  }

  /// No store that a request names keeps a history, or is there.
  package static var noHistoryOfNamedStores: PerennialError {
    PerennialError(
      .persistentStoreUnsupportedRequestType,
      "None of the stores that the request's 'affectedStores' names keeps a history.",
      recovery: """
        name a store of 'persistentStores' that was opened with 'historyTracking', or use nil for all
        """
    )
  }
}
