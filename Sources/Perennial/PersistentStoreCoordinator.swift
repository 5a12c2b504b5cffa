// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
package import PerennialGraph
public import PerennialModel
public import PerennialStore
import Synchronization

/// Any number of stores of one model, and what can be done with stores that are not open.
///
/// ```swift
/// let coordinator = try PersistentStoreCoordinator(model: model)
/// try coordinator.addPersistentStore(.sqlite(library))
/// let drafts = try coordinator.addPersistentStore(.inMemory)
/// let container = PersistentContainer(name: "Library", coordinator: coordinator)
/// ```
///
/// Contexts see the objects of all stores as one. A new object goes to the first store that keeps its entity,
/// unless `ManagedObjectContext.assign(_:to:)` says otherwise. Objects of different stores cannot be related. A
/// save over several stores is all or nothing in each store, not across all of them: everything is checked before
/// anything is written, yet a disk that fails in between leaves the first stores saved. The context keeps its
/// changes then, and saving again completes the save.
///
/// Every store has tables for all entities of the model, whatever its configuration.
///
/// Core Data: `NSPersistentStoreCoordinator`.
public final class PersistentStoreCoordinator: Sendable {
  /// A store that a coordinator has open.
  ///
  /// Core Data: `NSPersistentStore`.
  public struct Store: Sendable, Hashable {
    /// The store's identifier, which never changes: for ``FetchRequest/affectedStores``, and as the owner in the
    /// IDs of the store's objects.
    public let identifier: UUID
    /// The store's file, or its address without the password; `nil` for a store in memory or of
    /// your own.
    public let url: URL?
    /// The kind of store: `SQLite`, `InMemory` and so on.
    public let type: String
    /// The name of the configuration whose entities the store keeps; `nil` for all entities.
    public let configurationName: String?
    /// Whether the store was opened for reading only.
    public let isReadOnly: Bool
  }

  /// A store and how it was opened.
  struct Entry: Sendable {
    let store: Store
    let description: StoreDescription
    /// Looks for what others write to the store.
    let watcher: ChangeWatcher?
  }

  /// The model.
  public let managedObjectModel: ManagedObjectModel
  let coordinator: StoreCoordinator
  private let classes: [String: ManagedObject.Type]
  private let entries: Mutex<[Entry]>

  /// A coordinator without stores, for objects of class `ManagedObject`.
  ///
  /// - Parameter model: The model.
  /// - Throws: `invalidModel` (134020) for a rule or derivation that cannot be read.
  public convenience init(model: ManagedObjectModel) throws(PerennialError) {
    try self.init(model: model, classes: [:], log: .ofProcess)
  }

  /// A coordinator without stores, for managed classes.
  ///
  /// - Parameters:
  ///   - entities: The managed classes, including every class that a relationship leads to.
  ///   - configurations: The managed classes of every configuration.
  /// - Throws: `invalidModel` (134020).
  public convenience init(
    entities: any ManagedEntity.Type...,
    configurations: [String: [any ManagedEntity.Type]] = [:]
  ) throws(PerennialError) {
    try self.init(classes: entities, configurations: configurations)
  }

  /// A coordinator without stores, for a list of managed classes.
  package convenience init(
    classes: [any ManagedEntity.Type],
    configurations: [String: [any ManagedEntity.Type]]
  ) throws(PerennialError) {
    let classes = ManagedClasses(classes)
    let model = try classes.model(configurations)
    try self.init(model: model, classes: classes.byEntityName, log: .ofProcess)
  }

  init(
    model: ManagedObjectModel,
    classes: [String: ManagedObject.Type],
    log: EventLog,
    stores: [StoreDescription] = []
  ) throws(PerennialError) {
    try StoreCoordinator.check(model)
    ModelWarnings.tell(model, log)
    managedObjectModel = model
    self.classes = classes
    let combined = CombinedStore(model: model.layout)
    var opened: [any RowStore] = []
    for description in stores {
      let newcomer = try Self.open(description, model, classes)
      try combined.add(newcomer)
      opened.append(newcomer.store)
    }
    let coordinator = StoreCoordinator(store: combined, classes: classes, log: log)
    self.coordinator = coordinator
    var entries: [Entry] = []
    for (store, description) in zip(opened, stores) {
      entries.append(try Self.entry(of: store, description, coordinator))
    }
    self.entries = Mutex(entries)
  }

  /// The coordinator of one store, which is its own for good.
  init(
    only description: StoreDescription,
    model: ManagedObjectModel,
    classes: [String: ManagedObject.Type]
  ) throws(PerennialError) {
    try StoreCoordinator.check(model)
    let log = EventLog(description)
    ModelWarnings.tell(model, log)
    let opened = try StoreOpening.open(
      description,
      model: model.layout,
      classes: classes,
      log: log
    )
    let coordinator = StoreCoordinator(store: opened, classes: classes, log: log)
    managedObjectModel = model
    self.classes = classes
    self.coordinator = coordinator
    let entry = try Self.entry(of: opened, description, coordinator)
    entries = Mutex([entry])
  }

  // MARK: Stores

  /// The stores, in the order in which they were added; a new store from ``migratePersistentStore(_:to:)`` has the
  /// place of the old one.
  public var persistentStores: [Store] { entries.withLock { $0.map(\.store) } }

  /// The store of a file or address, if it is open here; a password does not matter.
  ///
  /// Core Data: `persistentStore(for:)`.
  ///
  /// - Parameter url: The file or the address; paths are standardised before they are compared.
  /// - Returns: The first such store; `nil` when there is none.
  public func persistentStore(for url: URL) -> Store? {
    let url = url.withoutPassword.standardizedFileURL
    return persistentStores.first { $0.url?.standardizedFileURL == url }
  }

  /// The store that an ID's object is in, if it is open here.
  ///
  /// Core Data: `NSManagedObjectID.persistentStore`.
  ///
  /// - Parameter id: The ID.
  /// - Returns: The store; `nil` for a temporary ID, and when the store is not open here.
  public func persistentStore(for id: ManagedObjectID) -> Store? {
    id.storeID.flatMap { storeID in persistentStores.first { $0.identifier == storeID } }
  }

  /// The file of a store, or its address without the password.
  ///
  /// Core Data: `url(for:)`.
  ///
  /// - Parameter store: A store, open here or not.
  /// - Returns: What its description says; `nil` for a store in memory, and for one of your own.
  public func url(for store: Store) -> URL? { store.url }

  /// The description with which a store was opened; `nil` when the store is not open here.
  ///
  /// - Parameter store: One of ``persistentStores``.
  /// - Returns: The description, its address without the password; or `nil`.
  public func description(of store: Store) -> StoreDescription? {
    entries.withLock { $0.first { $0.store == store }?.description }
  }

  /// Opens a store, or creates it.
  ///
  /// Contexts that exist already see its objects.
  ///
  /// Core Data: `addPersistentStore(with:)`.
  ///
  /// - Parameter description: The store.
  /// - Returns: The store.
  /// - Throws: Why the store cannot be opened (134080, 134100 …); `persistentStoreOpen` also for a configuration
  ///   that the model does not have, a store that is open here already, and a coordinator that belongs to a
  ///   container of one store.
  @discardableResult
  public func addPersistentStore(
    _ description: StoreDescription
  ) throws(PerennialError) -> Store {
    guard let combined = coordinator.combined else { throw .oneStoreOnly }
    let opening = try open(description)
    try combined.add(opening.member)
    note(opening.entry, replacing: nil)
    return opening.entry.store
  }

  /// A store that has been opened and is not here yet.
  struct Opening: Sendable {
    let member: CombinedStore.Newcomer
    let entry: Entry
  }

  func open(_ description: StoreDescription) throws(PerennialError) -> Opening {
    let member = try Self.open(description, managedObjectModel, classes)
    return Opening(
      member: member,
      entry: try Self.entry(of: member.store, description, coordinator)
    )
  }

  /// Notes a store that has been added, and forgets one that has been taken away.
  func note(_ entry: Entry?, replacing store: Store?) {
    // The end of a watcher waits for its thread, which may ask for the stores: not under the lock.
    let gone = entries.withLock { entries in
      let index = entries.firstIndex { $0.store == store }
      let gone = index.map { entries.remove(at: $0) }
      if let entry { entries.insert(entry, at: index ?? entries.endIndex) }
      return gone
    }
    withExtendedLifetime(gone) {}
    coordinator.forgetRows()
  }

  private static func entry(
    of opened: any RowStore,
    _ description: StoreDescription,
    _ coordinator: StoreCoordinator
  ) throws(PerennialError) -> Entry {
    let watcher = try description.remoteChangeInterval.flatMap {
      interval throws(PerennialError) in
      try RemoteChangeWatching.watcher(
        of: opened,
        telling: coordinator,
        url: description.url,
        interval: interval
      )
    }
    return Entry(store: Store(opened, description), description: description, watcher: watcher)
  }

  private static func open(
    _ description: StoreDescription,
    _ model: ManagedObjectModel,
    _ classes: [String: ManagedObject.Type]
  ) throws(PerennialError) -> CombinedStore.Newcomer {
    guard let entities = model.places(forConfiguration: description.configuration) else {
      throw .noConfiguration(description.configuration ?? "", model)
    }
    let store = try StoreOpening.open(
      description,
      model: model.layout,
      classes: classes,
      log: EventLog(description)
    )
    return CombinedStore.Newcomer(store, entities: entities, isReadOnly: description.isReadOnly)
  }

  /// Removes a store, and closes it as soon as nobody reads it any more.
  ///
  /// Its objects are gone for every context: faults read as empty, and changes of its objects cannot be saved.
  ///
  /// Core Data: `remove(_:)`.
  ///
  /// - Parameter store: The store.
  /// - Throws: `persistentStoreOpen` (134080) when the store is not open here, and for a coordinator that belongs
  ///   to a container of one store.
  public func remove(_ store: Store) throws(PerennialError) {
    guard let combined = coordinator.combined else { throw .oneStoreOnly }
    guard combined.remove(store.identifier) else { throw .notHere }
    note(nil, replacing: store)
  }

  /// The ID that a URI names, if its store is here and its entity is in the model.
  ///
  /// Core Data: `managedObjectID(forURIRepresentation:)`.
  ///
  /// - Parameter uri: A URI made by ``ManagedObjectID/uriRepresentation``.
  /// - Returns: The ID; whether such an object exists is not checked.
  public func managedObjectID(forURIRepresentation uri: URL) -> ManagedObjectID? {
    guard let id = ManagedObjectID(uriRepresentation: uri), !id.isTemporaryID,
      managedObjectModel.layout.entitiesByName[id.entityName] != nil,
      persistentStores.contains(where: { $0.identifier == id.owner })
    else { return nil }
    return id
  }

  /// The open store of a description of one.
  func opened(_ store: Store) throws(PerennialError) -> any RowStore {
    if let combined = coordinator.combined {
      guard let member = combined.members.first(where: { $0.store.identifier == store.identifier })
      else { throw .notHere }
      return member.store
    }
    guard coordinator.store.identifier == store.identifier else { throw .notHere }
    return coordinator.store
  }
}

extension PersistentStoreCoordinator.Store {
  init(_ store: any RowStore, _ description: StoreDescription) {
    self.init(
      identifier: store.identifier,
      url: description.url,
      type: StoreOpening.type(of: description),
      configurationName: description.configuration,
      isReadOnly: description.isReadOnly
    )
  }
}

extension PerennialError {
  static var oneStoreOnly: PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The coordinator belongs to a container of one store.",
      recovery: "make a PersistentStoreCoordinator, add its stores, and make the container with it"
    )
  }

  fileprivate static var notHere: PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The coordinator does not have the store.",
      recovery: "use one of its 'persistentStores'"
    )
  }

  static func noConfiguration(
    _ name: String,
    _ model: ManagedObjectModel
  ) -> PerennialError {
    PerennialError(
      .persistentStoreOpen,
      "The model has no configuration '\(name)'.",
      recovery: model.configurations.isEmpty
        ? "list its entities under that name in 'configurations'"
        : suggestion(for: name, among: model.configurations)
    )
  }
}
