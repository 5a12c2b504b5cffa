// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialGraph
public import PerennialModel
public import PerennialStore

extension PersistentContainer {
  /// Opens the store of a model made of managed classes, on a thread of its own.
  ///
  /// ```swift
  /// let container = try await PersistentContainer.open(
  ///   name: "Library", entities: Book.self, Writer.self)
  /// ```
  ///
  /// Opening a large store may take a while: it is checked, migrated if the model has changed, gets the indexes that
  /// the model has gained, and is analysed or written anew if its description says so. Cancelling the task cancels
  /// a migration, which leaves the store as it was. Neither the caller's actor nor a thread of the
  /// concurrency pool waits meanwhile.
  ///
  /// Core Data: `loadPersistentStores(completionHandler:)` with `shouldAddStoreAsynchronously`.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - entities: The managed classes, including every class that a relationship leads to.
  ///   - store: The store to open; by default a SQLite file in the user's data folder.
  /// - Returns: The container.
  /// - Throws: As ``init(name:entities:store:)``, or `CancellationError` when the task was cancelled before
  ///   opening began.
  public static func open(
    name: String,
    entities: any ManagedEntity.Type...,
    store: StoreDescription? = nil
  ) async throws -> PersistentContainer {
    try Task.checkCancellation()
    var store = store
    let progress = store?.followMigration() ?? Progress(totalUnitCount: 0)
    return try await withTaskCancellationHandler {
      try await BackgroundWorker(name: "Perennial opening").run { [store] in
        try PersistentContainer(name: name, classes: entities, store: store)
      }
    } onCancel: {
      progress.cancel()
    }
  }

  /// Opens the stores of a model made at run time, on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - model: The model.
  ///   - stores: The stores. A new object goes to the first one that keeps its entity.
  /// - Returns: The container.
  /// - Throws: As ``init(name:model:stores:)``, or `CancellationError` when the task was cancelled before
  ///   opening began.
  public static func open(
    name: String,
    model: ManagedObjectModel,
    stores: [StoreDescription]
  ) async throws -> PersistentContainer {
    try Task.checkCancellation()
    var stores = stores
    let progresses = stores.indices.map { stores[$0].followMigration() }
    return try await withTaskCancellationHandler {
      try await BackgroundWorker(name: "Perennial opening").run { [stores] in
        try PersistentContainer(name: name, model: model, stores: stores)
      }
    } onCancel: {
      for progress in progresses { progress.cancel() }
    }
  }
}

extension StoreDescription {
  /// The progress of the store's migration: that of the program, or one of its own.
  fileprivate mutating func followMigration() -> Progress {
    if let progress = migration.progress { return progress }
    let progress = Progress(totalUnitCount: 0)
    migration.progress = progress
    return progress
  }
}
