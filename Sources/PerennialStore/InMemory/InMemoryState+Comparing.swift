// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

extension InMemoryState {
  /// What would have made this state of an older one: complete rows, for whoever merges them.
  package func changes(since old: InMemoryState) -> ChangeSet {
    var changes = ChangeSet()
    let derived = model.entities.map { entity in
      entity.slots.indices.filter { entity.slots[$0].attribute?.derivationExpression != nil }
    }
    for entity in model.entities where entity.root == entity.index {
      compareRows(of: entity.index, with: old, derived, &changes)
    }
    for link in model.links {
      let (before, now) = (Set(old.links[link.index].pairs), Set(links[link.index].pairs))
      guard before != now else { continue }
      changes.links.append(
        .init(
          link: link.index,
          added: Array(now.subtracting(before)),
          removed: Array(before.subtracting(now))
        )
      )
    }
    changes.orders = ordersThatDiffer(from: old)
    return changes
  }

  private func compareRows(
    of root: Int,
    with old: InMemoryState,
    _ derived: [[Int]],
    _ changes: inout ChangeSet
  ) {
    var inserted: [Int: [PageRow]] = [:]
    var updated: [Int: [PageRow]] = [:]
    var deleted: [Int: [ChangeSet.Deletion.Row]] = [:]
    for row in tables[root].filter({ _ in true }) {
      guard let before = old.tables[root][row.key], before.entity == row.entity else {
        inserted[row.entity, default: []].append(row)
        continue
      }
      if before.version != row.version || hasOtherDerivedValues(row, before, derived) {
        updated[row.entity, default: []].append(row)
      }
    }
    for row in old.tables[root].filter({ tables[root][$0.key]?.entity != $0.entity }) {
      deleted[row.entity, default: []].append(.init(key: row.key, version: row.version))
    }
    for (entity, rows) in inserted {
      changes.insertions.append(.init(entity: entity, pages: pages(of: rows)))
    }
    for (entity, rows) in updated {
      let slots = model.entities[entity].slots.indices.filter {
        !model.entities[entity].slots[$0].isTransient
      }
      changes.updates.append(.init(entity: entity, slots: slots, pages: pages(of: rows)))
    }
    for (entity, rows) in deleted {
      changes.deletions.append(.init(entity: entity, rows: rows))
    }
  }

  /// Whether a row has another derived value than before: its version stays then.
  ///
  /// - Parameters:
  ///   - row: The row.
  ///   - before: The row of the older state, of the same entity.
  ///   - derived: The derived slots of each entity.
  /// - Returns: Whether it has.
  private func hasOtherDerivedValues(
    _ row: PageRow,
    _ before: PageRow,
    _ derived: [[Int]]
  ) -> Bool {
    derived[row.entity].contains { slot in
      !SlotKeyHash.areSame(row.pointer, before.pointer, slot, model.entities[row.entity])
    }
  }

  /// Copies of rows, so that what is sent on does not keep whole pages of others.
  private func pages(of rows: [PageRow]) -> [RowPage] {
    PageBuilder.pages(
      of: rows.lazy.map {
        ($0.pointer, byteCount: PackedRow.byteCount($0.pointer, model.entities[$0.entity]))
      }
    )
  }

  /// A change set of an earlier state with the rows as they are in this one: what has been changed again
  /// since is taken as it is now.
  package func current(_ changes: ChangeSet) -> ChangeSet {
    var current = ChangeSet()
    current.links = changes.links
    for batch in changes.insertions {
      let rows = stored(batch.pages.keys, entity: batch.entity)
      if !rows.isEmpty {
        current.insertions.append(.init(entity: batch.entity, pages: pages(of: rows)))
      }
    }
    for batch in changes.updates {
      let rows = stored(batch.pages.keys, entity: batch.entity)
      if !rows.isEmpty {
        current.updates.append(
          .init(entity: batch.entity, slots: batch.slots, pages: pages(of: rows))
        )
      }
    }
    for batch in changes.deletions {
      let table = tables[model.entities[batch.entity].root]
      let rows = batch.rows.filter { table[$0.key] == nil }
      if !rows.isEmpty { current.deletions.append(.init(entity: batch.entity, rows: rows)) }
    }
    current.orders = changes.orders.map {
      let members = order(of: $0.relationship, owner: $0.owner)
      return .init(relationship: $0.relationship, owner: $0.owner, members: members)
    }
    return current
  }

  private func stored(_ keys: some Sequence<Int64>, entity: Int) -> [PageRow] {
    let table = tables[model.entities[entity].root]
    return keys.compactMap { table[$0] }.filter { $0.entity == entity }
  }
}
