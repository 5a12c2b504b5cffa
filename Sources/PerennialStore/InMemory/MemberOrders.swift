// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The orders that members of ordered relationships have been given; members without a place follow, by key.
struct MemberOrders: Sendable {
  /// An ordered relationship, where it is declared.
  fileprivate struct Place: Hashable {
    let entity: Int
    let name: String
  }

  /// Members that leave their owners.
  struct Departures {
    fileprivate var members: [Place: [Int64: Set<Int64>]] = [:]

    /// Notes that a member leaves the owner to which an ordered relationship leads back.
    mutating func note(_ member: Int64, _ inverse: RelationshipLayout.Inverse, of owner: Int64) {
      note(member, Place(entity: inverse.entity, name: inverse.name), of: owner)
    }

    /// Notes that a pair of a link goes.
    mutating func note(_ pair: ChangeSet.LinkChange.Pair, _ link: LinkLayout) {
      if link.first.isOrdered {
        let place = Place(entity: link.first.entity, name: link.first.name)
        note(pair.second, place, of: pair.first)
        if link.isSymmetric { note(pair.first, place, of: pair.second) }
      }
      if link.second.isOrdered, let name = link.second.name {
        note(pair.first, Place(entity: link.second.entity, name: name), of: pair.second)
      }
    }

    private mutating func note(_ member: Int64, _ place: Place, of owner: Int64) {
      members[place, default: [:]][owner, default: []].insert(member)
    }
  }

  private var lists: [Place: SortedTable<Int64, [Int64]>] = [:]

  var isEmpty: Bool { lists.isEmpty }

  /// The last given order of an owner's members, some of which may be gone.
  subscript(_ relationship: RelationshipLayout, _ owner: Int64) -> [Int64] {
    get { lists[Self.place(relationship)]?[owner] ?? [] }
    set { lists[Self.place(relationship), default: SortedTable()][owner] = newValue }
  }

  /// Forgets the order of an owner.
  mutating func forget(_ relationship: RelationshipLayout, _ owner: Int64) {
    lists[Self.place(relationship)]?[owner] = nil
  }

  /// Takes away the places of members that leave: should they come back, they come last.
  mutating func remove(_ departures: Departures) {
    for (place, owners) in departures.members {
      for (owner, members) in owners {
        lists[place]?[owner]?.removeAll(where: members.contains)
      }
    }
  }

  /// The members of an owner in its order.
  func sorted(_ keys: [Int64], _ relationship: RelationshipLayout, _ owner: Int64) -> [Int64] {
    let order = self[relationship, owner]
    let places = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
    return keys.sorted { (places[$0] ?? .max, $0) < (places[$1] ?? .max, $1) }
  }

  /// The orders that others do not have.
  func differing(from old: MemberOrders, in model: ModelLayout) -> [ChangeSet.OrderChange] {
    var changes: [ChangeSet.OrderChange] = []
    for (place, owners) in lists {
      guard let number = model.entities[place.entity].toManysByName[place.name] else { continue }
      let relationship = model.entities[place.entity].toManys[number]
      owners.visit { owner, members in
        guard old.lists[place]?[owner] != members else { return }
        changes.append(.init(relationship: relationship, owner: owner, members: members))
      }
    }
    return changes
  }

  private static func place(_ relationship: RelationshipLayout) -> Place {
    Place(entity: relationship.entity, name: relationship.name)
  }
}

extension InMemoryState {
  /// The members of ordered relationships whose owners, or who themselves, a change set deletes or leads elsewhere.
  func departures(in changes: ChangeSet) -> MemberOrders.Departures {
    var departures = MemberOrders.Departures()
    for batch in changes.deletions {
      let layout = model.entities[batch.entity]
      let keys = batch.rows.map(\.key)
      note(keys, layout, layout.slots.indices, in: &departures)
      for link in model.links where link.first.isOrdered || link.second.isOrdered {
        for key in keys {
          for pair in pairs(of: key, layout.root, link) { departures.note(pair, link) }
        }
      }
    }
    for batch in changes.updates {
      note(batch.pages.keys, model.entities[batch.entity], batch.slots, in: &departures)
    }
    for change in changes.links {
      let link = model.links[change.link]
      guard link.first.isOrdered || link.second.isOrdered else { continue }
      for pair in change.removed { departures.note(pair, link) }
    }
    return departures
  }

  /// Notes that rows leave the owners to which some of their slots lead.
  private func note(
    _ keys: some Sequence<Int64>,
    _ layout: EntityLayout,
    _ slots: some Sequence<Int>,
    in departures: inout MemberOrders.Departures
  ) {
    let inverses = slots.compactMap { slot in
      layout.slots[slot].relationship?.inverse.map { (slot: slot, inverse: $0) }
    }
    .filter { $0.inverse.isOrdered }
    guard !inverses.isEmpty else { return }
    for key in keys {
      guard let row = tables[layout.root][key] else { continue }
      for (slot, inverse) in inverses {
        let owner = PackedRow.reference(row.pointer, slot)
        if owner.key != 0 { departures.note(key, inverse, of: owner.key) }
      }
    }
  }
}
