// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Whether there is anything to save.
  ///
  /// A new object that was deleted no longer counts once its delete rules have been applied: by
  /// ``processPendingChanges()``, a fetch or a save.
  ///
  /// Core Data: `NSManagedObjectContext.hasChanges`.
  ///
  /// - Complexity: Constant time, except that it grows with the number of new objects that were deleted.
  public var hasChanges: Bool {
    if !pendingDeletions.isEmpty { return hasEdits }
    for index in homeIndexes where !homes[index].changed.isEmpty {
      for case let object? in homes[index].changed where object._state != .deletedInsertion {
        return true
      }
    }
    // The order of the members of a new object goes with it.
    return relationships.hasLinkChanges
      || relationships.orders.keys.contains { key in
        let owner = ObjectReference(key: key.owner, entity: key.entity)
        return known(owner)?._state != .deletedInsertion
      }
  }

  /// Whether a save has anything to end: new objects that were deleted, too, which children may have.
  var hasEdits: Bool {
    for index in homeIndexes where !homes[index].changed.isEmpty {
      if homes[index].changed.contains(where: { $0 != nil }) { return true }
    }
    return relationships.hasChanges
  }

  /// Merges what other contexts have saved, if the context merges by itself; applies delete rules, and checks
  /// uniqueness among the changed objects.
  ///
  /// Then the current event ends: observers are told what it changed. The group of changes that an ``undoManager``
  /// undoes at once ends, too. A fetch and a save begin with the same steps, but they do not merge objects with
  /// unsaved changes of what others have saved, and the group does not end there.
  ///
  /// Core Data: `NSManagedObjectContext.processPendingChanges()`.
  ///
  /// - Throws: What setters and getters could not throw, once: an object of another context (200005), a deleted one
  ///   (200006) or one of a wrong entity (200004) in a relationship, a value whose `encode(to:)` throws (200004),
  ///   or a load that was refused (200012); several of them come in one error of code 1560. Also 133021 for two
  ///   changed objects with the same unique values, or the store's error.
  public func processPendingChanges() throws(PerennialError) {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    defer { undoManager?.endEvent() }
    withoutUndo { receiveMail() }
    try prepareToRead()
  }

  /// What a fetch begins with: as ``processPendingChanges()``, but no conflict is hidden, and a group
  /// of changes that can be undone goes on; and new unique values of the fetch's entities are compared
  /// with what is stored, as are those of entities that a results controller shows.
  ///
  /// - Parameter entity: The entity whose objects the fetch will show, unsaved ones too; `nil` for none.
  /// - Throws: As ``processPendingChanges()``, and the store's error.
  func prepareToRead(showing entity: Int? = nil) throws(PerennialError) {
    guard !isAtRest else { return noteLiveObjects() }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    withoutUndo { receiveMail(hidingConflicts: false) }
    try propagateChanges()
    try enforceConstraintsAmongChanges()
    if merging.hasNewcomers {
      if let entity { try mergeNewcomers(of: entity) }
      for shown in liveResults.shownEntities { try mergeNewcomers(of: shown) }
    }
    sweepIfWorthwhile()
    endEvent()
  }

  /// Whether nothing is unsaved, and none of the steps of ``prepareToRead(showing:)`` would find anything: so it is for
  /// a fetch in a loop.
  var isAtRest: Bool {
    for index in homeIndexes
    where !homes[index].changed.isEmpty || !homes[index].keyChanges.isEmpty { return false }
    return !relationships.hasChanges && misuses.isEmpty && pendingDeletions.isEmpty
      && merging.touched.isEmpty && !merging.hasNewcomers && !notices.isWatching
      && mail.mailbox?.isEmpty != false && !isSweepWorthwhile
  }

  /// Reports misuses and applies delete rules.
  func propagateChanges(beforeSave isSaving: Bool = false) throws(PerennialError) {
    try throwMisuses()
    try propagateDeletions(beforeSave: isSaving)
    try asConsequence { () throws(PerennialError) in try deriveFromRelated() }
  }

  /// Throws what setters and getters could not.
  private func throwMisuses() throws(PerennialError) {
    guard let error = PerennialError.combined(misuses) else { return }
    misuses = []
    throw error
  }

  /// Writes all changes to the store in one transaction.
  ///
  /// The order: delete rules; `willSave()`, again for objects that are changed meanwhile; the `validateFor…()`
  /// methods; constraints; the store; `didSave()`. After an error every change is still pending and nothing is
  /// written, with two exceptions. If the disk or the connection fails at the very end, everything may be written. Of
  /// several stores, those before the one that failed have saved. Saving again finds that out, and writes nothing
  /// twice.
  ///
  /// A save in a `prepareForDeletion()` first applies the delete rules that are left. If hooks that this calls save,
  /// too, the first save writes their changes with its own, when all rules have been applied.
  ///
  /// Core Data: `NSManagedObjectContext.save()`.
  ///
  /// - Throws: As ``processPendingChanges()``; validation errors (1550 to 1690; 1560 with `problems` for several),
  ///   conflicts (133020 and 133021) unless the merge policy resolves them, or the store's error.
  public func save() throws(PerennialError) {
    if lifecycle.isRunningHooks { throw .nestedSave() }
    // The save that has called this hook is to write everything, when all delete rules are applied.
    if pendingDeletions.pass == .inSaveOfHook { return try throwMisuses() }
    beginExplicitLoads()
    defer { endExplicitLoads() }
    defer {
      undoManager?.endEvent()
      releaseSavedOwners()
    }
    withoutUndo { receiveMail(hidingConflicts: false) }
    guard hasEdits || !misuses.isEmpty || !merging.watched.isEmpty else {
      merging.conflicts = []
      let released = forgetTraces()
      endEvent()
      return withExtendedLifetime(released) {}
    }
    merging.beginSave()
    try propagateChanges(beforeSave: true)
    try withoutUndo { () throws(PerennialError) in try catchUpWithParent() }
    endEvent()
    tellWillSave()
    try withoutUndo { () throws(PerennialError) in try callWillSave() }
    let time = Date()
    var attempt = 1
    while let obstacle = try writeAndAdopt(time, isFirstAttempt: attempt == 1) {
      try settle(obstacle, isLastAttempt: attempt > 20)
      attempt += 1
    }
    withoutUndo { receivePostponedMail() }
  }

  /// Writes the changes, and makes them the objects' committed state.
  ///
  /// - Returns: What hindered it, to be resolved before the next attempt; `nil` when they are saved.
  private func writeAndAdopt(
    _ time: Date,
    isFirstAttempt: Bool
  ) throws(PerennialError) -> SaveObstacle? {
    if parent != nil, try enforceConstraintsAmongChanges() {
      try propagateChanges(beforeSave: true)
    }
    let plan = try makePlan(of: validWork(time))
    if let obstacle = try write(plan) { return obstacle }
    let news = FamilyNews(of: self)
    // Resolved conflicts and computed values are not among what events have told.
    if !isFirstAttempt || !plan.changes.derivations.isEmpty {
      liveResults.note { $0.hasUnknown = true }
    }
    adoptAndTell(plan)
    news?.tell()
    return nil
  }

  /// Resolves the conflicts of a save as the merge policy says, and twins among the changes.
  private func settle(
    _ obstacle: SaveObstacle,
    isLastAttempt: Bool
  ) throws(PerennialError) {
    let conflicts = obstacle.conflicts
    let resolution = ConflictResolution(self, policy: mergePolicy, isSaving: true)
    var hasMerged = false
    do throws(PerennialError) {
      hasMerged = try enforceConstraintsAmongChanges()
    } catch {
      throw resolution.completed(error, with: conflicts)
    }
    if !hasMerged || isLastAttempt {
      if case .refusal(let error) = obstacle { throw error }
      try withoutUndo { () throws(PerennialError) in
        try resolution.resolve(conflicts, isLastAttempt: isLastAttempt)
      }
    }
    try propagateChanges(beforeSave: true)
  }

  /// Gives a change set to the store; after a failure all rows are private again.
  ///
  /// Twins among the changes are not looked for beforehand: the store sees them anyway.
  ///
  /// - Returns: `nil` when it is saved, else what hindered it.
  private func write(_ plan: SavePlan) throws(PerennialError) -> SaveObstacle? {
    var changes = plan.changes
    // No store has transient values, but a parent does.
    guard !changes.isEmpty || parent != nil && plan.hasUnstoredChanges else { return nil }
    changes.identifier = mail.unitOfWork ?? changes.identifier
    mail.unitOfWork = changes.identifier
    do throws(SaveFailure) {
      if let parent {
        try parent.receive(changes, from: self)
      } else {
        let save = try coordinator.save(changes, of: self)
        mail.knownSaves += 1
        mail.ownSaves?.append(save)
        if plan.storesAgain { mail.lastStoredAgain = save.number }
      }
      return nil
    } catch {
      defer { giveBack(plan) }
      switch error {
      case .failed(let error) where error.code != .managedObjectConstraintMerge: throw error
      case .failed(let error): return .refusal(error)
      case .conflicts(let conflicts): return .conflicts(conflicts.map(detached))
      }
    }
  }

  /// What hinders a save.
  private enum SaveObstacle {
    /// What is stored is not as expected.
    case conflicts([SaveConflict])
    /// The store refuses equal unique values: those of twins among the changes, if there are any.
    case refusal(PerennialError)

    var conflicts: [SaveConflict] {
      if case .conflicts(let conflicts) = self { conflicts } else { [] }
    }
  }

  /// Runs a closure and saves; when either throws, rolls back and rethrows.
  ///
  /// - Parameter body: What to do.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure or ``save()`` throws.
  public func persist<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      let result = try body()
      try save()
      return result
    } catch {
      rollback()
      throw error
    }
  }

  /// All objects with pending changes.
  var changedObjects: [ManagedObject] { homeIndexes.flatMap { homes[$0].changedObjects } }
}
