// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// What is left to do of a change set that a store may have written before: a save of several stores that
/// one of them failed is given again to all.
struct SettledChanges {
  private let changes: ChangeSet
  private let store: any RowStore
  private var model: ModelLayout { store.model }

  init(_ changes: ChangeSet, in store: any RowStore) {
    self.changes = changes
    self.store = store
  }

  /// The set without the updates that are stored as they say.
  ///
  /// A store takes equal insertions, and deletions of rows that are gone, for no conflict by itself.
  func remainder() throws(PerennialError) -> ChangeSet {
    var rest = changes
    rest.updates = []
    for update in changes.updates {
      let open = try openRows(of: update)
      guard !open.isEmpty else { continue }
      rest.updates.append(
        .init(
          entity: update.entity,
          slots: update.slots,
          pages: RowQuery.pages(open, of: model)
        )
      )
    }
    return rest
  }

  private func openRows(of update: ChangeSet.Update) throws(PerennialError) -> [PageRow] {
    let entity = model.entities[update.entity]
    let images = update.pages.flatMap { page in
      (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    let query = StoreQuery(entity: entity.root, scope: .keys(images.map(\.key)))
    var stored: [Int64: PageRow] = [:]
    for row in try store.allRows(query) { stored[row.key] = row }
    return images.filter { image in
      stored[image.key].map { !areSame($0, image, entity) } ?? true
    }
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
