// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import Synchronization

/// Several stores of one model as one: what a coordinator of several stores gives its contexts.
///
/// A row's key says which store it is of (``StoreKey``). A request goes to the stores that may have
/// rows for it; when there is only one, it does the whole work. Otherwise what they give is merged by
/// the request's order, and windows and aggregates apply afterwards.
///
/// Invariants: a number names the same store for good; relationships stay within a store. Saves come one
/// after the other.
package final class CombinedStore: RowStore {
  /// A store that is to be among others.
  package struct Newcomer: Sendable {
    package let store: any RowStore
    /// The places of the entities that it keeps.
    package let entities: Set<Int>
    /// Whether it was opened without the right to write.
    package let isReadOnly: Bool

    package init(_ store: any RowStore, entities: Set<Int>, isReadOnly: Bool = false) {
      self.store = store
      self.entities = entities
      self.isReadOnly = isReadOnly
    }
  }

  /// A store among the others.
  package struct Member: Sendable {
    package let number: Int
    /// Its place among the stores that new objects go to; a store that takes another one's place has that.
    fileprivate let place: Int
    private let newcomer: Newcomer

    fileprivate init(_ newcomer: Newcomer, number: Int, place: Int) {
      self.newcomer = newcomer
      self.number = number
      self.place = place
    }

    package var store: any RowStore { newcomer.store }
    package var entities: Set<Int> { newcomer.entities }
    package var isReadOnly: Bool { newcomer.isReadOnly }
  }

  /// What one store has to do of a change set, in its own keys.
  private typealias Share = (member: Member, changes: ChangeSet)

  package let model: ModelLayout
  /// No store's: it only tells this value from others.
  package let identifier = UUID()
  package let recorder = StatementRecorder()
  private let names = MemberNames()
  private let present = Mutex<[Member]>([])
  private let tally = Mutex(StoreCounters())
  private let attempts = SaveAttempts()

  package init(model: ModelLayout) { self.model = model }

  package var naming: StoreNaming { StoreNaming(identifier, members: names) }

  /// What all stores promise; what every kind of store does, before there is one.
  package var capabilities: StoreCapabilities {
    let all = members.map(\.store.capabilities)
    return all.dropFirst().reduce(all.first ?? .cacheableRows) { $0.intersection($1) }
  }

  package var counters: StoreCounters {
    var counters = tally.withLock { $0 }
    for member in members { counters += member.store.counters }
    return counters
  }

  // MARK: Members

  /// The stores, in the order of their numbers.
  package var members: [Member] { present.withLock { $0 } }

  /// Adds a store.
  ///
  /// - Parameters:
  ///   - newcomer: The store.
  ///   - replaced: The identifier of a store that goes in the same moment.
  /// - Throws: `persistentStoreOpen` when the store is there already, or when there are too many.
  package func add(
    _ newcomer: Newcomer,
    replacing replaced: UUID? = nil
  ) throws(PerennialError) {
    let store = newcomer.store
    try present.withLock { members throws(PerennialError) in
      guard !members.contains(where: { $0.store.identifier == store.identifier }) else {
        throw PerennialError(
          .persistentStoreOpen,
          "The coordinator has a store of the same identifier already.",
          recovery: "add a store once; a copy of a store cannot be beside it"
        )
      }
      guard let number = names.add(store.identifier) else {
        throw PerennialError(
          .persistentStoreOpen,
          "A coordinator cannot have more than \(StoreKey.storeLimit) stores.",
          recovery: "use another coordinator"
        )
      }
      let last = members.map(\.place).max() ?? -1
      let former = replaced.flatMap { take($0, from: &members) }
      members.append(Member(newcomer, number: number, place: former?.place ?? last + 1))
      members.sort { $0.number < $1.number }
    }
  }

  /// Takes a store away; its rows are gone for every reader.
  ///
  /// - Returns: Whether it was there.
  package func remove(_ identifier: UUID) -> Bool {
    present.withLock { take(identifier, from: &$0) } != nil
  }

  private func take(_ identifier: UUID, from members: inout [Member]) -> Member? {
    guard let index = members.firstIndex(where: { $0.store.identifier == identifier }) else {
      return nil
    }
    let member = members.remove(at: index)
    tally.withLock { $0 += member.store.counters }
    return member
  }

  /// The number of the store that new objects of an entity go to: the first one, of some perhaps, that may
  /// have them.
  package func store(
    forNew entity: Int,
    among stores: Set<UUID>? = nil
  ) throws(PerennialError) -> Int {
    let able = members.filter {
      $0.entities.contains(entity) && stores?.contains($0.store.identifier) != false
    }
    let writable = able.filter { !$0.isReadOnly }
    let first = (writable.isEmpty ? able : writable).min { $0.place < $1.place }
    if let first { return first.number }
    throw .noStore(for: model.entities[entity].name)
  }

  /// The member of a number; `nil` when it was removed.
  func member(_ number: Int) -> Member? { members.first { $0.number == number } }

  // MARK: Writing

  package func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try reserveKeys(root: root, count: count, store: try store(forNew: root))
  }

  /// Sets keys aside for new rows in a store.
  package func reserveKeys(
    root: Int,
    count: Int,
    store number: Int
  ) throws(PerennialError) -> Int64 {
    guard let member = member(number) else { throw .removedStore }
    let first = try member.store.reserveKeys(root: root, count: count)
    guard StoreKey.fits(first + Int64(count)) else {
      throw PerennialError(
        .persistentStoreSave,
        "The store has used up the keys that it can have beside other stores.",
        recovery: "open it in a container of its own",
        entity: model.entities[root].name
      )
    }
    return StoreKey.combined(first, store: number)
  }

  package func save(_ changes: ChangeSet) throws(SaveFailure) {
    guard !changes.isEmpty else { return }
    let shares: [Share]
    do throws(PerennialError) {
      shares = try self.shares(of: changes)
    } catch {
      throw .failed(error)
    }
    guard shares.count > 1 || attempts.contains(changes.identifier) else {
      for share in shares { try save(share) }
      return
    }
    let rest = try checked(shares)
    for share in rest {
      attempts.noteBeginning(of: changes.identifier, in: share.member.number)
      try save(share)
      attempts.noteEnd(of: changes.identifier, in: share.member.number)
    }
    attempts.forget(changes.identifier)
  }

  /// What every store has to do, in the order of their numbers.
  private func shares(of changes: ChangeSet) throws(PerennialError) -> [Share] {
    var shares: [Share] = []
    let parts = try ChangeSetSplitter(model).split(changes)
    for (number, part) in parts.sorted(by: { $0.key < $1.key }) {
      guard let member = member(number) else { throw .removedStore }
      shares.append((member, part))
    }
    return shares
  }

  private func save(_ share: Share) throws(SaveFailure) {
    guard !share.changes.isEmpty else { return }
    do throws(SaveFailure) {
      try share.member.store.save(share.changes)
    } catch {
      throw combined(error, share.member)
    }
  }

  /// Looks for what would stop a save in one store before anything is written in another.
  ///
  /// When the set is given again, a store that has written its share gets what has been added to it; one that
  /// failed knows best whether it had written anything.
  private func checked(_ shares: [Share]) throws(SaveFailure) -> [Share] {
    var rest: [Share] = []
    var conflicts: [SaveConflict] = []
    do throws(PerennialError) {
      for (member, changes) in shares {
        if member.isReadOnly { throw .readOnlyMember }
        switch attempts.state(of: changes.identifier, in: member.number) {
        case .saved:
          rest.append((member, try SettledChanges(changes, in: member.store).remainder()))
        case .begun: rest.append((member, changes))
        case nil:
          let found = try ConflictSearch(changes, in: member.store).conflicts()
          conflicts += try combined(found, member)
          rest.append((member, changes))
        }
      }
    } catch {
      throw .failed(error)
    }
    if !conflicts.isEmpty { throw .conflicts(conflicts) }
    return rest
  }

  private func combined(_ failure: SaveFailure, _ member: Member) -> SaveFailure {
    guard case .conflicts(let conflicts) = failure else { return failure }
    do throws(PerennialError) {
      return .conflicts(try combined(conflicts, member))
    } catch {
      return .failed(error)
    }
  }

  private func combined(
    _ conflicts: [SaveConflict],
    _ member: Member
  ) throws(PerennialError) -> [SaveConflict] {
    try conflicts.map { conflict throws(PerennialError) in
      switch conflict {
      case .version(let root, let key, let stored):
        .version(
          root: root,
          key: StoreKey.combined(key, store: member.number),
          stored: try stored.map { row throws(PerennialError) in try member.combined(row) }
        )
      case .constraint(let entity, let constraint, let newcomer, let stored):
        .constraint(
          entity: entity,
          constraint: constraint,
          newcomer: StoreKey.combined(newcomer, store: member.number),
          stored: try member.combined(stored)
        )
      }
    }
  }

  package func execute(_ statement: BatchStatement) throws(PerennialError) -> BatchOutcome? {
    let parts = parts(of: statement.query)
    guard parts.count == 1, let part = parts.first else { return nil }
    let own: BatchStatement.Action
    switch statement.action {
    case .delete: own = .delete
    case .update(let slots, let row):
      // A row that names another one goes the way on which stores are compared.
      let entity = model.entities[row.entity]
      guard slots.allSatisfy({ entity.slots[$0].storage != .reference }) else { return nil }
      own = .update(slots: slots, row)
    }
    var local = BatchStatement(query: part.query, action: own)
    local.namesRows = statement.namesRows
    local.author = statement.author
    guard let outcome = try part.member.store.execute(local) else { return nil }
    // It is done: rows that have no ID beside other stores are only counted.
    let named = outcome.references.filter { StoreKey.fits($0.key) }
    return BatchOutcome(count: outcome.count, references: try part.member.combined(named))
  }
}

extension PerennialError {
  /// New objects that no store takes.
  package static func noStore(for entity: String) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "No store of the coordinator keeps objects of '\(entity)'.",
      recovery: "add a store whose configuration has the entity, or name another one",
      entity: entity
    )
  }

  fileprivate static var removedStore: PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The objects' store has been removed from its coordinator.",
      recovery: "roll back, or add the store again"
    )
  }

  fileprivate static var readOnlyMember: PerennialError {
    PerennialError(
      .persistentStoreSave,
      "One of the changed stores was opened without the right to write.",
      recovery: "change objects of other stores only, or open it without 'isReadOnly'"
    )
  }
}
