// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Looks for the conflicts of a change set with a store without writing it.
///
/// The store looks again when it saves: this is for saves of several stores, where nothing should be
/// written in one when another would refuse.
struct ConflictSearch {
  private let changes: ChangeSet
  private let store: any RowStore
  private var model: ModelLayout { store.model }

  init(_ changes: ChangeSet, in store: any RowStore) {
    self.changes = changes
    self.store = store
  }

  func conflicts() throws(PerennialError) -> [SaveConflict] {
    let versions = try versionConflicts()
    return try versions + constraintConflicts()
  }

  // MARK: Versions

  private func versionConflicts() throws(PerennialError) -> [SaveConflict] {
    var conflicts: [SaveConflict] = []
    for update in changes.updates {
      var expected: [Int64: UInt32] = [:]
      for row in rows(of: update.pages) { expected[row.key] = row.version }
      let stored = try storedRows(expected.keys, of: update.entity)
      for (key, version) in expected.sorted(by: { $0.key < $1.key }) {
        let found = stored[key]
        if found.map({ $0.version &+ 1 }) == version { continue }
        conflicts.append(
          .version(root: model.entities[update.entity].root, key: key, stored: found)
        )
      }
    }
    for deletion in changes.deletions {
      let stored = try storedRows(deletion.rows.map(\.key), of: deletion.entity)
      for row in deletion.rows {
        guard let found = stored[row.key], found.version != row.version else { continue }
        let root = model.entities[deletion.entity].root
        conflicts.append(.version(root: root, key: row.key, stored: found))
      }
    }
    return conflicts
  }

  private func storedRows(
    _ keys: some Collection<Int64>,
    of entity: Int
  ) throws(PerennialError) -> [Int64: PageRow] {
    let query = StoreQuery(entity: model.entities[entity].root, scope: .keys(Array(keys)))
    var rows: [Int64: PageRow] = [:]
    for row in try store.allRows(query) { rows[row.key] = row }
    return rows
  }

  private func rows(of pages: [RowPage]) -> [PageRow] {
    pages.flatMap { page in (0..<page.count).map { PageRow(page: page, index: $0) } }
  }

  // MARK: Constraints

  /// A constraint: the entity that declares it, and its number there and in all subentities.
  private typealias Place = InMemoryState.ConstraintPlace

  /// A row for which a constraint is looked at.
  private struct Newcomer {
    let row: PageRow
    let isNew: Bool
  }

  private func constraintConflicts() throws(PerennialError) -> [SaveConflict] {
    var conflicts: [SaveConflict] = []
    let places = newcomers().sorted {
      ($0.key.owner, $0.key.number) < ($1.key.owner, $1.key.number)
    }
    for (place, newcomers) in places {
      conflicts += try self.conflicts(of: newcomers, under: place)
    }
    return conflicts
  }

  /// The new rows, and those of which the set changes values under a constraint.
  private func newcomers() -> [Place: [Newcomer]] {
    var newcomers: [Place: [Newcomer]] = [:]
    func note(_ pages: [RowPage], _ entity: Int, isNew: Bool, _ isMeant: ([Int]) -> Bool) {
      let layout = model.entities[entity]
      for (number, slots) in layout.constraints.enumerated() where isMeant(slots) {
        let place = Place(owner: layout.constraintOwners[number], number: number)
        newcomers[place, default: []] += rows(of: pages).map { Newcomer(row: $0, isNew: isNew) }
      }
    }
    for insertion in changes.insertions {
      note(insertion.pages, insertion.entity, isNew: true) { _ in true }
    }
    for update in changes.updates {
      note(update.pages, update.entity, isNew: false) { slots in
        slots.contains { update.slots.contains($0) }
      }
    }
    return newcomers
  }

  /// The conflicts of rows with each other, and with stored rows, that have the same values of a constraint.
  private func conflicts(
    of newcomers: [Newcomer],
    under place: Place
  ) throws(PerennialError) -> [SaveConflict] {
    let entity = model.entities[place.owner]
    let slots = entity.constraints[place.number]
    var rows: [UInt64: [Newcomer]] = [:]
    var twins: [(newcomer: PageRow, other: Newcomer)] = []
    var values: [ExpressionNode] = []
    var known: Set<PropertyValue> = []
    for newcomer in newcomers {
      let row = newcomer.row
      guard let hash = SlotKeyHash.hash(row.pointer, slots, of: entity) else { continue }
      let other = rows[hash]?.first {
        SlotKeyHash.equal($0.row.pointer, row.pointer, slots, of: entity)
      }
      if let other { twins.append((row, other)) }
      rows[hash, default: []].append(newcomer)
      let first = value(row, slots[0], entity)
      if known.insert(first).inserted { values.append(.constant(first)) }
    }
    var conflicts = try self.conflicts(of: twins, under: place)
    // What these have now does not count.
    let written = Set(newcomers.map(\.row.key)).union(deletedKeys(root: entity.root))
    for some in values.batches(of: Self.valueLimit) {
      let condition = Comparison(.path(entity.slots[slots[0]].name), .isIn, .list(Array(some)))
      let query = StoreQuery(
        entity: place.owner,
        predicate: FetchPredicate(.comparison(condition))
      )
      for stored in try store.allRows(query) where !written.contains(stored.key) {
        guard let hash = SlotKeyHash.hash(stored.pointer, slots, of: entity) else { continue }
        for newcomer in rows[hash] ?? []
        where SlotKeyHash.equal(newcomer.row.pointer, stored.pointer, slots, of: entity) {
          conflicts.append(conflict(newcomer.row, stored, place))
        }
      }
    }
    return conflicts
  }

  /// The conflicts of rows of the set with others of it, as they are stored: one that was to be changed but is gone
  /// conflicts by its version.
  private func conflicts(
    of twins: [(newcomer: PageRow, other: Newcomer)],
    under place: Place
  ) throws(PerennialError) -> [SaveConflict] {
    guard !twins.isEmpty else { return [] }
    let stored = try storedRows(twins.map { $0.other.row.key }, of: place.owner)
    return twins.compactMap { newcomer, other in
      let row = stored[other.row.key] ?? (other.isNew ? other.row : nil)
      return row.map { conflict(newcomer, $0, place) }
    }
  }

  private func conflict(_ newcomer: PageRow, _ stored: PageRow, _ place: Place) -> SaveConflict {
    .constraint(
      entity: newcomer.entity,
      constraint: place.number,
      newcomer: newcomer.key,
      stored: stored
    )
  }

  private func deletedKeys(root: Int) -> Set<Int64> {
    var keys: Set<Int64> = []
    for deletion in changes.deletions where model.entities[deletion.entity].root == root {
      keys.formUnion(deletion.rows.lazy.map(\.key))
    }
    return keys
  }

  /// How many values are looked for at once.
  private static let valueLimit = 500

  private func value(_ row: PageRow, _ slot: Int, _ entity: EntityLayout) -> PropertyValue {
    PackedRow.value(row.pointer, slot, in: entity) {
      store.naming.objectID(model.entities[$0.entity].name, $0.key)
    }
  }
}
