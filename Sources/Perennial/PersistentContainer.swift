// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialGraph
public import PerennialModel
public import PerennialStore

/// A model, its store and the contexts on it: what an app opens once and passes around.
///
/// ```swift
/// let container = try PersistentContainer(name: "Project38", entities: Commit.self, Author.self)
/// let newest = try await container.performBackgroundTask { context in
///   try context.first(Commit.sorted(by: \.date, .reverse))?.message
/// }
/// ```
///
/// A container is Sendable; its contexts and their objects are not.
///
/// Core Data: `NSPersistentContainer`.
public final class PersistentContainer: Sendable {
  /// The container's name, and the name of its store's file when no store is described.
  public let name: String
  /// The model.
  public let managedObjectModel: ManagedObjectModel
  /// The stores that are open.
  ///
  /// Core Data: `NSPersistentContainer.persistentStoreCoordinator`.
  public let persistentStoreCoordinator: PersistentStoreCoordinator

  let coordinator: StoreCoordinator
  private let worker = BackgroundWorker(name: "Perennial background")
  private let viewSlot: ViewContextSlot

  /// Opens the store of a model made of managed classes.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - entities: The managed classes, including every class that a relationship leads to; superclasses are added.
  ///   - store: The store to open; by default a SQLite file in the user's data folder.
  /// - Throws: `invalidModel` (134020), or why the store cannot be opened (134080, 134100 …).
  ///   The store's files are left as they are.
  public convenience init(
    name: String,
    entities: any ManagedEntity.Type...,
    store: StoreDescription? = nil
  ) throws(PerennialError) {
    try self.init(name: name, classes: entities, store: store)
  }

  /// Opens the store of a model made at run time; its objects are of class `ManagedObject`.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - model: The model.
  ///   - store: The store to open; by default a SQLite file in the user's data folder.
  /// - Throws: `invalidModel` (134020) for a rule or derivation that cannot be read, or why the store cannot be
  ///   opened (134080, 134100 …). The store's files are left as they are.
  public convenience init(
    name: String,
    model: ManagedObjectModel,
    store: StoreDescription? = nil
  ) throws(PerennialError) {
    try self.init(name: name, model: model, byEntityName: [:], store: store)
  }

  /// A container of managed classes with a store in memory, for tests and samples.
  ///
  /// - Parameter entities: The managed classes.
  /// - Returns: The container.
  /// - Throws: `invalidModel` (134020).
  public static func inMemory(
    _ entities: any ManagedEntity.Type...
  ) throws(PerennialError) -> PersistentContainer {
    try PersistentContainer(name: "In memory", classes: entities, store: .inMemory)
  }

  /// Opens the store of a model made of a list of managed classes.
  package convenience init(
    name: String,
    classes: [ManagedObject.Type],
    store: StoreDescription?
  ) throws(PerennialError) {
    let classes = ManagedClasses(classes)
    let model = try ManagedObjectModel.shared(classes.descriptions)
    try self.init(name: name, model: model, byEntityName: classes.byEntityName, store: store)
  }

  convenience init(
    name: String,
    model: ManagedObjectModel,
    byEntityName classes: [String: ManagedObject.Type],
    store: StoreDescription?
  ) throws(PerennialError) {
    let description: StoreDescription
    if let store {
      description = store
    } else {
      description = .sqlite(try DefaultLocation.file(named: name))
    }
    try self.init(name, model, classes, [description])
  }

  init(_ name: String, _ stores: PersistentStoreCoordinator) {
    let coordinator = stores.coordinator
    self.name = name
    managedObjectModel = stores.managedObjectModel
    persistentStoreCoordinator = stores
    self.coordinator = coordinator
    viewSlot = ViewContextSlot(coordinator)
  }

  /// The description of the store, or of the first one of several; that of a store in memory when there is none.
  public var storeDescription: StoreDescription {
    let first = persistentStoreCoordinator.persistentStores.first
    return first.flatMap { persistentStoreCoordinator.description(of: $0) } ?? .inMemory
  }

  /// What all contexts have asked of the store so far: for tests, above all.
  ///
  /// ```swift
  /// let before = container.counters
  /// _ = try context.fetch(Commit.all.prefetching(\.author)).map(\.author?.name)
  /// #expect((container.counters - before).statements == 2)
  /// ```
  ///
  /// Opening the store does not count. For a single context, see ``ManagedObjectContext/faultStatistics``.
  public var counters: StoreCounters { coordinator.counters }

  /// The store's identifier, as in ``PersistentHistoryTransaction/storeID`` and ``FetchRequest/affectedStores``.
  ///
  /// With several stores, it is that of the first one: see ``persistentStoreCoordinator``.
  public var storeID: UUID {
    persistentStoreCoordinator.persistentStores.first?.identifier ?? coordinator.store.identifier
  }

  /// The context of the main actor.
  ///
  /// It merges what other contexts save, soon after the save, unless
  /// ``ManagedObjectContext/automaticallyMergesChangesFromParent`` is set to `false`. (Core Data's view context
  /// merges only when it is set to `true`.) Its objects take part in Observation, it posts notifications with
  /// objects, and it ends an event by itself as soon as the main actor is free.
  ///
  /// Core Data: `NSPersistentContainer.viewContext`.
  @MainActor public var viewContext: ManagedObjectContext { viewSlot.context }

  /// A new context for the caller to keep, for instance in an actor.
  ///
  /// The context belongs to the actor that makes it and stays there. If it is set to merge what others save
  /// (``ManagedObjectContext/automaticallyMergesChangesFromParent``), a job on that actor merges it, soon after the
  /// save. A context that no actor makes, or that an actor's synchronous initialiser makes, merges when it is used.
  ///
  /// Its saves block the thread that calls them. Use ``performBackgroundTask(_:)`` where that must
  /// not be a thread of the concurrency pool.
  ///
  /// Core Data: `NSPersistentContainer.newBackgroundContext()`.
  ///
  /// - Parameter isolation: The actor that the context belongs to: the caller's.
  /// - Returns: The context.
  public func newBackgroundContext(
    isolation: isolated (any Actor)? = #isolation
  ) -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator: coordinator)
    context.receivesMail(on: isolation)
    return context
  }

  /// Every save from now on, of any context of this container, in the order of the saves.
  ///
  /// ```swift
  /// for await save in container.saves where save.author != "importer" {
  ///   context.mergeChanges(fromContextDidSave: save)
  /// }
  /// ```
  ///
  /// The values are Sendable. Each holds the rows that were saved, until you let go of it. A reader that falls
  /// 1,000 saves behind loses the oldest ones: the numbers of the saves then have a gap. There is also a gap where
  /// nobody can name the objects: for batch requests that the store carries out by itself, and for what others have
  /// written when its history is gone or cannot be read.
  public var saves: AsyncStream<CommittedChanges> { coordinator.saves() }

  /// Every write of others to the store from now on: by another process, or by another container.
  ///
  /// ```swift
  /// for await change in container.remoteChanges {
  ///   print("written by somebody else, history up to", change.historyToken as Any)
  /// }
  /// ```
  ///
  /// There are values only if `remoteChangeInterval` of the store's description is set. If the store keeps a
  /// history, or is a JSON store, contexts that merge by themselves then merge what others have saved, and
  /// ``saves`` has it, too. A reader that is late gets only the newest value.
  ///
  /// Core Data: `NSPersistentStoreRemoteChange`, which is also posted for the container's own saves;
  /// ``PersistentStoreRemoteChange/notification`` is posted when there is a value here.
  public var remoteChanges: AsyncStream<PersistentStoreRemoteChange> {
    coordinator.remoteChanges()
  }

  /// The place in the store's history after everything that is saved; `nil` when the store keeps no history.
  ///
  /// Core Data: `currentPersistentHistoryToken(fromStores:)`.
  ///
  /// - Parameter storeID: The store's identifier; `nil` for the first store that keeps a history.
  /// - Returns: The place.
  /// - Throws: The store's error.
  public func currentPersistentHistoryToken(
    of storeID: UUID? = nil
  ) throws(PerennialError) -> PersistentHistoryToken? {
    try coordinator.historyToken(of: storeID)
  }

  /// Runs a closure with a new context on the container's own thread.
  ///
  /// Tasks run one after the other. They never occupy a thread of the concurrency pool, so that a
  /// save completes however busy the pool is. Neither the context nor its objects can leave the
  /// closure; IDs, numbers and snapshots can.
  ///
  /// Core Data: `NSPersistentContainer.performBackgroundTask(_:)`.
  ///
  /// - Parameter body: What to do.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws, or `CancellationError` when the task was cancelled before the closure
  ///   began, also while it waited for its turn. The closure does not run then.
  @discardableResult
  public func performBackgroundTask<Result>(
    _ body: sending @escaping (ManagedObjectContext) throws -> sending Result
  ) async throws -> sending Result {
    try Task.checkCancellation()
    let coordinator = coordinator
    return try await worker.run { try body(ManagedObjectContext(coordinator: coordinator)) }
  }
}

/// Holds the view context where only the main actor reaches it.
@MainActor
private final class ViewContextSlot {
  let coordinator: StoreCoordinator
  lazy var context: ManagedObjectContext = {
    let context = ManagedObjectContext(coordinator: coordinator)
    context.name = "the view context"
    context.receivesMailOnMainActor()
    context.automaticallyMergesChangesFromParent = true
    context.isObserving = true
    context.notificationPosting = .objects
    context.endsEvents { [weak self] in
      Task { @MainActor in self?.context.endEventByItself() }
    }
    return context
  }()

  nonisolated init(_ coordinator: StoreCoordinator) { self.coordinator = coordinator }
}
