// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObject {
  /// What the model says against the object's values; the base of `validateForInsert()`.
  final func _validateValues() throws(PerennialError) {
    guard let home = _home else { return }
    if let row = _row, home.pointee.rowCheck.isPassed(by: row) { return }
    let context = home.pointee.context
    var problems: [PerennialError] = []
    if _edit == nil, context.lifecycle.isCheckingOwners {
      try Validation.checkMembers(of: self, in: context, &problems)
    } else {
      try Validation.check(self, in: context, &problems)
    }
    if let error = PerennialError.combined(problems) { throw error }
  }

  /// Adds the numbers and dates that no store keeps as they are: all that a batch request is always checked for.
  final func _checkNumbers(_ problems: inout [PerennialError]) {
    guard let home = _home, let row = _row, !home.pointee.rowCheck.isPassed(by: row) else { return }
    Validation.checkNumbers(of: self, row, home.pointee.layout, &problems)
  }

  /// The deny rules that forbid the object's deletion; the base of `validateForDelete()`.
  final func _validateDeletion() throws(PerennialError) {
    guard let context = _home?.pointee.context else { return }
    if let error = PerennialError.combined(try context.denials(of: self)) { throw error }
  }

  /// Runs the check of a state, and adds what it throws.
  ///
  /// - Parameters:
  ///   - state: The object's state; none has no check.
  ///   - problems: Takes what is wrong with the object.
  /// - Throws: What has nothing to do with the values, such as an error of the store.
  final func _validate(
    as state: EditRecord.State?,
    _ problems: inout [PerennialError]
  ) throws(PerennialError) {
    guard let state else { return }
    let function: String
    do {
      switch state {
      case .inserted:
        function = "validateForInsert()"
        try validateForInsert()
      case .updated:
        function = "validateForUpdate()"
        try validateForUpdate()
      case .deleted, .deletedInsertion:
        function = "validateForDelete()"
        try validateForDelete()
      }
      return
    } catch let error as PerennialError {
      guard PerennialError.validation ~= error else { throw error }
      problems += error.problems.isEmpty ? [error] : error.problems
    } catch {
      problems.append(.refused(self, by: function, error))
    }
  }
}

extension ManagedObjectContext {
  /// Finds everything that would keep the changes from being saved, without saving them.
  ///
  /// The checks are those of ``save()``: the model's rules, delete rules, and the `validateFor…()`
  /// methods of the changed objects and of owners of changed members. Delete rules are applied
  /// first, as before a fetch. `willSave()` is not called, and the store is not asked about uniqueness.
  ///
  /// ```swift
  /// for problem in try context.validate() { print(problem.message) }
  /// ```
  ///
  /// - Returns: The problems, each with its entity, property and object; empty when there are none.
  /// - Throws: What ``processPendingChanges()`` throws, or an error of the store.
  public func validate() throws(PerennialError) -> [PerennialError] {
    beginExplicitLoads()
    defer { endExplicitLoads() }
    try processPendingChanges()
    var problems: [PerennialError] = []
    let changed = changedObjects
    for object in changed { try object._validate(as: object._state, &problems) }
    try checkOwners(&problems)
    checkReferences(to: changed, &problems)
    return problems
  }
}
