// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
public import PerennialStore

/// What a program declares about the migration of a store that it opens.
///
/// Most programs need to declare nothing: additions, renamings and whatever else loses nothing are done without it,
/// on a copy that takes the store's place when it is complete. Loss has to be allowed, and changes that cannot be
/// inferred need code:
///
/// ```swift
/// var store = StoreDescription.sqlite(url)
/// store.migration.stages = [
///   .custom(from: version1, to: version2, label: "split names") { migration in
///     try migration.forEach("Person") { old, new in
///       let name = try old.value(forKey: "name") as? String ?? ""
///       let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
///       try new.setValue(parts.first, forKey: "first")
///       try new.setValue(parts.last, forKey: "last")
///     }
///   }
/// ]
/// ```
///
/// Core Data: the options of `NSPersistentStoreDescription` and `NSStagedMigrationManager`.
public struct Migration: Sendable {
  /// Earlier versions of the model.
  ///
  /// A store that Perennial has written holds its model. The model in a store that Core Data has written is not
  /// looked at here: name it, or read it with `PerennialModelCache`. Changes from these models may lose what a
  /// removed property or entity held, because the program knows both sides.
  public var earlierModels: [ManagedObjectModel] = []
  /// Whether a migration may lose something when the program does not know the store's old model.
  ///
  /// Without it, a program that is older than a store cannot take away what a newer one has added. Nor are large
  /// values dropped whose files are missing, when their attribute may no longer keep values in files.
  public var allowsLoss = false
  /// Steps from one model to the next; a store begins with the step whose first model is its own.
  ///
  /// What remains after the stages is inferred, and so is everything for a store of a later model than theirs. If a
  /// store's model is none of theirs, Perennial guesses by the number of differences whether it is later, or
  /// earlier and refused: let the stages begin with the oldest model that is in use.
  ///
  /// Core Data: `NSStagedMigrationManager.stages`.
  public var stages: [MigrationStage] = []
  /// What happens to objects that share values which a new uniqueness constraint forbids.
  public var deduplications: [Deduplication] = []
  /// Where to keep a copy of the store as it was before, with its large values.
  ///
  /// A store that is there is replaced. With `nil`, the former store is kept only until the migrated one has been
  /// opened.
  public var backup: URL?
  /// Shows how far a migration has come; cancelling it ends the migration.
  ///
  /// After it is cancelled, the store is as it was, and opening it throws `migrationCancelled` (134120). A
  /// progress that another migration has finished begins anew.
  public var progress: Progress?
  /// Called with the plan of every step before anything is done.
  ///
  /// If it throws, opening the store throws: a `PerennialError` as it is, another error as `underlying` of
  /// `migration` (134110).
  public var willMigrate: (@Sendable (MigrationPlan) throws -> Void)?

  /// A migration that loses nothing and needs no code.
  public init() {}
}

extension StoreDescription {
  /// How a store of an earlier version of the model is migrated.
  public var migration: Migration {
    get { migrationOptions as? Migration ?? Migration() }
    set { migrationOptions = newValue }
  }
}
