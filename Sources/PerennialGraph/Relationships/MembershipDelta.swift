// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// How the members of owners differ from what is stored.
///
/// Invariant: a member is added to an owner only if it is not stored as its member, and removed
/// only if it is.
struct MembershipDelta {
  private var added: [Int64: OrderedReferences] = [:]
  private var removed: [Int64: Set<Int64>] = [:]

  func added(to owner: Int64) -> OrderedReferences? { added[owner] }
  func removed(from owner: Int64) -> Set<Int64>? { removed[owner] }
  var owners: Set<Int64> { Set(added.keys).union(removed.keys) }

  /// Notes that an owner gains a member that it lacks.
  mutating func add(_ member: ObjectReference, to owner: Int64) {
    if removed[owner]?.remove(member.key) == nil {
      added[owner, default: OrderedReferences()].append(member)
    }
  }

  /// Notes that an owner loses a member that it has.
  mutating func remove(_ member: Int64, from owner: Int64) {
    if added[owner]?.remove(key: member) != true {
      removed[owner, default: []].insert(member)
    }
  }

  /// Every added pair, as (owner, member).
  var additions: [(owner: Int64, member: ObjectReference)] {
    added.flatMap { owner, members in members.elements.map { (owner, $0) } }
  }

  /// Every removed pair, as (owner, member).
  var removals: [(owner: Int64, member: Int64)] {
    removed.flatMap { owner, members in members.map { (owner, $0) } }
  }
}
