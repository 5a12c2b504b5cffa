// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

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
  /// Opening a large store may take a while: it is checked, gets the indexes that the model has gained, and is
  /// analysed or written anew if its description says so. Neither the caller's actor nor a thread of the
  /// concurrency pool waits meanwhile.
  ///
  /// Core Data: `loadPersistentStores(completionHandler:)` with `shouldAddStoreAsynchronously`.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - entities: The managed classes, every one that a relationship leads to among them.
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
    return try await BackgroundWorker(name: "Perennial opening").run {
      try PersistentContainer(name: name, classes: entities, store: store)
    }
  }

  /// Opens the stores of a model made at run time, on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - model: The model.
  ///   - stores: The stores, the one that gets new objects first.
  /// - Returns: The container.
  /// - Throws: As ``init(name:model:stores:)``, or `CancellationError` when the task was cancelled before
  ///   opening began.
  public static func open(
    name: String,
    model: ManagedObjectModel,
    stores: [StoreDescription]
  ) async throws -> PersistentContainer {
    try Task.checkCancellation()
    return try await BackgroundWorker(name: "Perennial opening").run {
      try PersistentContainer(name: name, model: model, stores: stores)
    }
  }
}
