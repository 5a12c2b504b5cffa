// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// An object with an ordered to-many relationship.
package struct OrderedOwner: Hashable, Sendable {
  /// An object that leaves its place, and the slot that named the owner.
  struct Mover: Sendable {
    let place: HistoryDraft.Place
    let slot: String
  }

  /// The entity that declares the relationship.
  let entity: Int
  /// The number of the relationship.
  let number: Int
  /// The key of the object.
  package let key: Int64
}

// Orders as they were. Which of them matter is noted while the rest is; a store then reads them, before it
// writes.

extension HistoryRecorder {
  /// Notes that a relationship of an object may get another order.
  package func noteReordering(of relationship: RelationshipLayout, owner: Int64) {
    guard keepsOldValues, let owner = orderedOwner(relationship, owner) else { return }
    orderedOwners[owner, default: []] += []
  }

  /// Notes that objects of an entity go, with the orders that they have.
  package func noteReorderings(ofDeleted keys: some Sequence<Int64>, _ entity: Int) {
    for relationship in model.entities[entity].toManys where relationship.isOrdered {
      for key in keys { noteReordering(of: relationship, owner: key) }
    }
  }

  /// Notes that a pair of a link goes.
  package func noteReordering(of pair: ChangeSet.LinkChange.Pair, _ link: LinkLayout) {
    noteReordering(of: link.first.name, link.first.entity, pair.first)
    if link.isSymmetric {
      noteReordering(of: link.first.name, link.first.entity, pair.second)
    } else if let name = link.second.name {
      noteReordering(of: name, link.second.entity, pair.second)
    }
  }

  private func noteReordering(of name: String, _ entity: Int, _ owner: Int64) {
    let layout = model.entities[entity]
    guard let number = layout.toManysByName[name] else { return }
    noteReordering(of: layout.toManys[number], owner: owner)
  }

  /// Notes that an object leaves the owner that a slot of it names.
  func noteLeaving(_ place: Place, _ layout: EntityLayout, _ slot: Int, _ owner: Int64) {
    guard let inverse = layout.slots[slot].relationship?.inverse, inverse.isOrdered,
      case .toMany(let number) = inverse.place
    else { return }
    let owner = OrderedOwner(entity: inverse.entity, number: number, key: owner)
    orderedOwners[owner, default: []].append(.init(place: place, slot: layout.slots[slot].name))
  }

  private func orderedOwner(_ relationship: RelationshipLayout, _ key: Int64) -> OrderedOwner? {
    guard relationship.isOrdered, case .toMany(let number) = relationship.place else { return nil }
    return OrderedOwner(entity: relationship.entity, number: number, key: key)
  }

  /// Keeps the orders that matter.
  ///
  /// - Parameter order: Gives the keys of a relationship's objects, in their stored order.
  /// - Throws: What the closure throws.
  package func keepOrders<Failure: Error>(
    _ order: (RelationshipLayout, Int64) throws(Failure) -> [Int64]
  ) throws(Failure) {
    for (owner, movers) in orderedOwners {
      let relationship = model.entities[owner.entity].toManys[owner.number]
      let keys = try order(relationship, owner.key)
      guard keys.count > 1 else { continue }
      let place = Place(root: model.entities[owner.entity].root, key: owner.key)
      details[place, default: HistoryDetails()].orders = (details[place]?.orders ?? [:])
        .merging([relationship.name: keys]) { $1 }
      let places = Dictionary(zip(keys, keys.indices)) { first, _ in first }
      for mover in movers {
        details[mover.place, default: HistoryDetails()].places =
          (details[mover.place]?.places ?? [:])
          .merging([mover.slot: places[mover.place.key] ?? keys.count]) { $1 }
      }
    }
    orderedOwners = [:]
  }
}
