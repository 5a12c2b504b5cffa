// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

// What the context's observers are told of besides inserted, updated and deleted objects.

extension ManagedObjectContext {
  /// Notes that an object's values were replaced by newer ones from outside: a refresh or a merge.
  func noteRefreshed(_ object: ManagedObject) {}

  /// Notes that an object was forgotten or that its row is gone.
  func noteInvalidated(_ object: ManagedObject) {}

  /// Notes that a save is done: its rows are the objects' committed ones, `didSave` was called.
  func noteSaved(_ save: CommittedChanges) {}

  /// Notes that changes from outside were merged, and every object was told.
  func noteMerged(_ changes: MergedChanges) {}
}
