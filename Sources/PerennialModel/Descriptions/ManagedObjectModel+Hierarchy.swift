// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

// What a model says of its entities together: inheritance, ways between them, versions.

extension ManagedObjectModel {
  /// A model with the entities, fetch requests and configurations of several models.
  ///
  /// Core Data: `NSManagedObjectModel.init(byMerging:)`.
  ///
  /// - Parameter models: The models. An entity that several of them describe alike counts once. A configuration
  ///   gets the entities that any of them gives it.
  /// - Throws: `invalidModel` (134020) when two models describe an entity or a fetch request of the same name
  ///   differently.
  public init(merging models: [ManagedObjectModel]) throws(PerennialError) {
    var entities: [EntityDescription] = []
    var templates: [FetchRequestTemplate] = []
    var configurations: [String: [String]] = [:]
    for model in models {
      entities += model.entities.filter { !entities.contains($0) }
      templates += model.fetchRequestTemplates.filter { !templates.contains($0) }
      configurations.merge(model.entityNamesByConfiguration) { $0 + $1 }
    }
    try self.init(
      entities: entities,
      fetchRequestTemplates: templates,
      configurations: configurations
    )
  }

  /// The entity that an entity inherits from; `nil` for a root and for an unknown name.
  ///
  /// Core Data: `NSEntityDescription.superentity`.
  ///
  /// - Parameter name: The name of an entity.
  /// - Returns: The description of its superentity, or `nil`.
  public func superentity(of name: String) -> EntityDescription? {
    layout.entitiesByName[name].flatMap { layout.entities[$0].superentity }
      .map { layout.entities[$0].description }
  }

  /// The entities that inherit from an entity directly, in the order of their store numbers.
  ///
  /// Core Data: `NSEntityDescription.subentities`.
  ///
  /// - Parameter name: The name of an entity.
  /// - Returns: Their descriptions; empty when there are none, and for an unknown name.
  /// - Complexity: O(*n*) in the entities of the model.
  public func subentities(of name: String) -> [EntityDescription] {
    guard let index = layout.entitiesByName[name] else { return [] }
    return layout.entities.filter { $0.superentity == index }.map(\.description)
  }

  /// Whether an entity is another one, or inherits from it directly or through others.
  ///
  /// Core Data: `NSEntityDescription.isKindOf(entity:)`.
  ///
  /// - Parameters:
  ///   - name: The name of an entity.
  ///   - other: The name of the entity that it may be or inherit from.
  /// - Returns: `false` also when one of the names is unknown.
  public func isEntity(_ name: String, kindOf other: String) -> Bool {
    guard let index = layout.entitiesByName[name], let root = layout.entitiesByName[other] else {
      return false
    }
    return layout.entities[root].family.contains(index)
  }

  /// All attributes and relationships of an entity by name, inherited ones included.
  ///
  /// Core Data: `NSEntityDescription.propertiesByName`, which has fetched properties too.
  ///
  /// - Parameter name: The name of an entity.
  /// - Returns: The descriptions by name, without fetched properties; empty for an unknown name.
  /// - Complexity: O(*n*) in the properties.
  public func propertiesByName(of name: String) -> [String: PropertyDescription] {
    layout.propertiesByName(of: name)
  }

  /// The relationships of an entity that lead to an entity, inherited ones included, by name.
  ///
  /// Core Data: `NSEntityDescription.relationships(forDestination:)`.
  ///
  /// - Parameters:
  ///   - name: The name of an entity.
  ///   - destination: The name of the entity that a relationship names as its destination: its sub- and
  ///     superentities do not count.
  /// - Returns: The descriptions, sorted by name; empty when there are none, and for an unknown name.
  /// - Complexity: O(*n* log *n*) in the properties.
  public func relationships(
    of name: String,
    toDestination destination: String
  ) -> [RelationshipDescription] {
    propertiesByName(of: name).values.compactMap { property in
      guard case .relationship(let relationship) = property,
        relationship.destinationEntity == destination
      else { return nil }
      return relationship
    }.sorted { $0.name < $1.name }
  }

  /// A hash of each entity, by name: where a store has another one, it has to be migrated.
  ///
  /// Name, parent, properties and constraints count; indexes and notes do not. The hashes equal those that Core
  /// Data writes for the same model, except perhaps those of entities that have or inherit composite or derived
  /// attributes, of which no sample is known. The hashes do not tell what an attribute is derived from, nor
  /// whether a relationship to at most one object is to-many: a store of Perennial's is migrated when these
  /// change, too (``MigrationPlan/isEmpty``).
  ///
  /// Core Data: `NSManagedObjectModel.entityVersionHashesByName`.
  public var entityVersionHashesByName: [String: Data] { layout.versionHashes.byEntity }
}

extension ModelLayout {
  /// All attributes and relationships of an entity by name, inherited ones included; empty for an unknown name.
  package func propertiesByName(of name: String) -> [String: PropertyDescription] {
    var properties: [String: PropertyDescription] = [:]
    var place = entitiesByName[name]
    while let index = place {
      for property in entities[index].description.properties {
        properties[property.name] = property
      }
      place = entities[index].superentity
    }
    return properties
  }
}
