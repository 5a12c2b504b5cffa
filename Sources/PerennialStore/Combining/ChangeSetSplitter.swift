// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Cuts a change set of several stores into one for each, in the store's own keys.
struct ChangeSetSplitter {
  private let model: ModelLayout

  init(_ model: ModelLayout) { self.model = model }

  /// The parts by the numbers of their stores.
  ///
  /// - Throws: `managedObjectExternalRelationship` (133010) when objects of different stores are
  ///   related.
  func split(_ changes: ChangeSet) throws(PerennialError) -> [Int: ChangeSet] {
    var parts: [Int: ChangeSet] = [:]
    func change(_ store: Int, _ body: (inout ChangeSet) -> Void) {
      // In place: a copy of a part for each of its orders would take the square of their number.
      body(&parts[store, default: empty(like: changes)])
    }
    for insertion in changes.insertions {
      let slots = model.entities[insertion.entity].referenceSlots
      for (store, pages) in try pages(insertion.pages, checking: slots) {
        change(store) { $0.insertions.append(.init(entity: insertion.entity, pages: pages)) }
      }
    }
    for update in changes.updates {
      let references = model.entities[update.entity].referenceSlots
      for (store, pages) in try pages(update.pages, checking: references) {
        change(store) {
          $0.updates.append(.init(entity: update.entity, slots: update.slots, pages: pages))
        }
      }
    }
    for deletion in changes.deletions {
      for (store, rows) in Dictionary(grouping: deletion.rows, by: { StoreKey.store(of: $0.key) }) {
        let own = rows.map {
          ChangeSet.Deletion.Row(key: StoreKey.own($0.key), version: $0.version)
        }
        change(store) { $0.deletions.append(.init(entity: deletion.entity, rows: own)) }
      }
    }
    for link in changes.links {
      let added = try pairs(link.added, of: link.link, areAdded: true)
      let removed = try pairs(link.removed, of: link.link, areAdded: false)
      for store in Set(added.keys).union(removed.keys) {
        change(store) {
          $0.links.append(
            .init(link: link.link, added: added[store] ?? [], removed: removed[store] ?? [])
          )
        }
      }
    }
    for order in changes.orders {
      let store = StoreKey.store(of: order.owner)
      let members = order.members.filter { StoreKey.store(of: $0) == store }.map(StoreKey.own)
      change(store) {
        $0.orders.append(
          .init(
            relationship: order.relationship,
            owner: StoreKey.own(order.owner),
            members: members
          )
        )
      }
    }
    for store in parts.keys {
      parts[store]?.derivations = changes.derivations.compactMap { derivation(of: $0, in: store) }
    }
    return parts
  }

  private func empty(like changes: ChangeSet) -> ChangeSet {
    var part = ChangeSet()
    part.identifier = changes.identifier
    part.author = changes.author
    return part
  }

  // MARK: Rows

  /// The rows of every store, in their order.
  private func pages(
    _ pages: [RowPage],
    checking slots: [Int]
  ) throws(PerennialError) -> [Int: [RowPage]] {
    var parts: [Int: [RowPage]] = [:]
    for page in pages {
      var rows: [Int: [PageRow]] = [:]
      for index in 0..<page.count {
        let row = PageRow(page: page, index: index)
        let store = StoreKey.store(of: row.key)
        try check(row, in: store, slots)
        rows[store, default: []].append(row)
      }
      for (store, rows) in rows {
        let moving = PageRenumbering.separating(store: store, model)
        let own = rows.count == page.count ? [page] : RowQuery.pages(rows, of: model)
        parts[store, default: []] += own.map(moving.page)
      }
    }
    return parts
  }

  /// Throws when a row names one of another store.
  private func check(
    _ row: PageRow,
    in store: Int,
    _ slots: [Int]
  ) throws(PerennialError) {
    for slot in slots where !PackedRow.isNull(row.pointer, slot) {
      let reference = PackedRow.reference(row.pointer, slot)
      guard reference.key > 0, StoreKey.store(of: reference.key) != store else { continue }
      let entity = model.entities[row.entity]
      throw .betweenStores(entity.name, entity.slots[slot].name)
    }
  }

  // MARK: Pairs

  private func pairs(
    _ pairs: [ChangeSet.LinkChange.Pair],
    of link: Int,
    areAdded: Bool
  ) throws(PerennialError) -> [Int: [ChangeSet.LinkChange.Pair]] {
    var parts: [Int: [ChangeSet.LinkChange.Pair]] = [:]
    for pair in pairs {
      let store = StoreKey.store(of: pair.first)
      guard store == StoreKey.store(of: pair.second) else {
        guard areAdded else { continue }
        let layout = model.links[link]
        throw .betweenStores(model.entities[layout.first.entity].name, layout.first.name)
      }
      parts[store, default: []].append(
        .init(first: StoreKey.own(pair.first), second: StoreKey.own(pair.second))
      )
    }
    return parts
  }

  // MARK: Derivations

  /// What a store has to compute; `nil` for nothing.
  private func derivation(of whole: ChangeSet.Derivation, in store: Int) -> ChangeSet.Derivation? {
    func own(_ keys: [Int64]) -> [Int64] {
      keys.filter { StoreKey.store(of: $0) == store }.map(StoreKey.own)
    }
    var part = whole
    part.owners = own(whole.owners)
    part.targets = whole.targets.map(own)
    part.reached = own(whole.reached)
    return part.isEmpty ? nil : part
  }
}

extension PerennialError {
  /// A relationship between objects of two stores.
  fileprivate static func betweenStores(_ entity: String, _ relationship: String) -> PerennialError
  {
    PerennialError(
      .managedObjectExternalRelationship,
      "The relationship '\(relationship)' of '\(entity)' leads from one store to another.",
      recovery: "assign both objects to one store, or keep the other object's ID in an attribute",
      entity: entity,
      property: relationship
    )
  }
}
