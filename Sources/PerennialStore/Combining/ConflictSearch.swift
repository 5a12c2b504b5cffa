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

  private func constraintConflicts() throws(PerennialError) -> [SaveConflict] {
    var conflicts: [SaveConflict] = []
    let written = writtenRows()
    for insertion in changes.insertions {
      let entity = model.entities[insertion.entity]
      for number in entity.constraints.indices {
        conflicts += try self.conflicts(of: rows(of: insertion.pages), entity, number, written)
      }
    }
    for update in changes.updates {
      let entity = model.entities[update.entity]
      for number in entity.constraints.indices
      where entity.constraints[number].contains(where: { update.slots.contains($0) }) {
        conflicts += try self.conflicts(of: rows(of: update.pages), entity, number, written)
      }
    }
    return conflicts
  }

  /// The rows that the set itself changes: what they have now does not count.
  private func writtenRows() -> Set<ObjectReference> {
    var written: Set<ObjectReference> = []
    func note(_ key: Int64, _ entity: Int) {
      written.insert(ObjectReference(key: key, entity: model.entities[entity].root))
    }
    for insertion in changes.insertions {
      for row in rows(of: insertion.pages) { note(row.key, insertion.entity) }
    }
    for update in changes.updates {
      for row in rows(of: update.pages) { note(row.key, update.entity) }
    }
    for deletion in changes.deletions {
      for row in deletion.rows { note(row.key, deletion.entity) }
    }
    return written
  }

  /// The conflicts of rows of one entity with stored rows that have the same values of a constraint.
  private func conflicts(
    of rows: [PageRow],
    _ entity: EntityLayout,
    _ number: Int,
    _ written: Set<ObjectReference>
  ) throws(PerennialError) -> [SaveConflict] {
    let slots = entity.constraints[number]
    var newcomers: [UInt64: [PageRow]] = [:]
    var values: [ExpressionNode] = []
    for row in rows {
      guard let hash = SlotKeyHash.hash(row.pointer, slots, of: entity) else { continue }
      newcomers[hash, default: []].append(row)
      values.append(.constant(value(row, slots[0], entity)))
    }
    var conflicts: [SaveConflict] = []
    for some in values.batches(of: Self.valueLimit) {
      let condition = Comparison(.path(entity.slots[slots[0]].name), .isIn, .list(Array(some)))
      let query = StoreQuery(
        entity: entity.constraintOwners[number],
        predicate: FetchPredicate(.comparison(condition))
      )
      for stored in try store.allRows(query) {
        let reference = ObjectReference(key: stored.key, entity: entity.root)
        guard !written.contains(reference),
          let hash = SlotKeyHash.hash(stored.pointer, slots, of: entity)
        else { continue }
        for row in newcomers[hash] ?? []
        where SlotKeyHash.equal(row.pointer, stored.pointer, slots, of: entity) {
          conflicts.append(
            .constraint(
              entity: entity.index,
              constraint: number,
              newcomer: row.key,
              stored: stored
            )
          )
        }
      }
    }
    return conflicts
  }

  /// How many values are looked for at once.
  private static let valueLimit = 500

  private func value(_ row: PageRow, _ slot: Int, _ entity: EntityLayout) -> PropertyValue {
    PackedRow.value(row.pointer, slot, in: entity) {
      store.naming.objectID(model.entities[$0.entity].name, $0.key)
    }
  }
}
