// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// All rows and pairs of an in-memory store: a value.
///
/// Invariants:
/// 1. A row lies in the table of its root entity, under its key.
/// 2. A pair names two rows that exist.
/// 3. A constraint's index, where there is one, has all rows with values under it.
package struct InMemoryState: Sendable {
  package let model: ModelLayout
  /// Rows by key, for every entity; used for roots only.
  package private(set) var tables: [RowTable]
  package private(set) var pairs: [Set<ChangeSet.LinkChange.Pair>]
  /// The members of owners in ordered relationships, by relationship and owner.
  private var orders: [OrderKey: [Int64]] = [:]
  /// The next key of every root entity, by its place.
  package var nextKeys: [Int64]
  var history = InMemoryHistory()
  /// The rows by the hashes of their values under constraints; for those that have been asked for.
  var constraintIndexes: [ConstraintPlace: ConstraintIndex] = [:]

  private struct OrderKey: Hashable {
    let entity: Int
    let name: String
    let owner: Int64

    init(_ relationship: RelationshipLayout, _ owner: Int64) {
      entity = relationship.entity
      name = relationship.name
      self.owner = owner
    }
  }

  package init(model: ModelLayout) {
    self.model = model
    tables = Array(repeating: RowTable(), count: model.entities.count)
    pairs = Array(repeating: [], count: model.links.count)
    nextKeys = Array(repeating: 1, count: model.entities.count)
  }

  // MARK: Reading

  /// The rows of a query's entity and scope that a matcher selects, by key or in the relationship's
  /// order.
  func rows(in query: StoreQuery, matching matcher: RowMatcher?) -> [PageRow] {
    let entity = model.entities[query.entity]
    let table = tables[entity.root]
    func isWanted(_ row: PageRow) -> Bool {
      let isOfEntity =
        query.includesSubentities
        ? entity.family.contains(row.entity) : row.entity == entity.index
      return isOfEntity && matcher?.matches(row.pointer) != false
    }
    let rows: [PageRow]
    switch query.scope {
    case .all: return table.filter(isWanted)
    case .keys(let keys): rows = Set(keys).sorted().compactMap { table[$0] }
    case .related(let relationship, let owner): rows = members(of: relationship, owner: owner)
    case .relatedMember(let relationship, let owner, let member):
      rows = members(of: relationship, owner: owner).filter { $0.key == member }
    }
    return rows.filter(isWanted)
  }

  /// The rows that a to-many relationship leads to, in its order if it has one.
  func members(of relationship: RelationshipLayout, owner: Int64) -> [PageRow] {
    members(of: relationship, owners: [owner])[owner] ?? []
  }

  /// The rows that a to-many relationship of several owners leads to, in its order if it has one.
  package func members(
    of relationship: RelationshipLayout,
    owners: Set<Int64>
  ) -> [Int64: [PageRow]] {
    let table = tables[model.entities[relationship.destination].root]
    var members: [Int64: [PageRow]] = [:]
    for (owner, keys) in memberKeys(of: relationship, owners: owners, table) {
      members[owner] = ordered(keys.sorted(), relationship, owner).compactMap { table[$0] }
    }
    return members
  }

  /// The last given order of a relationship's objects.
  package func order(of relationship: RelationshipLayout, owner: Int64) -> [Int64] {
    orders[OrderKey(relationship, owner)] ?? []
  }

  private func ordered(
    _ keys: [Int64],
    _ relationship: RelationshipLayout,
    _ owner: Int64
  ) -> [Int64] {
    guard relationship.isOrdered else { return keys }
    let order = orders[OrderKey(relationship, owner)] ?? []
    let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
    return keys.sorted { (places[$0] ?? .max, $0) < (places[$1] ?? .max, $1) }
  }

  private func memberKeys(
    of relationship: RelationshipLayout,
    owners: Set<Int64>,
    _ table: RowTable
  ) -> [Int64: Set<Int64>] {
    var keys: [Int64: Set<Int64>] = [:]
    func add(_ member: Int64, to owner: Int64) {
      if owners.contains(owner) { keys[owner, default: []].insert(member) }
    }
    if let side = relationship.side {
      let isSymmetric = model.links[side.link].isSymmetric
      for pair in pairs[side.link] {
        if side.isFirst || isSymmetric { add(pair.second, to: pair.first) }
        if !side.isFirst || isSymmetric { add(pair.first, to: pair.second) }
      }
    } else if let inverse = relationship.inverse, let slot = relationship.inverseSlot {
      let family = model.entities[inverse.entity].family
      for row in table.filter({ family.contains($0.entity) }) {
        add(row.key, to: PackedRow.reference(row.pointer, slot).key)
      }
    }
    return keys
  }

  // MARK: Writing

  /// Writes a change set without looking for conflicts.
  ///
  /// - Parameter changes: The change set.
  mutating func apply(_ changes: ChangeSet) {
    delete(changes.deletions)
    for batch in changes.updates { put(updated(batch), entity: batch.entity) }
    for batch in changes.insertions {
      put(batch.pages, entity: batch.entity)
      let root = model.entities[batch.entity].root
      nextKeys[root] = max(nextKeys[root], (batch.pages.keys.max() ?? 0) + 1)
    }
    for change in changes.links {
      pairs[change.link].subtract(change.removed)
      if model.links[change.link].isSymmetric {
        pairs[change.link].subtract(
          change.removed.map { .init(first: $0.second, second: $0.first) }
        )
      }
      pairs[change.link].formUnion(change.added)
    }
    for change in changes.orders {
      orders[OrderKey(change.relationship, change.owner)] = change.members
    }
  }

  /// The stored rows with the slots of a batch in place, so that no others are written.
  private func updated(_ batch: ChangeSet.Update) -> [RowPage] {
    let layout = model.entities[batch.entity]
    let others = layout.slots.indices.filter { !batch.slots.contains($0) }
    return batch.pages.map { page in
      var builder = PageBuilder(byteCount: max(page.byteCount, 1024))
      for index in 0..<page.count {
        let row = page.row(index)
        let key = PackedRow.key(row)
        let stored = tables[layout.root][key]
        builder.append(
          row,
          of: layout,
          key: key,
          version: PackedRow.version(row),
          taking: stored == nil ? [] : others,
          from: stored?.pointer ?? row
        )
        withExtendedLifetime(stored) {}
      }
      return builder.seal()
    }
  }

  /// Puts a row in the place of the one of its key.
  mutating func replace(_ row: PageRow, root: Int) { set(row, of: row.key, root: root) }

  /// Sets the row of a key, or takes it out: the only way in which a table changes.
  private mutating func set(_ row: PageRow?, of key: Int64, root: Int) {
    if !constraintIndexes.isEmpty { noteConstraints(tables[root][key], row) }
    tables[root][key] = row
  }

  private mutating func put(_ pages: [RowPage], entity: Int) {
    let layout = model.entities[entity]
    let root = layout.root
    for page in withoutTransients(pages, layout) {
      for index in 0..<page.count {
        replace(PageRow(page: page, index: index), root: root)
      }
    }
  }

  /// The pages with the defaults of transient attributes in place of their values.
  private func withoutTransients(_ pages: [RowPage], _ layout: EntityLayout) -> [RowPage] {
    let transients = layout.slots.indices.filter { layout.slots[$0].isTransient }
    guard !transients.isEmpty else { return pages }
    return pages.map { page in
      var builder = PageBuilder(byteCount: max(page.byteCount, 1024))
      for index in 0..<page.count {
        let row = page.row(index)
        builder.append(
          row,
          of: layout,
          key: PackedRow.key(row),
          version: PackedRow.version(row),
          replacing: transients
        )
      }
      return builder.seal()
    }
  }

  /// Deletes rows, and the pairs that name them.
  private mutating func delete(_ deletions: [ChangeSet.Deletion]) {
    guard !deletions.isEmpty else { return }
    var gone: [Int: Set<Int64>] = [:]
    for batch in deletions {
      let root = model.entities[batch.entity].root
      for row in batch.rows {
        set(nil, of: row.key, root: root)
        gone[root, default: []].insert(row.key)
      }
    }
    for link in model.links where !pairs[link.index].isEmpty {
      let firsts = gone[model.entities[link.first.entity].root] ?? []
      let seconds = gone[model.entities[link.second.entity].root] ?? []
      guard !firsts.isEmpty || !seconds.isEmpty else { continue }
      pairs[link.index] = pairs[link.index].filter {
        !firsts.contains($0.first) && !seconds.contains($0.second)
      }
    }
  }
}

// MARK: - What a file is read into, and written from

extension InMemoryState {
  /// The rows of one concrete entity, by key.
  package func rows(ofConcrete entity: Int) -> [PageRow] {
    tables[model.entities[entity].root].filter { $0.entity == entity }
  }

  /// Puts rows in place that have been read from elsewhere.
  package mutating func load(_ page: RowPage, root: Int) {
    for index in 0..<page.count {
      replace(PageRow(page: page, index: index), root: root)
    }
  }

  /// Sets the pairs of a link.
  package mutating func setPairs(_ pairs: Set<ChangeSet.LinkChange.Pair>, of link: Int) {
    self.pairs[link] = pairs
  }

  /// Sets the order of the members of an owner.
  package mutating func setOrder(
    _ members: [Int64],
    of relationship: RelationshipLayout,
    owner: Int64
  ) {
    orders[OrderKey(relationship, owner)] = members
  }

  /// The orders that another state does not have.
  func ordersThatDiffer(from old: InMemoryState) -> [ChangeSet.OrderChange] {
    orders.compactMap { place, members in
      guard old.orders[place] != members,
        let number = model.entities[place.entity].toManysByName[place.name]
      else { return nil }
      let relationship = model.entities[place.entity].toManys[number]
      return .init(relationship: relationship, owner: place.owner, members: members)
    }
  }
}
