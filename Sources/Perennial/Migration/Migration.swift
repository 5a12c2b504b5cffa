// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
public import PerennialStore

/// What a program says of migrating a store when it is opened.
///
/// Most programs need say nothing: additions, renamings and whatever else loses nothing is done by itself, on a
/// copy that takes the store's place when it is whole. Loss has to be allowed, and changes that cannot be inferred
/// need code:
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
  /// A store that Perennial has written holds its model. The model in one that Core Data has written is not
  /// looked at here: name it, or read it with `PerennialModelCache`. Changes from these models may lose what
  /// a removed property or entity held: the program knows both sides.
  public var earlierModels: [ManagedObjectModel] = []
  /// Whether a store whose model only the store itself tells may lose something.
  ///
  /// Without it a program that is older than a store cannot take away what a newer one has added. Nor do large values
  /// whose files are missing become nothing when their attribute may no longer have files.
  public var allowsLoss = false
  /// Steps from one model to the next; a store begins with the one whose first model is its own.
  ///
  /// What remains after them is inferred, and so is everything for a store of a later model than theirs. Whether a
  /// model that is none of theirs is later, or earlier and refused, is guessed by how much it differs: let the
  /// stages begin with the oldest model that is in use.
  ///
  /// Core Data: `NSStagedMigrationManager.stages`.
  public var stages: [MigrationStage] = []
  /// What becomes of objects that share values which a new uniqueness constraint forbids.
  public var deduplications: [Deduplication] = []
  /// Where a copy of the store as it was before stays, with its large values.
  ///
  /// A store that is there is replaced. With `nil`, what was before is kept until the migrated store has been
  /// opened.
  public var backup: URL?
  /// Is told how far a migration is, and ends it when it is cancelled.
  ///
  /// Then the store is as it was, and opening it is `migrationCancelled` (134,120). A progress that another
  /// migration has finished begins anew.
  public var progress: Progress?
  /// Sees the plan of every step before anything is done; what it throws, opening throws.
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
