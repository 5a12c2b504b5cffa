// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

// After a save that failed: the conflicts, and what to do about them.

extension ManagedObjectContext {
  /// The conflicts of the last save, fetch or ``processPendingChanges()`` that failed with any; empty after a
  /// successful save or a rollback.
  ///
  /// The same values are in ``PerennialError/conflicts``. All changes are still pending: resolve or
  /// discard the conflicts, or change the objects, and save again.
  public var conflicts: [SavingConflict] { merging.conflicts }

  /// What the merge policy has done in this unit of work, or, as long as that is nothing, in the last one; `nil` when
  /// there was no conflict.
  ///
  /// A save, a rollback or a reset ends a unit of work. The next save begins a new report, unless conflicts of its
  /// own unit of work were resolved before.
  public var lastMergeReport: MergeReport? { merging.report }

  /// Resolves conflicts by a policy, so that the next save succeeds unless something changes again.
  ///
  /// ```swift
  /// do {
  ///   try context.save()
  /// } catch let error where !error.conflicts.isEmpty {
  ///   try context.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
  ///   try context.save()
  /// }
  /// ```
  ///
  /// The stored rows are read again. A conflict that no longer exists, because an object was changed, rolled back or
  /// deleted since, is left out. The next save finds a conflict that resolving causes: for instance that of two teams
  /// that are unique by their leads, when the leads were merged.
  ///
  /// - Parameters:
  ///   - conflicts: Conflicts of this context.
  ///   - policy: What to do. With ``MergePolicy/error`` the conflicts that still exist are thrown.
  /// - Throws: 133020 or 133021 as the policy says, 133021 when an object cannot stand for another, or
  ///   the store's error.
  public func resolve(
    _ conflicts: [SavingConflict],
    using policy: MergePolicy
  ) throws(PerennialError) {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    var current: [SaveConflict] = []
    var twins: [Twins] = []
    for conflict in conflicts {
      switch conflict {
      case .version(let conflict): if let found = try renewed(conflict) { current.append(found) }
      case .constraint(let conflict):
        if let found = try renewed(conflict) { current.append(found) }
        twins += pendingTwins(in: conflict)
      }
    }
    if !current.isEmpty {
      try withoutUndo { () throws(PerennialError) in
        try ConflictResolution(self, policy: policy).resolve(current)
      }
    }
    defer { forgetHolders() }
    var refused: [Twins] = []
    for pair in twins where pair.areEqual {
      let chosen = policy.chosen(for: .constraint(constraintConflict(pair)))
      if try !resolve(pair, using: chosen) { refused.append(pair) }
    }
    tellTouched()
    if !refused.isEmpty { throw constraintError(refused) }
    let settled = Set(conflicts)
    merging.conflicts.removeAll(where: settled.contains)
  }

  /// Drops this context's changes of the objects that conflict.
  ///
  /// Objects that were changed elsewhere become as they are stored, and new objects with taken unique values become
  /// forwarding objects of those that have the values. This is ``resolve(_:using:)`` with the policy
  /// ``MergePolicy/rollback``. Other changes stay pending.
  ///
  /// - Parameter conflicts: Conflicts of this context.
  /// - Throws: As ``resolve(_:using:)``.
  public func discard(_ conflicts: [SavingConflict]) throws(PerennialError) {
    try resolve(conflicts, using: .rollback)
  }

  /// Makes the next save check that an object is stored as it was read here, even if it is not changed.
  ///
  /// If somebody else has changed or deleted the object since, the save conflicts (133020, or what the merge policy
  /// says), even when this context has fetched or merged the new values meanwhile, or has changed the object, too.
  /// The save raises the version of the row: of two contexts that both read an object and decide by it, only one
  /// succeeds. A rollback, a successful save, and resolving or discarding the conflict end the check; a second call
  /// does not restart it.
  ///
  /// Core Data: `NSManagedObjectContext.detectConflicts(for:)`.
  ///
  /// - Parameter object: A saved object of this context; a fault is loaded.
  public func detectConflicts(for object: ManagedObject) {
    let object = object._survivor ?? object
    guard let home = object._home else { return }
    guard home.pointee.context === self else {
      note(misuse: .foreignObject(object, context: self, relationship: nil))
      return
    }
    // A child's parent changes rows without counting: the check is the store's.
    if let parent { return parent.detectConflicts(for: parent.object(for: object._reference)) }
    guard object._key > 0 else { return }
    // A second call does not make good what has happened since the first.
    guard merging.watchedVersion(of: object) == nil, object._loaded() === object,
      let version = object._row.map(PackedRow.version)
    else { return }
    merging.watched[ObjectIdentifier(object)] = WatchedObject(object: object, version: version)
  }

  /// A version conflict as the store has it now; `nil` when it is over.
  private func renewed(_ conflict: MergeConflict) throws(PerennialError) -> SaveConflict? {
    guard let object = registeredObject(for: conflict.objectID), isKnownAbove(object),
      let home = object._home,
      case let watchedVersion = merging.watchedVersion(of: object),
      object._edit != nil || watchedVersion != nil
    else { return nil }
    let root = home.pointee.layout.root
    let stored = try rowForSave(of: object._key, root: root)
    let version = watchedVersion ?? object._edit?.pointee.committedRow.map(PackedRow.version)
    if parent == nil, stored?.version == version { return nil }
    if stored == nil, object._state?.isDeleted == true { return nil }
    return .version(root: root, key: object._key, stored: stored)
  }

  /// The row that a save compares a change with: a child's save, that of its parent's object as it is now.
  private func rowForSave(of key: Int64, root: Int) throws(PerennialError) -> PageRow? {
    guard let parent else {
      return try store.allRows(StoreQuery(entity: root, scope: .keys([key]))).first
    }
    guard let object = try parent.objects(of: [key], root: root).first, !object.isDeleted else {
      return nil
    }
    return parent.currentRow(of: object)
  }

  /// A conflict with a stored object as the store has it now; `nil` when it is over.
  private func renewed(_ conflict: ConstraintConflict) throws(PerennialError) -> SaveConflict? {
    guard let id = conflict.databaseObjectID, let newcomerID = conflict.conflictingObjectIDs.first,
      let newcomer = registeredObject(for: newcomerID), let home = newcomer._home,
      let number = home.pointee.layout.number(ofConstraint: conflict.constraint),
      case let layout = home.pointee.layout,
      let key = registeredObject(for: id)?._key ?? key(of: id, root: layout.root)
    else { return nil }
    let query = StoreQuery(entity: layout.root, scope: .keys([key]))
    guard let stored = try store.allRows(query).first, !newcomer.isDeleted,
      SlotKeyHash.equal(
        newcomer._loadedRow(),
        stored.pointer,
        layout.constraints[number],
        of: layout
      )
    else { return nil }
    return .constraint(
      entity: layout.index,
      constraint: number,
      newcomer: newcomer._key,
      stored: stored
    )
  }

  /// The changed objects of a conflict that are still in conflict with each other.
  private func pendingTwins(in conflict: ConstraintConflict) -> [Twins] {
    let objects = conflict.conflictingObjectIDs.compactMap { registeredObject(for: $0) }
    guard let last = objects.last else { return [] }
    return objects.dropLast().compactMap { object in
      guard object !== last, !object.isDeleted, !last.isDeleted,
        let number = object._home?.pointee.layout.number(ofConstraint: conflict.constraint)
      else { return nil }
      return twins(object, last, number)
    }
  }
}

extension EntityLayout {
  /// The number of the constraint on properties of these names.
  fileprivate func number(ofConstraint names: [String]) -> Int? {
    constraints.firstIndex { $0.map { slots[$0].name } == names }
  }
}
