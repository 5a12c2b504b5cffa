// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// What a program may do with a store: fetch all that is in it, change some, save, look at the history.
struct StoreUse {
  /// Bytes that no value of a store may have: they lie outside.
  let secret: Data
  var attempts = Attempts()
  private var properties: [String: [PropertyDescription]] = [:]

  private static let objectLimit = 60

  init(secret: Data) { self.secret = secret }

  /// Uses a container's store.
  ///
  /// - Parameters:
  ///   - container: The container.
  ///   - walk: What the program does besides, with classes of its own.
  mutating func use(
    _ container: PersistentContainer,
    walk: ((ManagedObjectContext) throws(PerennialError) -> Void)? = nil
  ) {
    let context = container.newBackgroundContext()
    let entities = container.managedObjectModel.entities
    properties = Self.properties(of: container.managedObjectModel)
    if let walk { attempts.attempt { () throws(PerennialError) in try walk(context) } }
    attempts.attempt { () throws(PerennialError) in try context.save() }
    context.rollback()
    for entity in entities { read(entity.name, in: context) }
    for entity in entities { edit(entity, in: context) }
    context.rollback()
    context.refreshAllObjects()
    for entity in entities.prefix(2) { read(entity.name, in: context) }
    history(context)
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores {
      attempts.attempt { () throws(PerennialError) in _ = try coordinator.metadata(for: store) }
    }
  }

  /// The properties of each entity, those of its parents too.
  static func properties(
    of model: ManagedObjectModel
  ) -> [String: [PropertyDescription]] {
    let entities = model.entitiesByName
    return entities.mapValues { entity in
      let ancestors = sequence(first: entity) { $0.parent.flatMap { entities[$0] } }
      return ancestors.flatMap(\.properties)
    }
  }

  // MARK: Reading

  private mutating func read(_ entity: String, in context: ManagedObjectContext) {
    let request = FetchRequest<ManagedObject>(entityName: entity)
    attempts.attempt { () throws(PerennialError) in _ = try context.count(for: request) }
    attempts.attempt { () throws(PerennialError) in _ = try context.fetchDictionaries(request) }
    let objects = attempts.value { () throws(PerennialError) in try context.fetch(request) } ?? []
    for object in objects.prefix(Self.objectLimit) { read(object) }
  }

  private mutating func read(_ object: ManagedObject) {
    for property in properties[object.objectID.entityName] ?? [] {
      let name = property.name
      switch property {
      case .attribute:
        let value = attempts.value { () throws(PerennialError) in
          try object.value(forKey: name)
        }
        if let data = value as? Data, data.range(of: secret) != nil {
          attempts.problem = "'\(name)' has what lies outside the store"
        }
      case .relationship(let relationship) where relationship.isToMany:
        let members = attempts.value { () throws(PerennialError) in
          try object.objects(forKey: name)
        }
        if let members { for member in members.prefix(10) { _ = member.objectID } }
      case .relationship:
        attempts.attempt { () throws(PerennialError) in
          _ = try object.object(forKey: name)?.objectID
        }
      }
    }
  }

  // MARK: Writing

  /// Changes, deletes and inserts an object of an entity, and saves.
  mutating func edit(_ entity: EntityDescription, in context: ManagedObjectContext) {
    let request = FetchRequest<ManagedObject>(entityName: entity.name)
    let objects = attempts.value { () throws(PerennialError) in try context.fetch(request) } ?? []
    if let first = objects.first {
      for property in properties[first.objectID.entityName] ?? [] {
        copy(property, from: objects.last, to: first)
      }
    }
    if objects.count > 2 { context.delete(objects[1]) }
    if !entity.isAbstract {
      let new = attempts.value { () throws(PerennialError) in
        try context.insert(entityNamed: entity.name)
      }
      if let new {
        for property in properties[entity.name] ?? [] {
          copy(property, from: objects.first, to: new)
        }
      }
    }
    attempts.attempt { () throws(PerennialError) in try context.save() }
    context.rollback()
  }

  /// Gives an object what another one has.
  private mutating func copy(
    _ property: PropertyDescription,
    from source: ManagedObject?,
    to target: ManagedObject
  ) {
    guard let source else { return }
    attempts.attempt { () throws(PerennialError) in
      let name = property.name
      switch property {
      case .attribute(let attribute):
        if attribute.derivationExpression == nil {
          try target.setValue(try source.value(forKey: name), forKey: name)
        }
      case .relationship(let relationship) where relationship.isToMany:
        for member in try source.objects(forKey: name).prefix(1) {
          try target.objects(forKey: name).insert(member)
        }
      case .relationship: try target.setObject(try source.object(forKey: name), forKey: name)
      }
    }
  }

  // MARK: History

  private mutating func history(_ context: ManagedObjectContext) {
    attempts.attempt { () throws(PerennialError) in
      let transactions = try context.execute(.fetchHistory(after: nil)).transactions
      for transaction in transactions.prefix(20) {
        for change in transaction.changes.prefix(50) {
          _ = (change.changedObjectID, change.updatedProperties, change.tombstone)
        }
      }
      if let last = transactions.last {
        _ = try context.execute(.deleteHistory(before: last))
      }
    }
  }
}
