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
/// Invariants: a number names the same store for good; relationships stay within a store.
package final class CombinedStore: RowStore {
  /// A store among the others.
  package struct Member: Sendable {
    package let number: Int
    package let store: any RowStore
    /// The places of the entities that it keeps.
    package let entities: Set<Int>
    package let isReadOnly: Bool

    package init(number: Int, store: any RowStore, entities: Set<Int>, isReadOnly: Bool) {
      self.number = number
      self.store = store
      self.entities = entities
      self.isReadOnly = isReadOnly
    }
  }

  package let model: ModelLayout
  /// No store's: it only tells this value from others.
  package let identifier = UUID()
  package let recorder = StatementRecorder()
  private let names = MemberNames()
  private let present = Mutex<[Member]>([])
  private let tally = Mutex(StoreCounters())
  /// The last change sets of several stores that some of these may have written.
  private let begun = Mutex<[UInt64]>([])

  package init(model: ModelLayout) { self.model = model }

  package var naming: StoreNaming { StoreNaming(identifier, members: names) }

  /// What all stores promise.
  package var capabilities: StoreCapabilities {
    let all = members.map(\.store.capabilities)
    return all.dropFirst().reduce(all.first ?? []) { $0.intersection($1) }
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
  ///   - store: The store, open.
  ///   - entities: The places of the entities that it keeps.
  ///   - isReadOnly: Whether it was opened without the right to write.
  /// - Throws: `persistentStoreOpen` when the store is there already, or when there are too many.
  package func add(
    _ store: any RowStore,
    entities: Set<Int>,
    isReadOnly: Bool
  ) throws(PerennialError) {
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
    let member = Member(number: number, store: store, entities: entities, isReadOnly: isReadOnly)
    present.withLock { members in
      members.append(member)
      members.sort { $0.number < $1.number }
    }
  }

  /// Takes a store away; its rows are gone for every reader.
  ///
  /// - Returns: Whether it was there.
  package func remove(_ identifier: UUID) -> Bool {
    let removed = present.withLock { members -> [Member] in
      let removed = members.filter { $0.store.identifier == identifier }
      members.removeAll { $0.store.identifier == identifier }
      return removed
    }
    tally.withLock { tally in for member in removed { tally += member.store.counters } }
    return !removed.isEmpty
  }

  /// The number of the store that new objects of an entity go to: the first one that may have them.
  package func store(forNew entity: Int) throws(PerennialError) -> Int {
    let able = members.filter { $0.entities.contains(entity) }
    if let member = able.first(where: { !$0.isReadOnly }) ?? able.first { return member.number }
    let name = model.entities[entity].name
    throw PerennialError(
      .persistentStoreSave,
      "No store of the coordinator keeps objects of '\(name)'.",
      recovery: "add a store whose configuration has the entity",
      entity: name
    )
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
    var parts: [(member: Member, changes: ChangeSet)] = []
    do throws(PerennialError) {
      for (number, part) in try ChangeSetSplitter(model).split(changes).sorted(by: { $0.0 < $1.0 })
      {
        guard let member = member(number) else { throw .removedStore }
        parts.append((member, part))
      }
    } catch {
      throw .failed(error)
    }
    if parts.count > 1 || wasBegun(changes) {
      if wasBegun(changes) { parts = try remainders(of: parts) }
      try check(parts)
      noteBegun(changes)
    }
    for (member, part) in parts {
      do throws(SaveFailure) {
        try member.store.save(part)
      } catch {
        throw combined(error, member)
      }
    }
  }

  private func wasBegun(_ changes: ChangeSet) -> Bool {
    begun.withLock { $0.contains(changes.identifier) }
  }

  private func noteBegun(_ changes: ChangeSet) {
    begun.withLock { begun in
      begun.removeAll { $0 == changes.identifier }
      begun.append(changes.identifier)
      if begun.count > 64 { begun.removeFirst() }
    }
  }

  /// What is left to do in every store.
  private func remainders(
    of parts: [(member: Member, changes: ChangeSet)]
  ) throws(SaveFailure) -> [(member: Member, changes: ChangeSet)] {
    var rest: [(member: Member, changes: ChangeSet)] = []
    do throws(PerennialError) {
      for (member, changes) in parts {
        rest.append((member, try SettledChanges(changes, in: member.store).remainder()))
      }
    } catch {
      throw .failed(error)
    }
    return rest
  }

  /// Looks for what would stop a save in one store before anything is written in another.
  private func check(_ parts: [(member: Member, changes: ChangeSet)]) throws(SaveFailure) {
    var conflicts: [SaveConflict] = []
    do throws(PerennialError) {
      for (member, changes) in parts {
        if member.isReadOnly { throw .readOnlyMember }
        let found = try ConflictSearch(changes, in: member.store).conflicts()
        conflicts += found.map { combined($0, member) }
      }
    } catch {
      throw .failed(error)
    }
    if !conflicts.isEmpty { throw .conflicts(conflicts) }
  }

  private func combined(_ failure: SaveFailure, _ member: Member) -> SaveFailure {
    guard case .conflicts(let conflicts) = failure else { return failure }
    return .conflicts(conflicts.map { combined($0, member) })
  }

  private func combined(_ conflict: SaveConflict, _ member: Member) -> SaveConflict {
    let moving = PageRenumbering.combining(store: member.number, model)
    switch conflict {
    case .version(let root, let key, let stored):
      return .version(
        root: root,
        key: StoreKey.combined(key, store: member.number),
        stored: stored.map(moving.row)
      )
    case .constraint(let entity, let constraint, let newcomer, let stored):
      return .constraint(
        entity: entity,
        constraint: constraint,
        newcomer: StoreKey.combined(newcomer, store: member.number),
        stored: moving.row(stored)
      )
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
    return BatchOutcome(
      count: outcome.count,
      references: outcome.references.map { part.member.combined($0) }
    )
  }
}

extension CombinedStore.Member {
  /// A reference of the store's own as one of all stores.
  func combined(_ reference: ObjectReference) -> ObjectReference {
    ObjectReference(
      key: StoreKey.combined(reference.key, store: number),
      entity: reference.entity
    )
  }
}

extension PerennialError {
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
