// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What is left to do of a change set that a store has written before: a save of several stores that one of
/// them failed is given again to all, perhaps with more changes.
struct SettledChanges {
  private let changes: ChangeSet
  private let store: any RowStore
  private var model: ModelLayout { store.model }

  init(_ changes: ChangeSet, in store: any RowStore) {
    self.changes = changes
    self.store = store
  }

  /// The set without the rows that are stored, or gone, as it says.
  ///
  /// Pairs and orders stay: a store ignores those that it has.
  func remainder() throws(PerennialError) -> ChangeSet {
    var rest = changes
    rest.insertions = []
    for insertion in changes.insertions {
      let open = try openRows(insertion.pages, of: insertion.entity)
      if !open.isEmpty { rest.insertions.append(.init(entity: insertion.entity, pages: open)) }
    }
    rest.updates = []
    for update in changes.updates {
      let open = try openRows(update.pages, of: update.entity)
      guard !open.isEmpty else { continue }
      rest.updates.append(.init(entity: update.entity, slots: update.slots, pages: open))
    }
    rest.deletions = []
    for deletion in changes.deletions {
      let stored = try storedRows(deletion.rows.map(\.key), of: deletion.entity)
      let open = deletion.rows.filter { stored[$0.key] != nil }
      if !open.isEmpty { rest.deletions.append(.init(entity: deletion.entity, rows: open)) }
    }
    return rest
  }

  private func openRows(
    _ pages: [RowPage],
    of entity: Int
  ) throws(PerennialError) -> [RowPage] {
    let layout = model.entities[entity]
    let images = pages.flatMap { page in (0..<page.count).map { PageRow(page: page, index: $0) } }
    let stored = try storedRows(images.map(\.key), of: entity)
    let open = images.filter { image in
      stored[image.key].map { !areSame($0, image, layout) } ?? true
    }
    return RowQuery.pages(open, of: model)
  }

  private func storedRows(
    _ keys: [Int64],
    of entity: Int
  ) throws(PerennialError) -> [Int64: PageRow] {
    let query = StoreQuery(entity: model.entities[entity].root, scope: .keys(keys))
    var stored: [Int64: PageRow] = [:]
    for row in try store.allRows(query) { stored[row.key] = row }
    return stored
  }

  private func areSame(_ stored: PageRow, _ image: PageRow, _ entity: EntityLayout) -> Bool {
    stored.version == image.version && stored.entity == image.entity
      && entity.slots.indices.allSatisfy { slot in
        let layout = entity.slots[slot]
        return layout.isTransient || layout.attribute?.derivationExpression != nil
          || SlotKeyHash.areSame(stored.pointer, image.pointer, slot, entity)
      }
  }
}
