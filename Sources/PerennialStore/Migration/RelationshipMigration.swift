// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Finds the members of new to-many relationships in a store of the old model, whichever end held them
/// before, and however.
///
/// Safe because a row is read while its page is held.
struct RelationshipMigration {
  /// How many owners are asked for their members at once.
  private static let ownerLimit = 500

  let source: any RowStore
  let mapping: ModelMapping
  let monitor: MigrationMonitor
  private var old: ModelLayout { mapping.source }
  private var new: ModelLayout { mapping.destination }

  /// An old relationship of one old entity.
  private struct Origin {
    let owner: Int
    let relationship: RelationshipLayout
  }

  /// The pairs of a link of the new model; none is there both ways if the link is symmetric.
  func pairs(of link: LinkLayout) throws(PerennialError) -> [ChangeSet.LinkChange.Pair] {
    guard let first = new.entities[link.first.entity].relationship(named: link.first.name) else {
      return []
    }
    var pairs: Set<ChangeSet.LinkChange.Pair> = []
    for (owner, members) in try lists(of: first) {
      for member in members {
        let isTurned = link.isSymmetric && member < owner
        pairs.insert(
          isTurned ? .init(first: member, second: owner) : .init(first: owner, second: member)
        )
      }
    }
    return pairs.sorted()
  }

  /// The orders of a new ordered relationship: one object has a place, too.
  func orders(
    of relationship: RelationshipLayout
  ) throws(PerennialError) -> [ChangeSet.OrderChange] {
    try lists(of: relationship).sorted { $0.key < $1.key }.map {
      .init(relationship: relationship, owner: $0.key, members: $0.value)
    }
  }

  /// The members of every owner of a new to-many relationship that has any: in their order if they had one,
  /// else by key.
  func lists(of relationship: RelationshipLayout) throws(PerennialError) -> [Int64: [Int64]] {
    let target = new.entities[relationship.destination].family
    let origins = origins(of: relationship.name, entity: relationship.entity)
    var lists: [Int64: [Int64]] = [:]
    for origin in origins {
      try visit(origin) { owner, members in
        let members = members.filter { isKept($0, in: target) }.map(\.key)
        if !members.isEmpty {
          lists[owner] = origin.relationship.isOrdered ? members : members.sorted()
        }
      }
    }
    guard origins.isEmpty, let inverse = relationship.inverse else { return lists }
    // The other end is the one that held them.
    let family = new.entities[relationship.entity].family
    for origin in self.origins(of: inverse.name, entity: inverse.entity)
    where mapping.destinations[origin.owner].map(target.contains) == true {
      try visit(origin) { owner, members in
        for member in members where isKept(member, in: family) {
          lists[member.key, default: []].append(owner)
        }
      }
    }
    return lists.mapValues { $0.sorted() }
  }

  private func isKept(_ reference: ObjectReference, in family: Range<Int>) -> Bool {
    mapping.destinations[reference.entity].map(family.contains) == true
  }

  /// What a new relationship is carried over from, for each old entity.
  private func origins(of name: String, entity: Int) -> [Origin] {
    new.entities[entity].family.compactMap { place in
      let layout = new.entities[place]
      guard let entity = mapping.mapping(ofDestination: place) else { return nil }
      if let number = layout.toManysByName[name] {
        return entity.toManys[number].map { Origin(owner: entity.source, relationship: $0) }
      }
      guard let slot = layout.slotsByName[name].flatMap({ entity.slots[$0] }) else { return nil }
      return old.entities[entity.source].slots[slot].relationship
        .map { Origin(owner: entity.source, relationship: $0) }
    }
  }

  /// Calls a closure with the members of every owner, in their order if they have one.
  private func visit(
    _ origin: Origin,
    _ body: (Int64, [ObjectReference]) -> Void
  ) throws(PerennialError) {
    var query = StoreQuery(entity: origin.owner)
    query.includesSubentities = false
    if case .slot(let slot) = origin.relationship.place {
      try source.fetchRows(query) { page in
        for index in 0..<page.count {
          let row = page.row(index)
          if PackedRow.isNull(row, slot) { continue }
          body(PackedRow.key(row), [PackedRow.reference(row, slot)])
        }
      }
      return try monitor.check()
    }
    let owners = try source.fetchReferences(query).map(\.key)
    for some in owners.batches(of: Self.ownerLimit) {
      try monitor.check()
      let rows = try source.fetchMembers(of: origin.relationship, owners: Array(some), limit: 0)
      for run in rows.runs {
        var members: [ObjectReference] = []
        rows.visit(run) { page, index in
          let row = page.row(index)
          members.append(ObjectReference(key: PackedRow.key(row), entity: PackedRow.entity(row)))
        }
        body(run.owner, members)
      }
    }
  }
}
