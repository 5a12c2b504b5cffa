// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
public import PerennialModel
public import PerennialStore

extension ManagedObjectContext {
  /// Fetches or deletes history of the store.
  ///
  /// A child context asks the store, too: what is not saved there is not history.
  ///
  /// Core Data: `NSManagedObjectContext.execute(_:)` with an `NSPersistentHistoryChangeRequest`.
  ///
  /// - Parameter request: What to fetch or delete.
  /// - Returns: What the request asks for.
  /// - Throws: `persistentHistoryTokenExpired` (134301) when some of the history after the token has been deleted,
  ///   or the token is of another store; `persistentStoreUnsupportedRequestType` (134091) when the store keeps no
  ///   history, or none of the stores that the request names does; `invalidRequest` (200008) for a limit below zero;
  ///   or the store's error.
  @discardableResult
  public func execute(
    _ request: PersistentHistoryChangeRequest
  ) throws(PerennialError) -> PersistentHistoryResult {
    if let combined = coordinator.combined { return try combined.execute(request) }
    guard let store = coordinator.store as? any HistoryStore else { throw .noHistory }
    guard request.affectedStores?.contains(store.identifier) != false else {
      throw .noHistoryOfNamedStores
    }
    return try store.execute(request)
  }

  /// Merges what a transaction of the history has changed, for instance one of another process.
  ///
  /// The objects are read as they are stored now, which may be newer than the transaction; otherwise this does the
  /// same as ``mergeChanges(fromRemoteContextSave:)``. Merging a transaction twice, or one of this context's own,
  /// changes nothing.
  ///
  /// Core Data: `mergeChanges(fromContextDidSave: transaction.objectIDNotification())`.
  ///
  /// - Parameter transaction: A transaction with its changes, of this context's store.
  /// - Throws: The store's error; then nothing is merged.
  public func mergeChanges(
    from transaction: PersistentHistoryTransaction
  ) throws(PerennialError) {
    guard coordinator.naming.names(transaction.storeID) else { return }
    try mergeChanges(named: transaction.objects, areDeletedGone: false)
  }
}

extension PersistentHistoryTransaction {
  /// The IDs of the objects that were inserted, updated and deleted.
  ///
  /// Core Data: `objectIDNotification()`.
  public var objects: ObjectChanges {
    func ids(_ type: PersistentHistoryChangeType) -> Set<ManagedObjectID> {
      Set(changes.lazy.filter { $0.changeType == type }.map(\.changedObjectID))
    }
    return ObjectChanges(inserted: ids(.insert), updated: ids(.update), deleted: ids(.delete))
  }
}

extension StoreCoordinator {
  /// The place after the last transaction of a store's history; `nil` when it keeps none.
  ///
  /// - Parameter identifier: The store; without it, the first one that keeps a history.
  /// - Returns: The place.
  /// - Throws: The store's error.
  package func historyToken(
    of identifier: UUID? = nil
  ) throws(PerennialError) -> PersistentHistoryToken? {
    var chosen: (any RowStore)? = store
    if let combined {
      chosen = combined.members.lazy.map(\.store).first { member in
        identifier.map { $0 == member.identifier }
          ?? ((member as? any HistoryStore)?.keepsHistory == true)
      }
    } else if let identifier, identifier != store.identifier {
      return nil
    }
    return try (chosen as? any HistoryStore)?.historyToken()
  }
}
