// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

/// The objects of an entity that were given unique values in this unit of work, in that order.
///
/// A fetch compares them with what is stored, so that it does not show a new object beside the one that
/// it will be merged into.
///
/// Invariant: the first `comparedCount` were compared when so much had been saved as `stamp` says. An
/// object that is given other values is entered again.
struct Newcomers {
  private var objects: ContiguousArray<ManagedObject> = []
  private var comparedCount = 0
  private var stamp = 0

  var count: Int { objects.count }

  mutating func add(_ candidates: ContiguousArray<ManagedObject>) {
    if objects.isEmpty { objects = candidates } else { objects += candidates }
  }

  /// Those that have to be compared: the latest, or all of them when somebody has saved since.
  func missing(at stamp: Int) -> ArraySlice<ManagedObject> {
    objects[(stamp == self.stamp ? comparedCount : 0)...]
  }

  mutating func noteComparison(at stamp: Int) {
    self.stamp = stamp
    comparedCount = objects.count
  }

  /// Keeps the last mention of every object that has changes.
  mutating func tidy() {
    var known: Set<ObjectIdentifier> = []
    let kept = objects.indices.reversed().filter { index in
      objects[index]._hasEdits && known.insert(ObjectIdentifier(objects[index])).inserted
    }
    comparedCount = kept.count { $0 < comparedCount }
    objects = ContiguousArray(kept.reversed().map { objects[$0] })
  }

  /// Keeps the objects that are in the context.
  mutating func forgetAbsentees() {
    comparedCount = objects[..<comparedCount].count { $0._home != nil }
    objects.removeAll { $0._home == nil }
  }
}

extension ManagedObjectContext {
  /// Notes objects of an entity that were given unique values.
  func addNewcomers(_ objects: ContiguousArray<ManagedObject>, _ entity: Int) {
    homes[entity].newcomers.add(objects)
    merging.hasNewcomers = true
    // Many are listed twice, or have no changes any more.
    let isCrowded = homes[entity].newcomers.count > 2 * homes[entity].changed.count + 1_024
    if isCrowded { reduceNewcomers(of: entity) { $0.tidy() } }
  }

  /// Lets go of the newcomers that are out of the context.
  func forgetAbsentNewcomers(_ entity: Int) {
    reduceNewcomers(of: entity) { $0.forgetAbsentees() }
  }

  /// Objects may die by it, whose `deinit` may use the context: not during the access.
  private func reduceNewcomers(of entity: Int, _ reduce: (inout Newcomers) -> Void) {
    let held = homes[entity].newcomers
    reduce(&homes[entity].newcomers)
    withExtendedLifetime(held) {}
  }

  /// Compares the new unique values of an entity's family with what is stored, and merges the objects
  /// whose values are taken as the policy says.
  ///
  /// It never fails because of what it finds: what the policy does not resolve stays as it is, and the
  /// save reports it. While a save runs hooks nothing happens: its objects must not go meanwhile, and it
  /// compares anyway.
  ///
  /// - Throws: The store's error, and what `enforceConstraintsAmongChanges` throws.
  /// - Complexity: One statement for each constraint and 500 objects that have not been compared since
  ///   anybody saved objects of the family.
  func mergeNewcomers(of entity: Int) throws(PerennialError) {
    guard mergePolicy != .error, !lifecycle.isRunningHooks else { return }
    let root = homes[entity].layout.root
    let family = homes[root].layout.family
    let stamp = changesAbove(of: root)
    // A survivor may get further unique values, which another object has.
    var rounds = Self.newcomerRoundLimit
    while rounds > 0, try mergeNewcomers(of: family, at: stamp) { rounds -= 1 }
  }

  /// Merges the newcomers of entities with what has their unique values.
  ///
  /// - Returns: Whether there were any to merge.
  private func mergeNewcomers(of family: Range<Int>, at stamp: Int) throws(PerennialError) -> Bool {
    var conflicts: [SaveConflict] = []
    for index in family {
      let newcomers = homes[index].newcomers.missing(at: stamp)
      conflicts += try ConstraintSearch(self).conflicts(of: newcomers, index)
    }
    for index in family { homes[index].newcomers.noteComparison(at: stamp) }
    if conflicts.isEmpty { return false }
    try withoutUndo { () throws(PerennialError) in
      try ConflictResolution(self, policy: mergePolicy).resolveEarly(conflicts)
    }
    try enforceConstraintsAmongChanges()
    try propagateChanges()
    return true
  }

  private static var newcomerRoundLimit: Int { 20 }

  /// Grows with every save that writes rows of an entity, and with every change of a context above.
  private func changesAbove(of root: Int) -> Int {
    guard let parent else { return coordinator.rowSaves.withLock { $0[root] } }
    return parent.changesAbove(of: root) &+ parent.mutationCount
  }
}
