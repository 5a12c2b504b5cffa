// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Does what a merge policy says about the conflicts of a save, so that it can go again.
///
/// What is stored comes in as rows: whether they are a database's or a parent context's is not known
/// here.
///
/// Invariants:
/// 1. Versions come before constraints: a constraint conflict that a version conflict has ended is none.
/// 2. The rounds of a save end, unless others save meanwhile. A round deals with all version conflicts,
///    and an object has one only once: afterwards it has the stored row below it, is to be stored again
///    or is gone. A constraint conflict costs a live object, by merging, or, with as many live objects,
///    a changed unique property of a stored one, by setting it back. Two equal stored objects of which
///    neither was given the values are left alone: one has a version conflict in the same round.
struct ConflictResolution {
  private let context: ManagedObjectContext
  private let policy: MergePolicy
  /// Whether a survivor without changes has some when all that it gets is equal: see `merge`.
  private let countsEqualValues: Bool
  /// New objects by root entity and reserved key: the store knows them by these.
  private let reserved: [Int: [Int64: ManagedObject]]

  /// A resolution by a policy.
  ///
  /// - Parameters:
  ///   - context: The context.
  ///   - policy: The policy.
  ///   - isSaving: Whether the context saves as soon as the conflicts are resolved.
  init(_ context: ManagedObjectContext, policy: MergePolicy, isSaving: Bool = false) {
    self.context = context
    self.policy = policy
    // A child saves into its parent, whose save is yet to come.
    countsEqualValues = !isSaving || context.parent != nil
    var reserved: [Int: [Int64: ManagedObject]] = [:]
    for object in context.changedObjects {
      guard let key = object._edit?.pointee.reservedKey, key != 0, let home = object._home else {
        continue
      }
      reserved[home.pointee.layout.root, default: [:]][key] = object
    }
    self.reserved = reserved
  }

  /// Resolves what a save conflicts with: versions first, as Core Data does, then constraints.
  ///
  /// - Throws: With the policy `error`, or when the store keeps changing, 133020 or 133021 with
  ///   every conflict; then nothing has been resolved. 133021 when an object cannot stand for another.
  func resolve(_ conflicts: [SaveConflict], isLastAttempt: Bool = false) throws(PerennialError) {
    let policies = conflicts.map { chosenPolicy(for: $0) }
    if isLastAttempt || conflicts.isEmpty || policies.contains(.error) {
      throw context.error(for: conflicts.compactMap(description(of:)))
    }
    context.relationships.forgetLoaded()
    context.membershipStamp &+= 1
    defer { context.forgetHolders() }
    var inverses = InverseRepair()
    for (conflict, policy) in zip(conflicts, policies) {
      guard case .version(let root, let key, let stored) = conflict,
        let object = changedObject(root: root, key: key)
      else { continue }
      context.rebase(object, onto: stored, policy, &inverses)
    }
    try inverses.run(in: context)
    var refused: [SavingConflict] = []
    for (conflict, policy) in zip(conflicts, policies) {
      if try !resolveConstraint(conflict, policy), let conflict = description(of: conflict) {
        refused.append(conflict)
      }
    }
    context.tellTouched()
    if !refused.isEmpty { throw context.error(for: refused) }
  }

  /// Resolves the constraint conflicts that the policy does not leave to the save.
  func resolveEarly(_ conflicts: [SaveConflict]) throws(PerennialError) {
    let policies = conflicts.map { chosenPolicy(for: $0) }
    if policies.allSatisfy({ $0 == .error }) { return }
    context.relationships.forgetLoaded()
    context.membershipStamp &+= 1
    defer { context.forgetHolders() }
    for (conflict, policy) in zip(conflicts, policies) {
      _ = try resolveConstraint(conflict, policy)
    }
    context.tellTouched()
  }

  /// - Returns: `false` when the policy does not allow it, or when one object cannot stand for the other.
  private func resolveConstraint(
    _ conflict: SaveConflict,
    _ policy: MergePolicy
  ) throws(PerennialError) -> Bool {
    guard case .constraint(_, let number, let key, let stored) = conflict else { return true }
    try takeNewer(stored, policy)
    guard let twins = twins(key, number, stored) else { return true }
    // Of two objects of this save, each may be reported as the other's newcomer; and what was
    // resolved before may have ended this conflict.
    let (loser, survivor) = (twins.loser, twins.survivor)
    if loser.isForwarding || survivor.isForwarding || !twins.areEqual
      || loser.isMisread(beside: survivor, twins.slots)
    {
      return true
    }
    return try context.resolve(twins, using: policy, countsEqualValues: countsEqualValues)
  }

  /// Gives the object that has unique values the row that others have stored, where no conflict of
  /// versions tells of it: it is not written, or was deleted before it was stored again here.
  private func takeNewer(_ stored: PageRow, _ policy: MergePolicy) throws(PerennialError) {
    let known = context.homes[stored.entity].root.pointee.map.find(stored.key)
    guard let object = known?.takeUnretainedValue(), let edit = object._edit else { return }
    switch edit.pointee.state {
    case .deletedInsertion: break
    case .updated
    where !object._hasRowToWrite
      && edit.pointee.committedRow.map(PackedRow.version) != stored.version:
      break
    default: return
    }
    var inverses = InverseRepair()
    context.rebase(object, onto: stored, policy, &inverses)
    try inverses.run(in: context)
  }

  /// The error of equal objects among the changes, with what the store reports besides.
  ///
  /// - Parameters:
  ///   - error: What `enforceConstraintsAmongChanges` has thrown.
  ///   - conflicts: What the store reports, among it the same objects.
  /// - Returns: The error itself when the store reports nothing else.
  func completed(_ error: PerennialError, with conflicts: [SaveConflict]) -> PerennialError {
    let others = conflicts.filter { conflict in
      guard case .constraint(_, _, _, let stored) = conflict else { return true }
      return changedObject(root: context.homes[stored.entity].layout.root, key: stored.key) == nil
    }
    let values = others.compactMap(description(of:))
    return values.isEmpty ? error : context.error(for: values + error.conflicts)
  }

  /// A conflict of an object that is not changed any more needs no policy.
  private func chosenPolicy(for conflict: SaveConflict) -> MergePolicy {
    guard case .custom = policy.kind, let conflict = description(of: conflict) else {
      return policy
    }
    return policy.chosen(for: conflict)
  }

  /// The changed object of a key and the one that has its unique values, if both are alive.
  private func twins(_ key: Int64, _ number: Int, _ stored: PageRow) -> Twins? {
    let root = context.homes[stored.entity].layout.root
    guard let newcomer = changedObject(root: root, key: key), !newcomer.isDeleted else {
      return nil
    }
    let holder = reserved[root]?[stored.key] ?? context.object(of: stored)
    return holder.isDeleted ? nil : context.twins(newcomer, holder, number)
  }

  /// The conflict as a value.
  private func description(of conflict: SaveConflict) -> SavingConflict? {
    switch conflict {
    case .version(let root, let key, let stored):
      changedObject(root: root, key: key).map { .version(context.mergeConflict($0, stored)) }
    case .constraint(_, let number, let key, let stored):
      changedObject(root: context.homes[stored.entity].layout.root, key: key).map {
        .constraint(context.constraintConflict($0, number, stored: stored))
      }
    }
  }

  /// The changed or watched object that has a key, or will have it.
  private func changedObject(root: Int, key: Int64) -> ManagedObject? {
    if let object = reserved[root]?[key] { return object }
    guard let known = context.homes[root].map.find(key)?.takeUnretainedValue() else { return nil }
    return known._hasEdits || context.merging.watchedVersion(of: known) != nil ? known : nil
  }
}
