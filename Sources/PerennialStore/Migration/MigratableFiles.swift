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
/// 4. ``keep(_:as:_:)``, if the program wants a backup.
/// 5. ``put(_:over:previous:_:)``: the draft gets the store's name, in one step. If the store cannot be opened
///    then, the same step brings the previous one back.
/// 6. ``removeLargeValues(_:beside:)``: what only the previous one named goes.
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
  /// It does not wait: whoever migrates tries again.
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
  /// - Throws: `migrationConstraintViolation` (134111) when objects share the values of a new constraint,
  ///   `migrationCancelled` (134120), or the store's error.
  func migrate(
    _ url: URL,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor
  ) throws(PerennialError)

  /// Copies a locked store to a place of its own, with its large values; a store that is there is replaced.
  ///
  /// - Throws: The store's error; nothing is changed then.
  func keep(_ url: URL, as backup: URL, _ lock: any MigrationLock) throws(PerennialError)

  /// Gives a file the name of a locked store, after it has been written to the disk.
  ///
  /// - Parameters:
  ///   - file: A draft's file, or what there was before it.
  ///   - url: The store.
  ///   - previous: What the store is called from then on; `nil` when it may go.
  ///   - lock: The store's lock.
  /// - Throws: The store's error; what has the store's name then is the one or the other.
  func put(
    _ file: URL,
    over url: URL,
    previous: URL?,
    _ lock: any MigrationLock
  ) throws(PerennialError)

  /// The names of the large values beside a store that a migration has to clean up; nobody saves it.
  ///
  /// - Returns: The names; `nil` when another store may have values in the same folder: none may then be deleted.
  /// - Throws: Why that cannot be told: none may then be deleted.
  func largeValues(beside url: URL) throws(PerennialError) -> Set<String>?

  /// Those of them that the rows of a draft name.
  ///
  /// - Throws: The store's error.
  func largeValues(
    namedBy draft: URL,
    _ model: ModelLayout
  ) throws(PerennialError) -> Set<String>

  /// Deletes large values beside a store; one that cannot be deleted only takes room.
  func removeLargeValues(_ names: Set<String>, beside url: URL)

  /// Whether another store would have its large values in the same folder as a store.
  func sharesLargeValues(_ other: URL, with url: URL) -> Bool
}

extension MigratableFiles {
  package func largeValues(beside url: URL) throws(PerennialError) -> Set<String>? { [] }

  package func largeValues(
    namedBy draft: URL,
    _ model: ModelLayout
  ) throws(PerennialError) -> Set<String> { [] }

  package func removeLargeValues(_ names: Set<String>, beside url: URL) {}

  package func sharesLargeValues(_ other: URL, with url: URL) -> Bool { false }
}

/// Keeps everybody else away from a store while it lives.
package protocol MigrationLock: AnyObject {}
