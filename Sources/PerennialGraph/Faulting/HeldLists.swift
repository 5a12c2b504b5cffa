// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The lists of members that were read by position last: a program asks a relationship for a view of it each time.
///
/// Invariant: they have no more than 4,096 objects together.
struct HeldLists {
  /// What a context has counted so far; while it stays, members that are not in doubt are the same.
  struct Moment: Equatable {
    let memberships: Int
    let loads: Int
    let epoch: Int
  }

  private struct Entry {
    let owner: RelationshipChanges.OwnerKey
    let moment: Moment
    let count: Int
    let list: AnyObject
  }

  private var entries: [Entry] = []

  /// The list of an owner's members, unless it may be out of date.
  func list(of owner: RelationshipChanges.OwnerKey, at moment: Moment) -> AnyObject? {
    entries.first { $0.owner == owner && $0.moment == moment }?.list
  }

  /// Holds a list of an owner's members for a while.
  ///
  /// - Returns: The lists that are let go for it; to be released when nothing here is in use.
  mutating func hold(
    _ list: AnyObject,
    count: Int,
    of owner: RelationshipChanges.OwnerKey,
    at moment: Moment
  ) -> [AnyObject] {
    let former = entries
    entries.removeAll { $0.owner == owner }
    entries.append(Entry(owner: owner, moment: moment, count: count, list: list))
    while entries.count > 4 || entries.reduce(0, { $0 + $1.count }) > FaultingState.keptCount {
      entries.removeFirst()
    }
    return former.map(\.list)
  }
}
