// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Reads what one operation needs of a store into a state, which then answers like the in-memory
/// store's.
///
/// Invariants:
/// 1. Of a root entity in `whole`, the state has all rows.
/// 2. The lists of members are loaded after the rows of their owners.
struct StoreLoader {
  let store: any PersistentStore
  /// What the store claims.
  let claims: StoreCapabilities
  let vocabulary: StoreVocabulary
  let coder: StoreRowCoder
  private(set) var state: InMemoryState
  private var whole: Set<Int> = []

  private var model: ModelLayout { vocabulary.model }

  init(
    _ store: any PersistentStore,
    _ claims: StoreCapabilities,
    _ vocabulary: StoreVocabulary,
    _ coder: StoreRowCoder
  ) {
    self.store = store
    self.claims = claims
    self.vocabulary = vocabulary
    self.coder = coder
    state = InMemoryState(model: vocabulary.model)
  }

  // MARK: Rows

  /// Reads all rows of some root entities.
  mutating func loadTables(_ roots: Set<Int>) throws(PerennialError) {
    for root in roots.subtracting(whole).sorted() {
      let names = Set(model.entities[root].family.map { model.entities[$0].name })
      let table = vocabulary.table(ofRoot: root)
      let rows = try PerennialError.reading {
        try store.fetch(StoreRequest(table: table, entityNames: names))
      }
      state.load(try coder.pack(rows, table: table), root: root)
      whole.insert(root)
    }
  }

  /// Reads the rows of some keys, if they are not there.
  mutating func loadRows(root: Int, keys: some Sequence<Int64>) throws(PerennialError) {
    guard !whole.contains(root) else { return }
    let missing = Set(keys).filter { state.tables[root][$0] == nil }.sorted()
    guard !missing.isEmpty else { return }
    let table = vocabulary.table(ofRoot: root)
    let rows = try PerennialError.reading { try store.rows(of: table, keys: missing) }
    state.load(try coder.pack(rows, table: table), root: root)
  }

  /// Puts rows that have been read otherwise into the state.
  mutating func keep(_ rows: [PageRow], root: Int) {
    if !whole.contains(root) { state.load(rows, root: root) }
  }

  // MARK: Members

  /// Reads the lists of the relationships between some root entities.
  mutating func loadLists(among roots: Set<Int>) throws(PerennialError) {
    for listed in vocabulary.listed {
      let owner = model.entities[listed.layout.entity]
      let destination = model.entities[listed.layout.destination]
      guard roots.contains(owner.root), roots.contains(destination.root) else { continue }
      let rows = state.tables[owner.root].filter { owner.family.contains($0.entity) }
      try loadLists(of: listed.layout, owners: rows.map(\.key))
    }
  }

  /// The lists of some owners as they are stored.
  func lists(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: [Int64]] {
    guard !owners.isEmpty else { return [:] }
    let name = vocabulary.name(of: relationship)
    return try PerennialError.reading { try store.members(of: name, owners: owners) }
  }

  private mutating func loadLists(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) {
    keep(try lists(of: relationship, owners: owners), of: relationship)
  }

  private mutating func keep(_ lists: [Int64: [Int64]], of relationship: RelationshipLayout) {
    for (owner, list) in lists {
      if relationship.isOrdered { state.setOrder(list, of: relationship, owner: owner) }
      guard let side = relationship.side else { continue }
      state.addPairs(
        list.map {
          side.isFirst ? .init(first: owner, second: $0) : .init(first: $0, second: owner)
        },
        to: side.link
      )
    }
  }

  /// Reads the members of some owners.
  mutating func loadMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) {
    let root = model.entities[relationship.destination].root
    if relationship.side == nil, relationship.isOrdered || !claims.contains(.members) {
      if relationship.isOrdered { try loadLists(of: relationship, owners: owners) }
      return try loadTables([root])
    }
    let lists = try lists(of: relationship, owners: owners)
    keep(lists, of: relationship)
    try loadRows(root: root, keys: lists.values.joined())
  }
}
