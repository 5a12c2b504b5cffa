// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The entities of a store and of the contexts on it: a checked, immutable value.
///
/// ```swift
/// let model = try ManagedObjectModel(
///   EntityDescription(
///     "Commit", uniqueness: [["sha"]],
///     properties: [.attribute("sha", .string), .toOne("author", "Author", inverse: "commits")]),
///   EntityDescription(
///     "Author",
///     properties: [.attribute("name", .string), .toMany("commits", "Commit", inverse: "author")]))
/// ```
///
/// Core Data: `NSManagedObjectModel`.
public struct ManagedObjectModel: Sendable {
  /// The entities with their resolved names.
  package let layout: ModelLayout
  /// The fetch requests that the model keeps by name.
  ///
  /// Core Data: `NSManagedObjectModel.fetchRequestTemplatesByName`.
  public let fetchRequestTemplates: [FetchRequestTemplate]
  /// The names of entities that belong to one store, by the name of the list.
  let entityNamesByConfiguration: [String: [String]]

  /// Checks descriptions and makes a model of them.
  ///
  /// Missing inverses are inferred where exactly one relationship fits.
  ///
  /// - Parameter entities: The descriptions, in any order.
  /// - Throws: ``PerennialError/Code/invalidModel``, which names the entity, the property and the cure; if
  ///   there are several problems, they are in ``PerennialError/problems``.
  public init(_ entities: EntityDescription...) throws(PerennialError) {
    try self.init(entities: entities)
  }

  /// Checks a list of descriptions and makes a model of them.
  ///
  /// - Parameters:
  ///   - entities: The descriptions, in any order.
  ///   - fetchRequestTemplates: Fetch requests to keep by name.
  ///   - configurations: The names of each configuration's entities, by the configuration's name, for
  ///     `StoreDescription.configuration`. Subentities belong to it together with their superentity.
  /// - Throws: ``PerennialError/Code/invalidModel``, which names the entity, the property and the cure; if
  ///   there are several problems, they are in ``PerennialError/problems``.
  public init(
    entities: [EntityDescription],
    fetchRequestTemplates: [FetchRequestTemplate] = [],
    configurations: [String: [String]] = [:]
  ) throws(PerennialError) {
    var resolver = ModelResolver(entities)
    layout = try resolver.resolve()
    self.fetchRequestTemplates = fetchRequestTemplates
    entityNamesByConfiguration = configurations.mapValues { Array(Set($0)).sorted() }
    try checkConfigurations()
    try checkTemplates()
    try checkFetchedProperties()
  }

  /// A model that has been made before, without its fetch requests.
  package init(_ layout: ModelLayout) {
    self.layout = layout
    fetchRequestTemplates = []
    entityNamesByConfiguration = [:]
  }

  /// The relationships that have no inverse because more than one pair would fit, in groups:
  /// `["Note.copy", "Note.tag", "Tag.notes"]`.
  package var ambiguousInverses: [[String]] { InverseInference.ambiguities(in: entities) }

  private func checkConfigurations() throws(PerennialError) {
    for (configuration, names) in entityNamesByConfiguration.sorted(by: { $0.key < $1.key }) {
      guard let name = names.first(where: { layout.entitiesByName[$0] == nil }) else { continue }
      throw .invalidModel(
        "The configuration '\(configuration)' names '\(name)', which the model does not have.",
        PerennialError.suggestion(for: name, among: layout.entities.map(\.name)),
        entity: name
      )
    }
  }

  /// The names of the model's configurations, sorted.
  ///
  /// Core Data: `NSManagedObjectModel.configurations`.
  public var configurations: [String] { entityNamesByConfiguration.keys.sorted() }

  /// The entities of a configuration, with their subentities; all entities for `nil`.
  ///
  /// Core Data: `NSManagedObjectModel.entities(forConfigurationName:)`.
  ///
  /// - Parameter name: The name of a configuration, or `nil`.
  /// - Returns: The descriptions, or `nil` when there is no such configuration.
  public func entities(forConfiguration name: String?) -> [EntityDescription]? {
    places(forConfiguration: name).map { $0.sorted().map { layout.entities[$0].description } }
  }

  /// The places of the entities of a configuration; `nil` when there is no such configuration.
  package func places(forConfiguration name: String?) -> Set<Int>? {
    guard let name else { return Set(layout.entities.indices) }
    return entityNamesByConfiguration[name].map { names in
      Set(names.compactMap { layout.entitiesByName[$0] }.flatMap { layout.entities[$0].family })
    }
  }

  private func checkFetchedProperties() throws(PerennialError) {
    for entity in layout.entities {
      var names = Set(entity.propertyNames)
      var owner: EntityLayout? = entity
      while let current = owner {
        for property in current.description.fetchedProperties {
          guard names.insert(property.name).inserted else {
            throw .invalidModel(
              "'\(entity.name)' has two properties named '\(property.name)'.",
              "rename the fetched property",
              entity: entity.name,
              property: property.name
            )
          }
          try checkDestination(of: property, current)
        }
        owner = current.superentity.map { layout.entities[$0] }
      }
    }
  }

  private func checkDestination(
    of property: FetchedPropertyDescription,
    _ entity: EntityLayout
  ) throws(PerennialError) {
    let name = property.fetchRequest.entityName
    guard layout.entitiesByName[name] == nil else { return }
    throw .invalidModel(
      "The fetched property '\(property.name)' names '\(name)', which the model does not have.",
      PerennialError.suggestion(for: name, among: layout.entities.map(\.name)),
      entity: entity.name,
      property: property.name
    )
  }

  /// The fetch request that the model keeps by a name, or `nil` when there is none.
  ///
  /// Core Data: `NSManagedObjectModel.fetchRequestTemplate(forName:)`.
  ///
  /// - Parameter name: The name of a template.
  /// - Returns: The template, whose condition has not been parsed, or `nil`.
  public func fetchRequestTemplate(forName name: String) -> FetchRequestTemplate? {
    fetchRequestTemplates.first { $0.name == name }
  }

  private func checkTemplates() throws(PerennialError) {
    var names: Set<String> = []
    for template in fetchRequestTemplates {
      guard layout.entitiesByName[template.entityName] != nil else {
        throw .invalidModel(
          "The fetch request '\(template.name)' names '\(template.entityName)', which the model does not have.",
          PerennialError.suggestion(
            for: template.entityName,
            among: layout.entities.map(\.name)
          ),
          entity: template.entityName
        )
      }
      guard names.insert(template.name).inserted else {
        throw .invalidModel(
          "The model has two fetch requests named '\(template.name)'.",
          "rename one of them",
          entity: template.entityName
        )
      }
    }
  }

  /// The descriptions of the entities, in the order of their store numbers, with inverses filled in.
  public var entities: [EntityDescription] { layout.entities.map(\.description) }

  /// The descriptions of the entities by name.
  public var entitiesByName: [String: EntityDescription] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
  }
}

extension ManagedObjectModel: Codable {
  private enum CodingKeys: CodingKey { case entities, fetchRequestTemplates, configurations }

  /// Reads the entities, the fetch requests and the configurations, and checks them.
  ///
  /// - Parameter decoder: The decoder to read from.
  /// - Throws: ``PerennialError`` with code `invalidModel` (134020) when they contradict each other; otherwise what
  ///   the decoder throws.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      entities: container.decode([EntityDescription].self, forKey: .entities),
      fetchRequestTemplates: container.decodeIfPresent(
        [FetchRequestTemplate].self,
        forKey: .fetchRequestTemplates
      ) ?? [],
      configurations: container.decodeIfPresent(
        [String: [String]].self,
        forKey: .configurations
      ) ?? [:]
    )
  }

  /// Writes the entities, the fetch requests and the configurations.
  ///
  /// - Parameter encoder: The encoder to write to.
  /// - Throws: What the encoder throws.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entities, forKey: .entities)
    try container.encode(fetchRequestTemplates, forKey: .fetchRequestTemplates)
    guard !entityNamesByConfiguration.isEmpty else { return }
    try container.encode(entityNamesByConfiguration, forKey: .configurations)
  }
}

extension ManagedObjectModel: Equatable {
  /// Whether two models describe the same entities, fetch requests and configurations.
  ///
  /// - Parameters:
  ///   - left: A model.
  ///   - right: Another one.
  /// - Returns: `true` when they do. The order of the entities does not count; that of properties and of
  ///   fetch requests does.
  /// - Complexity: O(*n*) in what the models say.
  public static func == (left: Self, right: Self) -> Bool {
    left.entities == right.entities && left.fetchRequestTemplates == right.fetchRequestTemplates
      && left.entityNamesByConfiguration == right.entityNamesByConfiguration
  }
}
