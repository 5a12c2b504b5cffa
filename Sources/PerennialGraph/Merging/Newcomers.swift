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
/// Invariant: the first `comparedCount` were compared when so much had been saved as `stamp` says.
struct Newcomers {
  private(set) var objects: ContiguousArray<ManagedObject> = []
  private var comparedCount = 0
  private var stamp = 0

  mutating func add(_ candidates: ContiguousArray<ManagedObject>) {
    if objects.isEmpty { objects = candidates } else { objects += candidates }
  }

  /// Those that have to be compared: the latest, or all of them when somebody has saved since.
  func missing(at stamp: Int) -> ArraySlice<ManagedObject> {
    Array(objects)[(stamp == self.stamp ? comparedCount : 0)...]
  }

  /// Whether there is anything to compare.
  func isComplete(at stamp: Int) -> Bool {
    objects.isEmpty || stamp == self.stamp && comparedCount == objects.count
  }

  mutating func noteComparison(at stamp: Int) {
    self.stamp = stamp
    comparedCount = objects.count
  }
}

extension ManagedObjectContext {
  /// Compares the new unique values of a query's entities with what is stored, and does what the policy
  /// says about those that are taken.
  ///
  /// - Throws: With the policy `error` 133,021 with the conflicts, and the store's error. The changes
  ///   stay, and the next fetch compares again.
  func enforceConstraints(before query: StoreQuery) throws(PerennialError) {
    let family = homes[homes[query.entity].layout.root].layout.family
    let stamp = savesAbove
    guard family.contains(where: { !homes[$0].newcomers.isComplete(at: stamp) }) else { return }
    var conflicts: [SaveConflict] = []
    let search = ConstraintSearch(self)
    for index in family {
      conflicts += try search.conflicts(of: homes[index].newcomers.missing(at: stamp), index)
    }
    if !conflicts.isEmpty {
      try ConflictResolution(self, policy: mergePolicy).resolve(conflicts)
      try enforceConstraintsAmongChanges()
    }
    for index in family { homes[index].newcomers.noteComparison(at: stamp) }
  }

  /// Grows with every save, and with every change of a context above this one.
  private var savesAbove: Int {
    (parent?.savesAbove ?? coordinator.finishedSaves.load(ordering: .relaxed))
      &+ (parent?.mutationCount ?? 0)
  }
}
