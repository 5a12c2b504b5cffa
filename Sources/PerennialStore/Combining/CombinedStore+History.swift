// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

extension CombinedStore {
  /// Asks every store that keeps a history, or those that a request names.
  ///
  /// Transactions of different stores come in the order of their times.
  ///
  /// - Throws: As for one store; `persistentStoreUnsupportedRequestType` when none keeps a history.
  package func execute(
    _ request: PersistentHistoryChangeRequest
  ) throws(PerennialError) -> PersistentHistoryResult {
    var stores = members.compactMap { $0.store as? any HistoryStore }.filter {
      $0.keepsHistory && request.affectedStores?.contains($0.identifier) != false
    }
    if case .token(let token) = request.place {
      guard members.contains(where: { $0.store.identifier == token.storeID }) else {
        throw .expired(token, of: identifier)
      }
      stores = stores.filter { $0.identifier == token.storeID }
    }
    guard !stores.isEmpty else {
      throw request.affectedStores == nil ? .noHistory : .noHistoryOfNamedStores
    }
    var results: [PersistentHistoryResult] = []
    for store in stores { results.append(try store.execute(request)) }
    return PersistentHistoryResult(merging: results, limit: request.fetchLimit)
  }
}
