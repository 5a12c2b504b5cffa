// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

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

  /// The pending pairs of a link, seen from either side.
  struct Link {
    var fromFirst = MembershipDelta()
    var fromSecond = MembershipDelta()
  }

  var slots: [SlotKey: MembershipDelta] = [:]
  var links: [Int: Link] = [:]
  /// The order of the members of owners whose order was changed.
  var orders: [OwnerKey: [Int64]] = [:]
  /// What the store said of owners that were asked for.
  var loaded: [OwnerKey: [ObjectReference]] = [:]

  /// Whether there is anything to save here.
  var hasChanges: Bool { !links.isEmpty || !orders.isEmpty }

  /// Notes, if anybody asked for the index, that a to-one slot changed.
  mutating func noteMove(
    of member: ObjectReference,
    through key: SlotKey,
    from old: Int64,
    to new: Int64
  ) {
    guard slots[key] != nil, old != new else { return }
    if old != 0 { slots[key]?.remove(member.key, from: old) }
    if new != 0 { slots[key]?.add(member, to: new) }
  }

  /// Notes that a link gains a pair that it lacks.
  mutating func addPair(
    _ first: ObjectReference,
    _ second: ObjectReference,
    link: LinkLayout
  ) {
    links[link.index, default: Link()].fromFirst.add(second, to: first.key)
    if link.isSymmetric {
      links[link.index]?.fromFirst.add(first, to: second.key)
    } else {
      links[link.index]?.fromSecond.add(first, to: second.key)
    }
  }

  /// Notes that a link loses a pair that it has.
  mutating func removePair(_ first: Int64, _ second: Int64, link: LinkLayout) {
    links[link.index, default: Link()].fromFirst.remove(second, from: first)
    if link.isSymmetric {
      links[link.index]?.fromFirst.remove(first, from: second)
    } else {
      links[link.index]?.fromSecond.remove(first, from: second)
    }
  }

  /// What a side of a link gains and loses.
  func delta(_ side: RelationshipLayout.Side) -> MembershipDelta? {
    side.isFirst ? links[side.link]?.fromFirst : links[side.link]?.fromSecond
  }
}
