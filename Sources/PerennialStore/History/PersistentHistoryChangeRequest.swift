// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
package import PerennialModel

/// Asks a store for its history, or deletes the beginning of it.
///
/// ```swift
/// var request = PersistentHistoryChangeRequest.fetchHistory(after: lastToken)
/// request.excludedAuthors = ["importer"]
/// for transaction in try context.execute(request).transactions {
///   try context.mergeChanges(from: transaction)
///   lastToken = transaction.token
/// }
/// ```
///
/// Core Data: `NSPersistentHistoryChangeRequest`.
public struct PersistentHistoryChangeRequest: Sendable {
  package enum Action: Sendable {
    case fetch
    case delete
  }

  package let action: Action
  /// The place after which is fetched, or before which is deleted.
  package let place: HistoryPlace
  /// What the request gives; a deletion gives a count, unless it is `statusOnly`.
  public var resultType: PersistentHistoryResultType
  /// Only transactions of these authors; `nil` for all.
  ///
  /// A `nil` in the set stands for transactions without an author. Like the other filters, this one applies
  /// only to fetches.
  public var authors: Set<String?>?
  /// No transactions of these authors.
  public var excludedAuthors: Set<String?> = []
  /// Only transactions of contexts with these names; `nil` for all.
  ///
  /// A `nil` in the set stands for contexts without a name.
  public var contextNames: Set<String?>?
  /// The identifiers of the stores to ask; `nil` for all that keep a history.
  ///
  /// A request with a token or a transaction asks only the store that this belongs to.
  ///
  /// Core Data: `NSPersistentStoreRequest.affectedStores`.
  public var affectedStores: Set<UUID>?
  /// The greatest number of transactions to fetch; 0 for all.
  public var fetchLimit = 0

  private init(_ action: Action, _ place: HistoryPlace, _ type: PersistentHistoryResultType) {
    self.action = action
    self.place = place
    resultType = type
  }

  /// Fetches the transactions after a token.
  ///
  /// - Parameter token: The token; `nil` for all transactions that are there.
  /// - Returns: The request. It fails with `persistentHistoryTokenExpired` (134301) when some of the history
  ///   after the token has been deleted, or when the token belongs to another store or a newer copy of this one.
  public static func fetchHistory(after token: PersistentHistoryToken?) -> Self {
    Self(.fetch, token.map { .token($0) } ?? .beginning, .transactionsAndChanges)
  }

  /// Fetches the transactions after a given one.
  ///
  /// - Parameter transaction: The transaction.
  /// - Returns: The request. It fails as the one after a token does.
  public static func fetchHistory(after transaction: PersistentHistoryTransaction) -> Self {
    fetchHistory(after: transaction.token)
  }

  /// Fetches the transactions that were saved after a point in time.
  ///
  /// - Parameter date: The point in time, by the clocks of the processes that saved.
  /// - Returns: The request.
  public static func fetchHistory(after date: Date) -> Self {
    Self(.fetch, .date(date), .transactionsAndChanges)
  }

  /// Deletes the transactions before the one of a token, which stays; the token remains valid.
  ///
  /// - Parameter token: The token.
  /// - Returns: The request.
  public static func deleteHistory(before token: PersistentHistoryToken) -> Self {
    Self(.delete, .token(token), .count)
  }

  /// Deletes the transactions before a given one, which stays.
  ///
  /// - Parameter transaction: The transaction.
  /// - Returns: The request.
  public static func deleteHistory(before transaction: PersistentHistoryTransaction) -> Self {
    deleteHistory(before: transaction.token)
  }

  /// Deletes the transactions before the first one that was saved at a point in time or later.
  ///
  /// - Parameter date: The point in time.
  /// - Returns: The request.
  public static func deleteHistory(before date: Date) -> Self {
    Self(.delete, .date(date), .count)
  }
}

extension HistoryStore {
  /// Does what a request asks for.
  package func execute(
    _ request: PersistentHistoryChangeRequest
  ) throws(PerennialError) -> PersistentHistoryResult {
    guard request.fetchLimit >= 0 else { throw .negativeLimit }
    guard keepsHistory else { throw .noHistory }
    guard request.action == .fetch else {
      if case .token(let token) = request.place { try checkStore(of: token) }
      let count = try deleteHistory(before: request.place)
      return PersistentHistoryResult(request.resultType, [], count: count)
    }
    var query = HistoryQuery(after: request.place)
    query.authors = request.authors
    query.excludedAuthors = request.excludedAuthors
    query.contextNames = request.contextNames
    query.limit = request.fetchLimit
    query.includesChanges = request.resultType.needsChanges
    let transactions = try checkedHistory(query)
    return PersistentHistoryResult(request.resultType, transactions, count: transactions.count)
  }

  private func checkStore(of token: PersistentHistoryToken) throws(PerennialError) {
    guard token.storeID == identifier else { throw .expired(token, of: identifier) }
  }
}

extension PerennialError {
  fileprivate static var negativeLimit: PerennialError {
    PerennialError(
      .invalidRequest,
      "The request for history has a 'fetchLimit' that is less than zero.",
      recovery: "use 0 for none"
    )
  }
}
