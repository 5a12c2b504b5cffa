// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

extension ManagedObjectContext {
  /// Calls `willSave` on every changed object, and again on those that are changed meanwhile.
  ///
  /// Owners of which only members come or go are updated objects too. They are called last, when it is
  /// known who they are. Delete rules are applied between the rounds, as they may change further
  /// objects.
  func callWillSave() throws(PerennialError) {
    setWatching(true)
    defer { setWatching(false) }
    var places = Array(repeating: 0, count: homeIndexes.count)
    var owners = MembershipCalls()
    for _ in 0..<Lifecycle.roundLimit {
      if homeIndexes.contains(where: { homes[$0].changed.count > places[$0] }) {
        for index in homeIndexes { callWillSave(in: index, from: &places[index]) }
      } else if lifecycle.hasTouched {
        for object in lifecycle.takeTouched() where object.hasChanges && !object.isForwarding {
          object.willSave()
        }
      } else if !owners.callNext(in: self) {
        lifecycle.savedOwners = owners.called
        lifecycle.latestOwners = owners.latest
        return
      }
      try propagateChanges(beforeSave: true)
      endEvent()
    }
    throw .endlessHooks(lifecycle.takeTouched().first?.entityDescription.name)
  }

  /// Calls the objects of an entity that have not been called yet.
  private func callWillSave(in index: Int, from place: inout Int) {
    while place < homes[index].changed.count {
      let object = homes[index].changed[place]
      place += 1
      guard let object else { continue }
      lifecycle.forget(object)
      object.willSave()
    }
  }

  /// Lets go of the owners that a save has called; they may die then, and use the context.
  func releaseSavedOwners() {
    let released = (lifecycle.savedOwners, lifecycle.latestOwners)
    lifecycle.savedOwners = []
    lifecycle.latestOwners = MembershipOwners()
    withExtendedLifetime(released) {}
  }

  /// Makes every write of a property be noted, or no longer.
  private func setWatching(_ isWatching: Bool) {
    lifecycle.isRunningHooks = isWatching
    lifecycle.isWatching = isWatching
    if !isWatching { lifecycle.stopWatching() }
    updateWatching()
  }

  /// Lets every write be told as long as anybody wants to know of all.
  func updateWatching() {
    let watchesAll = lifecycle.isWatching || !merging.holders.isEmpty
    for index in homeIndexes { homes[index].watchesAll = watchesAll }
  }

  /// The changed objects, checked; twins, which may complete each other, are merged before it fails.
  ///
  /// A check that changes something has the checks done again. What has changed by then, also because of a conflict, is
  /// given the time of the save: nothing may be written between the last check and the plan.
  func validWork(_ time: Date) throws(PerennialError) -> PendingWork {
    lifecycle.isRunningHooks = true
    defer { lifecycle.isRunningHooks = false }
    for _ in 0..<Lifecycle.roundLimit {
      try deriveTimes(time)
      let before = (mutationCount, pairCount)
      let work = try gatherWork()
      if (mutationCount, pairCount) != before {
        try propagateChanges(beforeSave: true)
        continue
      }
      guard let error = PerennialError.combined(work.problems) else { return work }
      guard try enforceConstraintsAmongChanges() else { throw error }
      try propagateChanges(beforeSave: true)
    }
    throw .endlessHooks(nil)
  }
}

/// The owners without changes of their own, as long as no change is added to those that they are of.
struct MembershipOwners {
  private var owners: [ManagedObject] = []
  /// The state of the context that they are of.
  private var stamp: (mutations: Int, memberships: Int)?

  /// Finds them, some of them more than once.
  ///
  /// - Returns: `nil` when they are those that were found last.
  mutating func find(in context: ManagedObjectContext) -> [ManagedObject]? {
    let now = (mutations: context.mutationCount, memberships: context.membershipStamp)
    if let stamp, stamp == now { return nil }
    stamp = now
    owners = context.unchangedMembershipOwners()
    return owners
  }

  /// Leaves out what comes more than once.
  mutating func replace(with distinct: [ManagedObject]) { owners = distinct }

  /// Them, some of them more than once.
  mutating func all(in context: ManagedObjectContext) -> [ManagedObject] {
    find(in: context) ?? owners
  }
}

/// The owners whose `willSave` is called because of their members.
private struct MembershipCalls {
  private(set) var called: [ManagedObject] = []
  /// Those that are to be called at last.
  private(set) var latest = MembershipOwners()
  private var known: Set<ObjectIdentifier> = []

  /// Calls those that have not been called.
  ///
  /// - Returns: Whether anybody was called.
  mutating func callNext(in context: ManagedObjectContext) -> Bool {
    guard let all = latest.find(in: context) else { return false }
    let owners = all.filter { known.insert(ObjectIdentifier($0)).inserted }
    if called.isEmpty { latest.replace(with: owners) }
    called += owners
    for owner in owners where owner._home != nil && !owner.isForwarding { owner.willSave() }
    return !owners.isEmpty
  }
}
