// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The pending changes of to-many relationships, and what has been loaded of them.
///
/// A to-many relationship whose inverse is to-one is stored in the inverse's slot, so its changes
/// follow from the changed objects: `slots` is an index over them, made when somebody first asks and
/// kept up from then on. The pairs of a many-to-many relationship have no other place than `links`.
struct RelationshipChanges {
  /// A to-one slot, named by the entity that declares it.
  struct SlotKey: Hashable {
    let entity: Int
    let slot: Int
  }

  /// A to-many relationship of one owner.
  struct OwnerKey: Hashable {
    let entity: Int
    let toMany: Int
    let owner: Int64
  }

  /// A derived attribute of one owner.
  struct DerivedKey: Hashable {
    let entity: Int
    let slot: Int
    let owner: Int64
  }

  /// The pending pairs of a link, seen from either side.
  struct Link {
    var fromFirst = MembershipDelta()
    var fromSecond = MembershipDelta()

    /// Every pair that is pending, and whether it is one that the store lacks.
    ///
    /// A pair that has gone and come back is one that the store has.
    var pairs: [(pair: ChangeSet.LinkChange.Pair, isNew: Bool)] {
      fromFirst.additions.map { (.init(first: $0.owner, second: $0.member.key), true) }
        + (fromFirst.removals + fromFirst.returns).map { (.init(first: $0, second: $1), false) }
        + fromSecond.returns.map { (.init(first: $0.member, second: $0.owner), false) }
    }
  }

  var slots: [SlotKey: MembershipDelta] = [:]
  /// Indexes of ordered members that are to be made anew: nothing else tells who came when.
  var formerSlots: [SlotKey: MembershipDelta] = [:]
  /// The edited objects that others may have moved; only where they may have saved what is not known here.
  var edited: [SlotKey: EditedMembers] = [:]
  var links: [Int: Link] = [:]
  /// All members of owners whose order was set, in that order; kept up as members come and go.
  var orders: [OwnerKey: OrderedReferences] = [:]
  /// The owners whose ordered members changed, held so that a save can write their order.
  var orderedOwners: [OwnerKey: ManagedObject] = [:]
  /// The objects whose pairs changed, held as all objects with changes are.
  var pairOwners: [ObjectIdentifier: ManagedObject] = [:]
  /// The values that were made of an owner's members, and of which changes: those that are the same need no other.
  ///
  /// They are forgotten where the rows of unchanged members are replaced.
  var derived: [DerivedKey: (changes: Int, value: PropertyValue)] = [:]
  /// What the store said of owners that were asked for.
  var loaded: [OwnerKey: OrderedReferences] = [:] {
    didSet {
      loads &+= 1
      if loaded.isEmpty { batches = MemberBatches() }
    }
  }
  /// How often `loaded` has changed.
  private(set) var loads = 0
  /// What the store said of their siblings.
  var batches = MemberBatches()

  /// Forgets which derived values need not be made again: the row of a member is another.
  mutating func forgetDerived() { if !derived.isEmpty { derived = [:] } }

  /// Forgets what the store said, so that it is asked again.
  mutating func forgetLoaded() { loaded = [:] }

  /// Lets an index be made anew; one of ordered members then has their order.
  mutating func forgetIndex(_ key: SlotKey, isOrdered: Bool) {
    if !edited.isEmpty { edited[key] = nil }
    guard let index = slots.removeValue(forKey: key), isOrdered else { return }
    formerSlots[key] = index
  }

  /// Whether a stored member that comes back takes its old place: an undo puts the others right.
  var keepsStoredPlaces = false

  /// Forgets what the store said of one owner.
  mutating func forgetStored(_ key: OwnerKey) {
    loaded[key] = nil
    batches.forget(key)
  }

  /// Forgets what the store said of one owner, and the order that was set.
  mutating func forget(_ key: OwnerKey) {
    forgetStored(key)
    orders[key] = nil
    orderedOwners[key] = nil
  }

  /// Whether there is anything to save here.
  ///
  /// Inlined, or every question would copy the whole value.
  @inline(__always)
  var hasChanges: Bool { !orders.isEmpty || !links.isEmpty && hasLinkChanges }

  /// Whether there is an index or an order that moves have to be noted in.
  var keepsMembers: Bool { !slots.isEmpty || !orders.isEmpty }

  /// Whether pairs were added or removed.
  var hasLinkChanges: Bool { links.values.contains { !$0.fromFirst.isEmpty } }

  /// Notes that a link gains a pair that it lacks.
  mutating func addPair(
    _ first: ObjectReference,
    _ second: ObjectReference,
    link: LinkLayout
  ) {
    let isOrdered = link.first.isOrdered && !keepsStoredPlaces
    links[link.index, default: Link()].fromFirst.add(second, to: first.key, isOrdered: isOrdered)
    if !link.isSymmetric {
      links[link.index]?.fromSecond
        .add(first, to: second.key, isOrdered: link.second.isOrdered && !keepsStoredPlaces)
    } else if first != second {
      links[link.index]?.fromFirst.add(first, to: second.key, isOrdered: isOrdered)
    }
  }

  /// Notes that a link loses a pair that it has.
  mutating func removePair(_ first: Int64, _ second: Int64, link: LinkLayout) {
    links[link.index, default: Link()].fromFirst.remove(second, from: first)
    if !link.isSymmetric {
      links[link.index]?.fromSecond.remove(first, from: second)
    } else if first != second {
      links[link.index]?.fromFirst.remove(first, from: second)
    }
  }

  /// Forgets the pending change of a pair, because the store has it so already.
  mutating func forgetPair(_ first: Int64, _ second: Int64, link: LinkLayout) {
    links[link.index]?.fromFirst.forget(second, of: first)
    if link.isSymmetric {
      links[link.index]?.fromFirst.forget(first, of: second)
    } else {
      links[link.index]?.fromSecond.forget(first, of: second)
    }
  }

  /// Notes that an owner of ordered members gains one, at the end: where it was before others took it away is over.
  mutating func appendToOrder(_ member: ObjectReference, _ key: OwnerKey, _ owner: ManagedObject) {
    _ = orders[key]?.remove(key: member.key)
    orders[key]?.append(member)
    orderedOwners[key] = owner
  }

  /// Notes that an owner of ordered members loses one.
  mutating func removeFromOrder(_ member: Int64, _ key: OwnerKey) {
    _ = orders[key]?.remove(key: member)
  }

  /// The last member that an owner gains; `nil` where that is not known.
  func lastAdded(_ relationship: RelationshipLayout, to owner: Int64) -> ObjectReference? {
    if let side = relationship.side { return delta(side)?.added(to: owner)?.last }
    guard let inverse = relationship.inverse, let slot = relationship.inverseSlot else {
      return nil
    }
    return slots[SlotKey(entity: inverse.entity, slot: slot)]?.added(to: owner)?.last
  }

  /// Puts the members that an owner gains into an order.
  mutating func sortAdded(
    _ relationship: RelationshipLayout,
    of owner: Int64,
    by place: (ObjectReference) -> Int
  ) {
    if let side = relationship.side {
      if side.isFirst {
        links[side.link]?.fromFirst.sortAdded(to: owner, by: place)
      } else {
        links[side.link]?.fromSecond.sortAdded(to: owner, by: place)
      }
    } else if let inverse = relationship.inverse, let slot = relationship.inverseSlot {
      slots[SlotKey(entity: inverse.entity, slot: slot)]?.sortAdded(to: owner, by: place)
    }
  }

  /// What a side of a link gains and loses.
  func delta(_ side: RelationshipLayout.Side) -> MembershipDelta? {
    side.isFirst ? links[side.link]?.fromFirst : links[side.link]?.fromSecond
  }
}
