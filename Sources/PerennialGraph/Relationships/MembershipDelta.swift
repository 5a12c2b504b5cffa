// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// How the members of owners differ from what is stored.
///
/// Invariants:
/// 1. A member is added to an owner only if it is not stored as its member, or if its removal is
///    noted too: then it has gone and come back to another place. It is removed only if it is stored.
/// 2. No owner has an empty entry, so that a delta without entries is no change.
struct MembershipDelta {
  private var added: [Int64: OrderedReferences] = [:]
  private var removed: [Int64: Set<Int64>] = [:]
  /// Whether there have been changes between an owner and a member that both have permanent keys, or may have.
  private(set) var joinsStored = false

  var isEmpty: Bool { added.isEmpty && removed.isEmpty }

  /// The keys of all owners whose members differ.
  var owners: Set<Int64> { Set(added.keys).union(removed.keys) }

  func added(to owner: Int64) -> OrderedReferences? { added[owner] }
  func removed(from owner: Int64) -> Set<Int64>? { removed[owner] }

  /// Feeds the changes of an owner's members to a hasher.
  func hash(of owner: Int64, into hasher: inout Hasher) {
    hasher.combine(added[owner]?.elements)
    hasher.combine(removed[owner])
  }

  /// Notes that an owner gains a member that it lacks.
  ///
  /// In an ordered relationship a member that comes back does not come back to its old place.
  mutating func add(_ member: ObjectReference, to owner: Int64, isOrdered: Bool = false) {
    if owner > 0, member.key > 0 { joinsStored = true }
    if !isOrdered, removed[owner]?.remove(member.key) != nil {
      if removed[owner]?.isEmpty == true { removed[owner] = nil }
    } else {
      added[owner, default: OrderedReferences()].append(member)
    }
  }

  /// Notes that an owner loses a member that it has.
  mutating func remove(_ member: Int64, from owner: Int64) {
    if owner > 0, member > 0 { joinsStored = true }
    if added[owner]?.remove(key: member) == true {
      if added[owner]?.isEmpty == true { added[owner] = nil }
    } else {
      removed[owner, default: []].insert(member)
    }
  }

  /// Forgets that an owner gains or loses a member, because the store has it so already.
  mutating func forget(_ member: Int64, of owner: Int64) {
    if added[owner]?.remove(key: member) == true, added[owner]?.isEmpty == true {
      added[owner] = nil
    }
    if removed[owner]?.remove(member) != nil, removed[owner]?.isEmpty == true {
      removed[owner] = nil
    }
  }

  /// The same changes under other keys; of two owners that become one, the members of that which keeps its key come
  /// first.
  func translatingKeys(
    owner: (Int64) -> Int64,
    member: (Int64) -> Int64
  ) -> MembershipDelta {
    var next = MembershipDelta()
    next.joinsStored = true
    for keepsKey in [true, false] {
      for (key, members) in added where (owner(key) == key) == keepsKey {
        next.added[owner(key), default: OrderedReferences()]
          .append(contentsOf: members.translatingKeys(member))
      }
    }
    for (key, members) in removed {
      next.removed[owner(key), default: []].formUnion(members.map(member))
    }
    return next
  }

  /// Puts added members into the order that they have in another delta; those that it lacks come last.
  mutating func takeOrder(of other: MembershipDelta) {
    for (owner, members) in other.added {
      guard let own = added[owner] else { continue }
      let known = members.elements.filter { own.contains(key: $0.key) }
      added[owner] = OrderedReferences(known + own.elements)
    }
  }

  /// Puts the added members of an owner into an order.
  mutating func sortAdded(to owner: Int64, by place: (ObjectReference) -> Int) {
    guard let members = added[owner]?.elements, members.count > 1 else { return }
    added[owner] = OrderedReferences(members.sorted { place($0) < place($1) })
  }

  /// The members that an owner gains, without those that have gone and come back.
  func additions(to owner: Int64) -> [ObjectReference] {
    let lost = removed[owner] ?? []
    return added[owner]?.elements.filter { !lost.contains($0.key) } ?? []
  }

  /// The keys of the members that an owner gains or loses, without those that have gone and come back.
  func changes(of owner: Int64) -> Set<Int64> {
    Set(added[owner]?.elements.map(\.key) ?? []).symmetricDifference(removed[owner] ?? [])
  }

  /// Every added pair that is not stored, as (owner, member).
  var additions: [(owner: Int64, member: ObjectReference)] {
    added.keys.flatMap { owner in additions(to: owner).map { (owner, $0) } }
  }

  /// Every removed pair that has not come back, as (owner, member).
  var removals: [(owner: Int64, member: Int64)] {
    removed.flatMap { owner, members in
      members.filter { added[owner]?.contains(key: $0) != true }.map { (owner, $0) }
    }
  }

  /// Every pair that has gone and come back to another place, as (owner, member).
  var returns: [(owner: Int64, member: Int64)] {
    removed.flatMap { owner, members in
      members.filter { added[owner]?.contains(key: $0) == true }.map { (owner, $0) }
    }
  }
}
