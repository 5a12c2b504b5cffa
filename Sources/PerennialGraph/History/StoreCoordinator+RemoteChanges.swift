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
  /// history; a store without a history only has it told that something was written. What cannot be read has
  /// every context read everything again.
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
    var isTold = false
    // Also when something fails later: what has been posted is not posted again.
    defer { if isTold { tellWhatIsSeen(of: history, url: url) } }
    while try postRemoteTransactions(of: history, &isTold) {}
  }

  private func tellWhatIsSeen(of history: any HistoryStore, url: URL?) {
    let identifier = history.identifier
    let token = remote.lastSeen.withLock { $0[identifier] }.map {
      PersistentHistoryToken(storeID: identifier, transactionNumber: $0)
    }
    remote.tell(.init(storeID: identifier, url: url, historyToken: token))
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
    pairSaves.withLock { for link in store.model.links { $0[link.index] += 1 } }
    registry.postUnknownChanges(except: nil)
  }

  /// How many transactions are in memory at once; of fewer own ones in succession each is read, too.
  private static var greatestPiece: Int64 { 100 }

  /// Posts the next transactions of others; many own ones in succession are passed over without being read.
  ///
  /// - Parameters:
  ///   - history: The store.
  ///   - isTold: Becomes `true` when there was any transaction of somebody else.
  /// - Returns: Whether there may be more.
  /// - Throws: The store's error.
  private func postRemoteTransactions(
    of history: any HistoryStore,
    _ isTold: inout Bool
  ) throws(PerennialError) -> Bool {
    try withSaveCount { count throws(PerennialError) in
      let identifier = history.identifier
      guard var seen = remote.lastSeen.withLock({ $0[identifier] }) else {
        // The history was turned on after the store was opened: nobody can name what was saved before.
        try beginWatching(history)
        postUnknownChanges(&count)
        isTold = true
        return false
      }
      var own = history.ownRun(after: seen)
      while let run = own, run.lowerBound <= seen + 1 {
        seen = run.upperBound
        own = history.ownRun(after: seen)
      }
      // What has been posted is not posted again, whatever fails behind it.
      defer { noteSeen(seen, of: history) }
      let place = PersistentHistoryToken(storeID: identifier, transactionNumber: seen)
      var query = HistoryQuery(after: .token(place))
      var limit = Self.greatestPiece
      if let own, own.upperBound - own.lowerBound >= limit - 1 {
        limit = min(limit, own.lowerBound - seen - 1)
      }
      query.limit = Int(limit)
      let found = try readable { () throws(PerennialError) in try history.history(query) }
      // Looked at afterwards, so that nothing is deleted in between.
      let extent = try history.historyExtent()
      guard let transactions = found, extent.covers(seen) else {
        postUnknownChanges(&count)
        (seen, isTold) = (extent.last, true)
        return false
      }
      for transaction in transactions {
        if !history.isOwn(transaction: transaction.transactionNumber) {
          try post(transaction, &count)
          isTold = true
        }
        seen = transaction.transactionNumber
      }
      return transactions.count == query.limit
    }
  }

  /// What a closure reads; `nil` when it cannot be read, which would hide all that is later if it were waited for.
  ///
  /// - Throws: What passes: that others have locked what is to be read, or that the server cannot be reached.
  private func readable<Result>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result? {
    do throws(PerennialError) {
      return try body()
    } catch {
      if error.passes { throw error }
      return nil
    }
  }

  /// Notes how far a store's history has been looked at.
  private func noteSeen(_ number: Int64, of history: any HistoryStore) {
    let identifier = history.identifier
    remote.lastSeen.withLock { $0[identifier] = number }
    history.forgetOwnTransactions(through: number)
  }

  /// Posts a transaction; where a row of it cannot be read, contexts read theirs again, and find out themselves.
  private func post(
    _ transaction: PersistentHistoryTransaction,
    _ count: inout Int
  ) throws(PerennialError) {
    let found = try readable { () throws(PerennialError) in
      try HistoryChanges(transaction, store, naming).changes()
    }
    guard let changes = found else { return postUnknownChanges(&count) }
    noteRows(of: changes)
    count += 1
    registry.post(CommittedChanges(count, transaction, changes, store), except: nil)
  }
}

extension PerennialError {
  /// Whether the same request may succeed a little later: others hold a lock, or the server is away.
  var passes: Bool { code == .persistentStoreTimeout || code == .connectionLost }
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
