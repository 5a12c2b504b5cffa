// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialGraph
public import PerennialModel
public import PerennialStore

// Containers of several stores.

extension PersistentContainer {
  /// Opens several stores of one model made of managed classes.
  ///
  /// ```swift
  /// var cache = StoreDescription.inMemory
  /// cache.configuration = "Cache"
  /// let container = try PersistentContainer(
  ///   name: "Library", entities: Book.self, Cover.self, configurations: ["Cache": [Cover.self]],
  ///   stores: [.sqlite(url), cache])
  /// ```
  ///
  /// ``PersistentStoreCoordinator`` says how several stores work together.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - entities: The managed classes, including every class that a relationship leads to.
  ///   - configurations: The managed classes of every configuration.
  ///   - stores: The stores. A new object goes to the first one that keeps its entity.
  /// - Throws: `invalidModel` (134020), or why a store cannot be opened (134080, 134100 …).
  public convenience init(
    name: String,
    entities: any ManagedEntity.Type...,
    configurations: [String: [any ManagedEntity.Type]] = [:],
    stores: [StoreDescription]
  ) throws(PerennialError) {
    let classes = ManagedClasses(entities)
    let model = try classes.model(configurations)
    try self.init(name, model, classes.byEntityName, stores)
  }

  /// Opens several stores of a model made at run time.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - model: The model, with its configurations.
  ///   - stores: The stores. A new object goes to the first one that keeps its entity.
  /// - Throws: `invalidModel` (134020), or why a store cannot be opened (134080, 134100 …).
  public convenience init(
    name: String,
    model: ManagedObjectModel,
    stores: [StoreDescription]
  ) throws(PerennialError) {
    try self.init(name, model, [:], stores)
  }

  /// A container of all stores that a coordinator has now or gets later.
  ///
  /// - Parameters:
  ///   - name: The container's name.
  ///   - coordinator: The coordinator; several containers may have the same one.
  public convenience init(name: String, coordinator: PersistentStoreCoordinator) {
    self.init(name, coordinator)
  }

  /// Opens stores; one alone that keeps all entities is the container's own for good.
  convenience init(
    _ name: String,
    _ model: ManagedObjectModel,
    _ classes: [String: ManagedObject.Type],
    _ descriptions: [StoreDescription]
  ) throws(PerennialError) {
    if descriptions.count == 1, let only = descriptions.first, only.configuration == nil {
      let stores = try PersistentStoreCoordinator(only: only, model: model, classes: classes)
      self.init(name, stores)
      return
    }
    let stores = try PersistentStoreCoordinator(
      model: model,
      classes: classes,
      log: descriptions.first.map { EventLog($0) } ?? .ofProcess,
      stores: descriptions
    )
    self.init(name, stores)
  }
}

extension ManagedObjectContext {
  /// Decides which store a new object goes to when it is saved.
  ///
  /// Core Data: `NSManagedObjectContext.assign(_:to:)`.
  ///
  /// - Parameters:
  ///   - object: A new object of this context.
  ///   - store: A store of the container.
  /// - Throws: As ``assign(_:toStore:)``.
  public func assign(
    _ object: ManagedObject,
    to store: PersistentStoreCoordinator.Store
  ) throws(PerennialError) {
    try assign(object, toStore: store.identifier)
  }
}
