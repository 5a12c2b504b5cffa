// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Makes what a store of a third party is given of a change set.
struct StoreChangesBuilder {
  /// A list of members, by the place of its relationship among those with lists.
  private struct List: Hashable {
    let number: Int
    let owner: Int64
  }

  let vocabulary: StoreVocabulary
  let coder: StoreRowCoder
  /// Reads the stored lists of owners.
  let lists: (RelationshipLayout, [Int64]) throws(PerennialError) -> [Int64: [Int64]]
  private var changed: [List: StoreChanges.MemberChange] = [:]

  init(
    vocabulary: StoreVocabulary,
    coder: StoreRowCoder,
    lists: @escaping (RelationshipLayout, [Int64]) throws(PerennialError) -> [Int64: [Int64]]
  ) {
    self.vocabulary = vocabulary
    self.coder = coder
    self.lists = lists
  }

  private var model: ModelLayout { vocabulary.model }

  /// The changes.
  ///
  /// - Parameters:
  ///   - changes: The change set.
  ///   - after: The state with the set applied.
  ///   - derived: The derived attributes that have other values there.
  /// - Returns: What the store is given.
  /// - Throws: What the store could not read of its lists.
  consuming func make(
    _ changes: ChangeSet,
    _ after: InMemoryState,
    _ derived: DerivedSlots
  ) throws(PerennialError) -> StoreChanges {
    var derived = derived
    var insertions: [StoreRow] = []
    for batch in changes.insertions {
      let root = model.entities[batch.entity].root
      for key in batch.pages.keys {
        _ = derived.take(.init(root: root, key: key))
        if let row = after.tables[root][key] { insertions.append(coder.row(row)) }
      }
    }
    var updates: [StoreChanges.Update] = []
    for batch in changes.updates {
      let root = model.entities[batch.entity].root
      for key in batch.pages.keys {
        guard let row = after.tables[root][key] else { continue }
        let slots = batch.slots + derived.take(.init(root: root, key: key))
        updates.append(update(row, slots, expectedVersion: Int(row.version) - 1))
      }
    }
    for (place, slots) in derived.inOrder {
      guard let row = after.tables[place.root][place.key] else { continue }
      updates.append(update(row, slots, expectedVersion: Int(row.version)))
    }
    var result = StoreChanges(identifier: changes.identifier, author: changes.author)
    result.insertions = insertions
    result.updates = updates
    result.deletions = deletions(changes)
    result.members = try members(changes, after)
    return result
  }

  // MARK: Rows

  private func update(
    _ row: PageRow,
    _ slots: [Int],
    expectedVersion: Int
  ) -> StoreChanges.Update {
    let entity = model.entities[row.entity]
    return StoreChanges.Update(
      id: coder.id(row.key, root: entity.root),
      entityName: entity.name,
      expectedVersion: expectedVersion,
      version: Int(row.version),
      values: coder.values(of: row, slots: slots)
    )
  }

  private func deletions(_ changes: ChangeSet) -> [StoreChanges.Deletion] {
    var deletions: [StoreChanges.Deletion] = []
    for batch in changes.deletions {
      let entity = model.entities[batch.entity]
      for row in batch.rows {
        deletions.append(
          StoreChanges.Deletion(
            id: coder.id(row.key, root: entity.root),
            entityName: entity.name,
            expectedVersion: Int(row.version)
          )
        )
      }
    }
    return deletions
  }

  // MARK: Members

  private mutating func members(
    _ changes: ChangeSet,
    _ after: InMemoryState
  ) throws(PerennialError) -> [StoreChanges.MemberChange] {
    for batch in changes.deletions {
      try drop(batch.rows.map(\.key), of: model.entities[batch.entity])
    }
    for change in changes.links {
      guard let first = vocabulary.first(of: model.links[change.link]) else { continue }
      for pair in change.removed { note(pair, of: first) { $0.removed.append($1) } }
      for pair in change.added { note(pair, of: first) { $0.added.append($1) } }
    }
    for change in changes.orders {
      let order =
        change.relationship.side == nil ? try whole(change, changes, after) : change.members
      note(change.relationship, change.owner) { list in
        list.order = order
        if change.relationship.side == nil { list.replacesList = true }
      }
    }
    return changed.sorted { ($0.key.number, $0.key.owner) < ($1.key.number, $1.key.owner) }
      .map(\.value)
  }

  /// The order of an owner's members where the list says only that: those that are not named follow in their old order,
  /// but for those that this save takes away.
  private func whole(
    _ change: ChangeSet.OrderChange,
    _ changes: ChangeSet,
    _ after: InMemoryState
  ) throws(PerennialError) -> [Int64] {
    guard let slot = change.relationship.inverseSlot else { return change.members }
    let root = model.entities[change.relationship.destination].root
    var known = Set(change.members)
    for batch in changes.deletions where model.entities[batch.entity].root == root {
      known.formUnion(batch.rows.map(\.key))
    }
    let stored = try lists(change.relationship, [change.owner])[change.owner] ?? []
    return change.members
      + stored.filter { key in
        guard !known.contains(key) else { return false }
        guard let row = after.tables[root][key] else { return true }
        return PackedRow.reference(row.pointer, slot).key == change.owner
      }
  }

  /// Takes away the lists of rows that go, and the rows out of the lists on the other side.
  private mutating func drop(_ keys: [Int64], of entity: EntityLayout) throws(PerennialError) {
    for listed in vocabulary.listed
    where model.entities[listed.layout.entity].family.contains(entity.index) {
      let opposite = vocabulary.opposite(of: listed.layout)
      if listed.layout.side != nil, let opposite {
        for (owner, list) in try lists(listed.layout, keys) {
          for member in list { note(opposite, member) { $0.removed.append(owner) } }
        }
      }
      for key in keys { note(listed.layout, key) { $0.replacesList = true } }
    }
  }

  /// Notes what happens to a pair in the lists of both its rows.
  private mutating func note(
    _ pair: ChangeSet.LinkChange.Pair,
    of first: RelationshipLayout,
    _ change: (inout StoreChanges.MemberChange, Int64) -> Void
  ) {
    note(first, pair.first) { change(&$0, pair.second) }
    guard let second = vocabulary.opposite(of: first) else { return }
    note(second, pair.second) { change(&$0, pair.first) }
  }

  private mutating func note(
    _ relationship: RelationshipLayout,
    _ owner: Int64,
    _ change: (inout StoreChanges.MemberChange) -> Void
  ) {
    let place = vocabulary.listed.firstIndex {
      $0.layout.entity == relationship.entity && $0.layout.name == relationship.name
    }
    guard let place else { return }
    let initial = StoreChanges.MemberChange(
      relationship: vocabulary.listed[place].name,
      owner: owner,
      removed: [],
      added: [],
      order: nil,
      replacesList: false
    )
    change(&changed[List(number: place, owner: owner), default: initial])
  }
}

/// The derived attributes that a save gives other values, by row.
struct DerivedSlots {
  private var slots: [HistoryDraft.Place: Set<Int>] = [:]

  mutating func note(_ slot: Int, _ place: HistoryDraft.Place) {
    slots[place, default: []].insert(slot)
  }

  /// Those of a row, which are then forgotten.
  mutating func take(_ place: HistoryDraft.Place) -> [Int] {
    slots.removeValue(forKey: place)?.sorted() ?? []
  }

  /// Row by row.
  var inOrder: [(place: HistoryDraft.Place, slots: [Int])] {
    slots.map { ($0, $1.sorted()) }.sorted {
      ($0.place.root, $0.place.key) < ($1.place.root, $1.place.key)
    }
  }
}
