// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// All rows and pairs of an in-memory store: a value, of which a copy costs little.
///
/// Invariants:
/// 1. A row lies in the table of its root entity, under its key.
/// 2. A pair names two rows that exist.
/// 3. A constraint's index, where there is one, has all rows with values under it.
/// 4. No other state shares the reference indexes of one whose rows have changed.
package struct InMemoryState: Sendable {
  package let model: ModelLayout
  /// Rows by key, for every entity; used for roots only.
  package private(set) var tables: [RowTable]
  /// The pairs of links, by their numbers.
  package private(set) var links: [LinkTable]
  /// The members of owners in ordered relationships.
  private var orders = MemberOrders()
  /// The next key of every root entity, by its place.
  package var nextKeys: [Int64]
  /// What saves have done; `nil` when the store keeps no history.
  package var history: InMemoryHistory?
  /// The rows by the hashes of their values under constraints; for those that have been asked for.
  var constraintIndexes: [ConstraintPlace: ConstraintIndex] = [:]
  /// The rows by what they lead to.
  private(set) var references = ReferenceIndexes()

  package init(model: ModelLayout) {
    self.model = model
    tables = Array(repeating: RowTable(), count: model.entities.count)
    links = Array(repeating: LinkTable(), count: model.links.count)
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
      rows = leads(relationship, from: owner, to: member) ? [table[member]].compactMap(\.self) : []
    }
    return rows.filter(isWanted)
  }

  /// The rows that a to-many relationship leads to, in its order if it has one.
  func members(of relationship: RelationshipLayout, owner: Int64) -> [PageRow] {
    let table = tables[model.entities[relationship.destination].root]
    return memberKeys(of: relationship, owner: owner).compactMap { table[$0] }
  }

  /// The rows that a to-many relationship of several owners leads to, in its order if it has one.
  package func members(
    of relationship: RelationshipLayout,
    owners: some Sequence<Int64>
  ) -> [Int64: [PageRow]] {
    var members: [Int64: [PageRow]] = [:]
    for owner in owners {
      let rows = self.members(of: relationship, owner: owner)
      if !rows.isEmpty { members[owner] = rows }
    }
    return members
  }

  /// Whether a to-many relationship leads to a row, which is told without its other members.
  private func leads(
    _ relationship: RelationshipLayout,
    from owner: Int64,
    to member: Int64
  ) -> Bool {
    if let side = relationship.side {
      let pair = PairTable.Pair(first: owner, second: member)
      let (link, isSymmetric) = (links[side.link], model.links[side.link].isSymmetric)
      return (side.isFirst || isSymmetric) && link.contains(pair)
        || (!side.isFirst || isSymmetric) && link.contains(pair.turned)
    }
    guard let inverse = relationship.inverse, let slot = relationship.inverseSlot else {
      return false
    }
    let place = ReferenceIndexes.Place(entity: inverse.entity, slot: slot)
    let family = model.entities[inverse.entity].family
    let row = tables[model.entities[inverse.entity].root][member]
    return row?.pair(place, family)?.first == owner
  }

  /// The last given order of a relationship's objects.
  package func order(of relationship: RelationshipLayout, owner: Int64) -> [Int64] {
    orders[relationship, owner]
  }

  /// The keys of the rows that a to-many relationship leads to, those of a link perhaps gone.
  private func memberKeys(of relationship: RelationshipLayout, owner: Int64) -> [Int64] {
    let keys: [Int64]
    if let side = relationship.side {
      let isSymmetric = model.links[side.link].isSymmetric
      keys = links[side.link].partners(of: owner, on: side, isSymmetric: isSymmetric)
    } else if let inverse = relationship.inverse, let slot = relationship.inverseSlot {
      keys = self.keys(leadingTo: owner, by: .init(entity: inverse.entity, slot: slot))
    } else {
      keys = []
    }
    return relationship.isOrdered ? orders.sorted(keys, relationship, owner) : keys
  }

  /// The keys of the rows whose to-one relationship leads to a key, ascending.
  func keys(leadingTo key: Int64, by place: ReferenceIndexes.Place) -> [Int64] {
    references.rows(place) {
      let family = model.entities[place.entity].family
      var pairs: [PairTable.Pair] = []
      tables[model.entities[place.entity].root].visit { row in
        if let pair = row.pair(place, family) { pairs.append(pair) }
      }
      return PairTable(pairs)
    }.seconds(of: key)
  }

  // MARK: Writing

  /// Writes a change set without looking for conflicts.
  ///
  /// - Parameter changes: The change set.
  mutating func apply(_ changes: ChangeSet) {
    // They are found by the rows and pairs as they are.
    if !orders.isEmpty { orders.remove(departures(in: changes)) }
    delete(changes.deletions)
    for batch in changes.updates { put(updated(batch), entity: batch.entity) }
    for batch in changes.insertions {
      put(batch.pages, entity: batch.entity)
      let root = model.entities[batch.entity].root
      nextKeys[root] = max(nextKeys[root], (batch.pages.keys.max() ?? 0) + 1)
    }
    for change in changes.links {
      for pair in change.removed {
        links[change.link].remove(pair)
        if model.links[change.link].isSymmetric { links[change.link].remove(pair.turned) }
      }
      for pair in change.added { links[change.link].insert(pair) }
    }
    for change in changes.orders { apply(change) }
  }

  /// Puts the named members first that there are, and the others behind them in their old order.
  private mutating func apply(_ change: ChangeSet.OrderChange) {
    let members = memberKeys(of: change.relationship, owner: change.owner)
    let (existing, named) = (Set(members), Set(change.members))
    setOrder(
      change.members.filter(existing.contains) + members.filter { !named.contains($0) },
      of: change.relationship,
      owner: change.owner
    )
  }

  /// The stored rows with the slots of a batch in place, so that no others are written.
  private func updated(_ batch: ChangeSet.Update) -> [RowPage] {
    let layout = model.entities[batch.entity]
    let others = layout.slots.indices.filter { !batch.slots.contains($0) }
    var pages: [RowPage] = []
    for page in batch.pages {
      var builder = PageBuilder(byteCount: max(page.byteCount, 1024))
      for index in 0..<page.count {
        let row = page.row(index)
        let key = PackedRow.key(row)
        let stored = tables[layout.root][key]
        // The other values of the rows may be much larger than those of the batch.
        if builder.isTooLong { pages.append(builder.seal()) }
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
      pages.append(builder.seal())
    }
    return pages
  }

  /// Puts a row in the place of the one of its key.
  mutating func replace(_ row: PageRow, root: Int) { set(row, of: row.key, root: root) }

  /// Sets the row of a key, or takes it out: the only way in which a table changes.
  private mutating func set(_ row: PageRow?, of key: Int64, root: Int) {
    if !isKnownUniquelyReferenced(&references) { references = references.copy() }
    if !constraintIndexes.isEmpty || !references.isEmpty {
      let old = tables[root][key]
      noteConstraints(old, row)
      references.replace(old, row, in: model)
    }
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
    let transients = layout.transientSlots
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

  /// Deletes rows, and the pairs and orders that name them.
  private mutating func delete(_ deletions: [ChangeSet.Deletion]) {
    for batch in deletions {
      let layout = model.entities[batch.entity]
      for row in batch.rows {
        set(nil, of: row.key, root: layout.root)
        for link in model.links {
          for pair in pairs(of: row.key, layout.root, link) { links[link.index].remove(pair) }
        }
        for relationship in layout.toManys where relationship.isOrdered {
          orders.forget(relationship, row.key)
        }
      }
    }
  }

  /// The pairs of a link that name an object, on either side.
  func pairs(of key: Int64, _ root: Int, _ link: LinkLayout) -> [ChangeSet.LinkChange.Pair] {
    [true, false].flatMap { isFirst in
      let end = isFirst ? link.first.entity : link.second.entity
      return model.entities[end].root == root
        ? links[link.index].pairs(of: key, isFirst: isFirst) : []
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

  /// Puts rows of one root entity in place that have been read from elsewhere.
  mutating func load(_ rows: [PageRow], root: Int) {
    for row in rows.sorted(by: { $0.key < $1.key }) { replace(row, root: root) }
  }

  /// Adds pairs to a link.
  mutating func addPairs(_ pairs: some Sequence<ChangeSet.LinkChange.Pair>, to link: Int) {
    for pair in pairs { links[link].insert(pair) }
  }

  /// Sets the pairs of a link.
  package mutating func setPairs(_ pairs: Set<ChangeSet.LinkChange.Pair>, of link: Int) {
    links[link] = LinkTable(pairs)
  }

  /// Sets the order of the members of an owner.
  package mutating func setOrder(
    _ members: [Int64],
    of relationship: RelationshipLayout,
    owner: Int64
  ) {
    orders[relationship, owner] = members
  }

  /// The orders that another state does not have.
  func ordersThatDiffer(from old: InMemoryState) -> [ChangeSet.OrderChange] {
    orders.differing(from: old.orders, in: model)
  }
}
