// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension InMemoryState {
  /// Why a change set does not fit this state.
  ///
  /// - Parameters:
  ///   - changes: The change set.
  ///   - next: The state that it would make.
  ///   - isRepeated: Whether an earlier save of the set may have written some of it.
  /// - Returns: Every conflict.
  func conflicts(
    with changes: ChangeSet,
    after next: InMemoryState,
    isRepeated: Bool = false
  ) -> [SaveConflict] {
    versionConflicts(changes, isRepeated: isRepeated) + constraintConflicts(changes, after: next)
  }

  private func versionConflicts(_ changes: ChangeSet, isRepeated: Bool) -> [SaveConflict] {
    var conflicts: [SaveConflict] = []
    for batch in changes.updates {
      let layout = model.entities[batch.entity]
      for row in Self.rows(batch.pages) {
        let stored = tables[layout.root][row.key]
        if stored?.version == row.version - 1 { continue }
        if isRepeated, let stored, Self.areSame(stored, row, layout) { continue }
        conflicts.append(.version(root: layout.root, key: row.key, stored: stored))
      }
    }
    for batch in changes.insertions {
      let layout = model.entities[batch.entity]
      for row in Self.rows(batch.pages) {
        guard let stored = tables[layout.root][row.key], !Self.areSame(stored, row, layout) else {
          continue
        }
        conflicts.append(.version(root: layout.root, key: row.key, stored: stored))
      }
    }
    for batch in changes.deletions {
      let root = model.entities[batch.entity].root
      for row in batch.rows {
        guard let stored = tables[root][row.key], stored.version != row.version else { continue }
        conflicts.append(.version(root: root, key: row.key, stored: stored))
      }
    }
    return conflicts
  }

  /// Whether a row is stored as an image says, by an earlier save of the same change set; what the
  /// store derives aside.
  private static func areSame(_ stored: PageRow, _ image: PageRow, _ layout: EntityLayout) -> Bool {
    stored.version == image.version && stored.entity == image.entity
      && layout.slots.indices.allSatisfy { slot in
        layout.slots[slot].isTransient
          || layout.slots[slot].attribute?.derivationExpression != nil
          || SlotKeyHash.areSame(stored.pointer, image.pointer, slot, layout)
      }
  }

  private func constraintConflicts(
    _ changes: ChangeSet,
    after next: InMemoryState
  ) -> [SaveConflict] {
    var conflicts: [SaveConflict] = []
    var inserted: [Int: Set<Int64>] = [:]
    for batch in changes.insertions {
      let root = model.entities[batch.entity].root
      inserted[root, default: []].formUnion(Self.rows(batch.pages).map(\.key))
    }
    let written =
      changes.insertions.map { ($0.entity, $0.pages) }
      + changes.updates.map { ($0.entity, $0.pages) }
    for (entity, pages) in written {
      let layout = model.entities[entity]
      for (number, slots) in layout.constraints.enumerated() {
        let place = ConstraintPlace(owner: layout.constraintOwners[number], number: number)
        for row in Self.rows(pages) {
          guard let hash = SlotKeyHash.hash(row.pointer, slots, of: layout) else { continue }
          let other = next.row(withHash: hash, under: place) {
            $0.key != row.key && SlotKeyHash.equal($0.pointer, row.pointer, slots, of: layout)
          }
          // Not what the change set would make of it, nor a row that it would change but is gone.
          let isNew = other.map { inserted[layout.root]?.contains($0.key) == true } ?? false
          if let other, let stored = tables[layout.root][other.key] ?? (isNew ? other : nil) {
            conflicts.append(
              .constraint(entity: entity, constraint: number, newcomer: row.key, stored: stored)
            )
          }
        }
      }
    }
    return conflicts
  }

  private static func rows(_ pages: [RowPage]) -> [PageRow] {
    pages.flatMap { page in (0..<page.count).map { PageRow(page: page, index: $0) } }
  }
}
