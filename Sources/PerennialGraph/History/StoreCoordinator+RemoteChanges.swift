// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialStore
import Synchronization

/// Who is told when somebody else has written to a store, and what has been told.
final class RemoteChangeState: Sendable {
  private struct Listeners {
    var next = 0
    var continuations: [Int: AsyncStream<PersistentStoreRemoteChange>.Continuation] = [:]
  }

  /// The last transaction of every store's history that has been looked at; none before the first look.
  let lastSeen = Mutex<[UUID: Int64]>([:])
  private let listeners = Mutex(Listeners())

  /// Every change from now on; the newest of those that its reader has not seen yet.
  func stream() -> AsyncStream<PersistentStoreRemoteChange> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let number = listeners.withLock { listeners in
        listeners.next += 1
        listeners.continuations[listeners.next] = continuation
        return listeners.next
      }
      continuation.onTermination = { [weak self] _ in
        // A continuation must not go while the lock is held: its end comes back here.
        let ended = self?.listeners.withLock { $0.continuations.removeValue(forKey: number) }
        _ = ended
      }
    }
  }

  func tell(_ change: PersistentStoreRemoteChange) {
    let continuations = listeners.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.yield(change) }
    change.post()
  }

  func finish() {
    let continuations = listeners.withLock { Array($0.continuations.values) }
    for continuation in continuations { continuation.finish() }
  }
}

extension StoreCoordinator {
  /// Every write of others from now on, as long as somebody looks for it.
  package func remoteChanges() -> AsyncStream<PersistentStoreRemoteChange> { remote.stream() }

  /// Begins with what is written from now on to a store, the only one or one of several.
  package func beginWatching(_ store: any RowStore) throws(PerennialError) {
    (store as? any WatchableStore)?.noteForeignChanges()
    guard let store = store as? any HistoryStore, store.keepsHistory else { return }
    store.noteOwnTransactions()
    let last = try store.historyExtent().last
    let identifier = store.identifier
    remote.lastSeen.withLock { $0[identifier] = $0[identifier] ?? last }
  }

  /// Merges what others have written to a store since the last time, and tells of it.
  ///
  /// What a store itself has seen of others' writes is posted to the mailboxes, as a save of this
  /// container's is; of one that sees nothing of them, every transaction of somebody else in its
  /// history; a store without a history only has it told that something was written.
  ///
  /// - Parameters:
  ///   - store: The store, the only one or one of several.
  ///   - url: The store's file.
  /// - Throws: The store's error; the next call looks again.
  package func receiveRemoteChanges(
    of store: any RowStore,
    url: URL?
  ) throws(PerennialError) {
    rowCache.removeAll()
    let history = (store as? any HistoryStore).flatMap { $0.keepsHistory ? $0 : nil }
    let isPosted = try postForeignChanges(of: store)
    guard let history, !isPosted else {
      let token = try history?.historyToken()
      return remote.tell(.init(storeID: store.identifier, url: url, historyToken: token))
    }
    guard try postRemoteTransactions(of: history) else { return }
    let token = try history.historyToken()
    remote.tell(.init(storeID: store.identifier, url: url, historyToken: token))
  }

  /// Posts what a store has seen of others' writes.
  ///
  /// - Returns: Whether it sees them at all.
  private func postForeignChanges(of store: any RowStore) throws(PerennialError) -> Bool {
    guard let watched = store as? any WatchableStore else { return false }
    return try withSaveCount { count throws(PerennialError) in
      guard let foreign = watched.takeForeignChanges() else { return false }
      for changes in foreign where !changes.isEmpty {
        guard combined == nil else {
          // The rows have the keys of one store: contexts read theirs again.
          postUnknownChanges(&count)
          continue
        }
        count += 1
        noteRows(of: changes)
        registry.post(CommittedChanges(count, foreign: changes, store), except: nil)
      }
      return true
    }
  }

  /// Has every context read everything again.
  private func postUnknownChanges(_ count: inout Int) {
    count += 1
    let roots = Set(store.model.entities.map(\.root))
    rowSaves.withLock { for root in roots { $0[root] += 1 } }
    registry.postUnknownChanges(except: nil)
  }

  /// How many transactions of others are in memory at once.
  private static var greatestPiece: Int64 { 100 }

  /// Posts the transactions of others; own ones are passed over without being read.
  ///
  /// - Returns: Whether there was any transaction of somebody else.
  private func postRemoteTransactions(
    of history: any HistoryStore
  ) throws(PerennialError) -> Bool {
    try withSaveCount { count throws(PerennialError) in
      let identifier = history.identifier
      guard var seen = remote.lastSeen.withLock({ $0[identifier] }) else {
        // The history was turned on after the store was opened: nobody can name what was saved before.
        try beginWatching(history)
        postUnknownChanges(&count)
        return true
      }
      var isTold = false
      while true {
        let own = history.ownRun(after: seen)
        if let own, own.lowerBound <= seen + 1 {
          seen = own.upperBound
          continue
        }
        let place = PersistentHistoryToken(storeID: identifier, transactionNumber: seen)
        var query = HistoryQuery(after: .token(place))
        query.limit = Int(min(Self.greatestPiece, (own?.lowerBound ?? Int64.max) - seen - 1))
        let transactions = try history.history(query)
        // Looked at afterwards, so that nothing is deleted in between.
        let extent = try history.historyExtent()
        guard extent.covers(seen) else {
          postUnknownChanges(&count)
          (seen, isTold) = (extent.last, true)
          break
        }
        for transaction in transactions
        where !history.isOwn(transaction: transaction.transactionNumber) {
          try post(transaction, &count)
          isTold = true
        }
        seen = transactions.last?.transactionNumber ?? seen
        if transactions.count < query.limit { break }
      }
      let last = seen
      remote.lastSeen.withLock { $0[identifier] = last }
      history.forgetOwnTransactions(through: last)
      return isTold
    }
  }

  private func post(
    _ transaction: PersistentHistoryTransaction,
    _ count: inout Int
  ) throws(PerennialError) {
    let changes = try HistoryChanges(transaction, store, naming).changes()
    noteRows(of: changes)
    count += 1
    registry.post(CommittedChanges(count, transaction, changes, store), except: nil)
  }
}

/// Makes a change set of a transaction, with the rows as they are stored now.
///
/// Which pairs of a link came and went is not known: its change of pairs is empty.
private struct HistoryChanges {
  private struct Update: Hashable {
    let entity: Int
    let properties: Set<String>
  }

  private let transaction: PersistentHistoryTransaction
  private let store: any RowStore
  private let naming: StoreNaming

  init(
    _ transaction: PersistentHistoryTransaction,
    _ store: any RowStore,
    _ naming: StoreNaming
  ) {
    self.transaction = transaction
    self.store = store
    self.naming = naming
  }

  func changes() throws(PerennialError) -> ChangeSet {
    var inserted: [Int: [Int64]] = [:]
    var updated: [Update: [Int64]] = [:]
    var deleted: [Int: [Int64]] = [:]
    for change in transaction.changes {
      guard let entity = store.model.entitiesByName[change.changedObjectID.entityName],
        let key = naming.key(of: change.changedObjectID)
      else { continue }
      switch change.changeType {
      case .insert: inserted[entity, default: []].append(key)
      case .delete: deleted[entity, default: []].append(key)
      case .update:
        updated[Update(entity: entity, properties: change.updatedProperties), default: []]
          .append(key)
      }
    }
    var changes = ChangeSet()
    for (entity, keys) in inserted {
      changes.insertions.append(.init(entity: entity, pages: try pages(keys, of: entity)))
    }
    for (update, keys) in updated {
      let layout = store.model.entities[update.entity]
      let slots = update.properties.compactMap { layout.slotsByName[$0] }.sorted()
      let pages = try pages(keys, of: update.entity)
      changes.updates.append(.init(entity: update.entity, slots: slots, pages: pages))
      noteToManys(update.properties, layout, keys, &changes)
    }
    for (entity, keys) in deleted {
      let stored = try storedKeys(keys, of: entity)
      let rows = keys.filter { !stored.contains($0) }.map {
        ChangeSet.Deletion.Row(key: $0, version: 0)
      }
      changes.deletions.append(.init(entity: entity, rows: rows))
    }
    return changes
  }

  private func noteToManys(
    _ properties: Set<String>,
    _ layout: EntityLayout,
    _ keys: [Int64],
    _ changes: inout ChangeSet
  ) {
    for index in properties.compactMap({ layout.toManysByName[$0] }) {
      let relationship = layout.toManys[index]
      if let side = relationship.side, !changes.links.contains(where: { $0.link == side.link }) {
        changes.links.append(.init(link: side.link, added: [], removed: []))
      }
      guard relationship.isOrdered else { continue }
      for key in keys {
        changes.orders.append(.init(relationship: relationship, owner: key, members: []))
      }
    }
  }

  /// The keys of deleted rows that have been stored again since, by this container perhaps.
  private func storedKeys(_ keys: [Int64], of entity: Int) throws(PerennialError) -> Set<Int64> {
    Set(try store.fetchReferences(StoreQuery(entity: entity, scope: .keys(keys))).map(\.key))
  }

  private func pages(_ keys: [Int64], of entity: Int) throws(PerennialError) -> [RowPage] {
    var pages: [RowPage] = []
    try store.fetchRows(StoreQuery(entity: entity, scope: .keys(keys))) { pages.append($0) }
    return pages
  }
}
