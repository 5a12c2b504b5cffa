// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Does what a context's merge policy says about the conflicts of a save, so that it can go again.
struct ConflictResolution {
  private let context: ManagedObjectContext
  /// New objects by root entity and reserved key: the store knows them by these.
  private let reserved: [Int: [Int64: ManagedObject]]

  init(_ context: ManagedObjectContext) {
    self.context = context
    var reserved: [Int: [Int64: ManagedObject]] = [:]
    for object in context.changedObjects {
      guard let key = object._edit?.pointee.reservedKey, key != 0, let home = object._home else {
        continue
      }
      reserved[home.pointee.layout.root, default: [:]][key] = object
    }
    self.reserved = reserved
  }

  /// Merges what conflicts.
  ///
  /// - Throws: With the policy `error`, or when the store keeps changing, 133,020 or 133,021 with
  ///   a problem for every conflict.
  func resolve(_ conflicts: [SaveConflict], isLastAttempt: Bool) throws(PerennialError) {
    if context.mergePolicy == .error || isLastAttempt || conflicts.isEmpty {
      throw error(for: conflicts)
    }
    context.relationships.forgetLoaded()
    context.membershipStamp &+= 1
    var problems: [PerennialError] = []
    for conflict in conflicts {
      switch conflict {
      case .version(let root, let key, let stored):
        if let object = changedObject(root: root, key: key) {
          context.rebase(object, onto: stored)
        }
      case .constraint(_, _, let newcomer, let stored):
        let root = context.homes[stored.entity].layout.root
        guard let newcomer = changedObject(root: root, key: newcomer) else { continue }
        let (loser, survivor) = roles(
          newcomer,
          reserved[root]?[stored.key] ?? context.object(of: stored)
        )
        // Of two objects of this save, each may be reported as the other's newcomer.
        if loser.isForwarding || survivor.isForwarding { continue }
        if context.canMerge(loser, into: survivor) {
          try context.merge(loser, into: survivor)
        } else if loser.hasChanges, let problem = problem(of: conflict) {
          problems.append(problem)
        }
      }
    }
    if let error = PerennialError.combined(problems, code: .managedObjectConstraintMerge) {
      throw error
    }
  }

  /// Which of a newcomer and its holder goes: never a stored object for one that is not.
  private func roles(
    _ newcomer: ManagedObject,
    _ holder: ManagedObject
  ) -> (loser: ManagedObject, survivor: ManagedObject) {
    holder.isInserted && !newcomer.isInserted ? (holder, newcomer) : (newcomer, holder)
  }

  private func error(for conflicts: [SaveConflict]) -> PerennialError {
    let hasVersionConflict = conflicts.contains { if case .version = $0 { true } else { false } }
    let code: PerennialError.Code =
      hasVersionConflict ? .managedObjectMerge : .managedObjectConstraintMerge
    return .combined(conflicts.compactMap(problem(of:)), code: code)
      ?? PerennialError(
        code,
        "The store has other values than expected.",
        recovery: "roll back and do it again"
      )
  }

  private func problem(of conflict: SaveConflict) -> PerennialError? {
    switch conflict {
    case .version(let root, let key, let stored):
      changedObject(root: root, key: key).map {
        .versionConflict(entity: $0.entityDescription.name, $0.objectID, isGone: stored == nil)
      }
    case .constraint(let entity, let number, let newcomer, let stored):
      changedObject(root: context.homes[stored.entity].layout.root, key: newcomer).map {
        context.constraintProblem($0, context.homes[entity].layout, number)
      }
    }
  }

  /// The changed object that has a key, or will have it.
  private func changedObject(root: Int, key: Int64) -> ManagedObject? {
    if let object = reserved[root]?[key] { return object }
    let known = context.homes[root].map.find(key)?.takeUnretainedValue()
    return known?.hasChanges == true ? known : nil
  }
}
