// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// Stores in files that can be migrated: on a draft, which takes the store's place at the end.
///
/// A migration goes like this, and whoever ends in the middle leaves the store as it was:
///
/// 1. ``lockForMigration(at:)``: nobody else has the store open, or opens it, until the lock goes.
/// 2. ``makeDraft(of:in:_:)``: a copy in a folder of its own. Large values are not copied: they never change,
///    and those of a draft are those of its store.
/// 3. ``migrate(_:_:_:)`` and whatever the program does with the draft, which is a store like another.
/// 4. ``put(_:over:backup:_:)``: the draft gets the store's name, in one step.
package protocol MigratableFiles: StoreFiles {
  /// What a store says of its model. Nothing is changed or locked.
  ///
  /// - Parameters:
  ///   - url: The store.
  ///   - known: Models that it may be of, if it does not hold its own.
  /// - Returns: What it says.
  /// - Throws: `persistentStoreOpen` when the file is no store.
  func storedModel(
    at url: URL,
    among known: [ManagedObjectModel]
  ) throws(PerennialError) -> StoredModel

  /// Sees that nobody else has a store open, and keeps it so.
  ///
  /// - Returns: The lock: it ends when it is let go.
  /// - Throws: `persistentStoreTimeout` when somebody has the store open.
  func lockForMigration(at url: URL) throws(PerennialError) -> any MigrationLock

  /// Copies a locked store into a draft's folder, which is there.
  func makeDraft(
    of url: URL,
    in draft: StoreDraft,
    _ lock: any MigrationLock
  ) throws(PerennialError)

  /// Makes a store that nobody else knows fit another model, as far as that needs no code.
  ///
  /// Properties that need code get their default values, or none. Constraints are checked; required values are
  /// not. After a failure the file is of no use any more.
  ///
  /// - Throws: `migrationConstraintViolation` (134,111) when objects share the values of a new constraint,
  ///   `migrationCancelled` (134,120), or the store's error.
  func migrate(
    _ url: URL,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor
  ) throws(PerennialError)

  /// Gives a draft the name of a locked store, after it has been written to the disk.
  ///
  /// The store gets the name `backup`, in its folder, if it is to be kept.
  func put(
    _ draft: StoreDraft,
    over url: URL,
    backup: URL?,
    _ lock: any MigrationLock
  ) throws(PerennialError)
}

/// Keeps everybody else away from a store while it lives.
package protocol MigrationLock: AnyObject {}
