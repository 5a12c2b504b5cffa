// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store that keeps the history of its saves, written in the transaction of each.
package protocol HistoryStore: RowStore {
  /// Whether it does; the other operations then work.
  var keepsHistory: Bool { get }

  /// What the history comprises.
  func historyExtent() throws(PerennialError) -> HistoryExtent

  /// The transactions that a query selects, in their order; its place is one that is there.
  func history(_ query: HistoryQuery) throws(PerennialError) -> [PersistentHistoryTransaction]

  /// Deletes all transactions before a place; that of a token is kept.
  ///
  /// What is deleted is always the beginning of the history, even if clocks went back.
  ///
  /// - Returns: How many were deleted.
  func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int

  /// Remembers from now on which transactions are saved through this very store.
  func noteOwnTransactions()

  /// Whether a transaction was saved through this very store, and not by another process.
  func isOwn(transaction number: Int64) -> Bool

  /// The first successive transactions after a number that were saved through this very store, as far as it
  /// knows; they may begin before the number, and end after it.
  func ownRun(after number: Int64) -> ClosedRange<Int64>?

  /// Forgets which transactions up to a number were saved through this store.
  func forgetOwnTransactions(through number: Int64)
}

extension HistoryStore {
  // A store of whose other writers nothing is known.

  package func noteOwnTransactions() {}

  package func isOwn(transaction number: Int64) -> Bool { true }

  package func ownRun(after number: Int64) -> ClosedRange<Int64>? { nil }

  package func forgetOwnTransactions(through number: Int64) {}

  /// The transactions that a query selects.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when some of what follows the query's token is gone.
  package func checkedHistory(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    guard keepsHistory else { throw .noHistory }
    guard case .token(let token) = query.after else { return try history(query) }
    // Looked at afterwards, so that nothing is deleted in between.
    let transactions = try history(query)
    try check(token)
    return transactions
  }

  /// Throws when some of what follows a token is gone.
  package func check(_ token: PersistentHistoryToken) throws(PerennialError) {
    let extent = try historyExtent()
    guard token.storeID == identifier, extent.covers(token.transactionNumber) else {
      throw .expired(token, of: identifier)
    }
  }

  /// The place after the last transaction; `nil` when the store keeps no history.
  package func historyToken() throws(PerennialError) -> PersistentHistoryToken? {
    guard keepsHistory else { return nil }
    return PersistentHistoryToken(
      storeID: identifier,
      transactionNumber: try historyExtent().last
    )
  }
}
