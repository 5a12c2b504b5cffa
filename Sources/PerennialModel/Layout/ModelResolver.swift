// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Turns descriptions into a layout: checks them, infers inverses, numbers entities and slots.
struct ModelResolver {
  private var descriptions: [EntityDescription]
  private var problems: [PerennialError] = []

  init(_ descriptions: [EntityDescription]) { self.descriptions = descriptions }

  /// The layout.
  ///
  /// - Throws: `invalidModel`: the only problem, or one error that lists them.
  mutating func resolve() throws(PerennialError) -> ModelLayout {
    problems = ModelValidator(descriptions).problemsOfNames()
    try throwProblems()
    InverseInference.apply(to: &descriptions)
    problems = ModelValidator(descriptions).problemsOfProperties()
    try throwProblems()
    roundValues()
    sortByNumber()
    return makeLayout()
  }

  private func throwProblems() throws(PerennialError) {
    guard let first = problems.first else { return }
    guard problems.count > 1 else { throw first }
    throw PerennialError(
      .invalidModel,
      "The model has \(problems.count) problems.",
      recovery: first.recovery,
      entity: first.entity,
      property: first.property,
      problems: problems
    )
  }

  /// Gives defaults and bounds the form that values have in objects.
  private mutating func roundValues() {
    for entity in descriptions.indices {
      for index in descriptions[entity].properties.indices {
        guard case .attribute(let attribute) = descriptions[entity].properties[index],
          [.float, .composite].contains(attribute.type)
        else { continue }
        descriptions[entity].properties[index] = .attribute(attribute.withRoundedValues())
      }
    }
  }

  /// Roots by name without regard to case, each followed by its subentities depth first.
  private mutating func sortByNumber() {
    let children = Dictionary(grouping: descriptions, by: \.parent)
    func siblings(below parent: String?) -> [EntityDescription] {
      children[parent, default: []].sorted {
        ($0.name.lowercased(), $0.name) > ($1.name.lowercased(), $1.name)
      }
    }
    var sorted: [EntityDescription] = []
    // The last one comes next.
    var open = siblings(below: nil)
    while let entity = open.popLast() {
      sorted.append(entity)
      open += siblings(below: entity.name)
    }
    descriptions = sorted
  }

  private func makeLayout() -> ModelLayout {
    let indexes = Dictionary(
      uniqueKeysWithValues: descriptions.enumerated().map { ($1.name, $0) }
    )
    let places = descriptions.map { relationshipPlaces(of: $0, indexes: indexes) }
    let relationships = RelationshipResolver(
      descriptions: descriptions,
      indexes: indexes,
      places: places
    )
    let ends = familyEnds(indexes)
    let entities = descriptions.indices.map { index in
      makeEntity(
        index,
        family: index..<ends[index],
        indexes: indexes,
        relationships: relationships
      )
    }
    return ModelLayout(entities: entities, links: relationships.links)
  }

  /// Where the family of each entity ends: subentities follow their superentity.
  private func familyEnds(_ indexes: [String: Int]) -> [Int] {
    var ends = descriptions.indices.map { $0 + 1 }
    for (index, entity) in descriptions.enumerated().reversed() {
      guard let parent = entity.parent.flatMap({ indexes[$0] }) else { continue }
      ends[parent] = max(ends[parent], ends[index])
    }
    return ends
  }

  private func makeEntity(
    _ index: Int,
    family: Range<Int>,
    indexes: [String: Int],
    relationships: RelationshipResolver
  ) -> EntityLayout {
    let lineage = lineage(of: descriptions[index], indexes: indexes)
    var slots: [SlotLayout] = []
    var toManys: [RelationshipLayout] = []
    for owner in lineage {
      var further: [SlotLayout] = []
      for property in descriptions[owner].properties {
        switch property {
        case .attribute(let attribute):
          let own = Self.slots(of: attribute, prefix: "", entity: owner)
          slots += own.prefix(1)
          further += own.dropFirst()
        case .relationship(let description):
          let relationship = relationships.layout(of: description, entity: owner)
          if description.isToMany {
            toManys.append(relationship)
          } else {
            slots.append(SlotLayout(relationship: relationship))
          }
        }
      }
      slots += further
    }
    let places = Dictionary(uniqueKeysWithValues: slots.enumerated().map { ($1.name, $0) })
    let constraints = lineage.flatMap { owner in
      descriptions[owner].uniquenessConstraints.map { (owner, $0.compactMap { places[$0] }) }
    }
    return EntityLayout(
      index: index,
      description: descriptions[index],
      superentity: lineage.dropLast().last,
      root: lineage[0],
      family: family,
      slots: slots,
      toManys: toManys,
      constraints: constraints.map(\.1),
      constraintOwners: constraints.map(\.0)
    )
  }

  /// The places of an entity's ancestors, the root first, and its own.
  private func lineage(of entity: EntityDescription, indexes: [String: Int]) -> [Int] {
    var lineage: [Int] = []
    var name: String? = entity.name
    while let current = name, let index = indexes[current] {
      lineage.insert(index, at: 0)
      name = descriptions[index].parent
    }
    return lineage
  }

  /// Where every relationship of an entity lies, inherited ones included.
  private func relationshipPlaces(
    of entity: EntityDescription,
    indexes: [String: Int]
  ) -> [String: RelationshipLayout.Place] {
    var places: [String: RelationshipLayout.Place] = [:]
    var slotCount = 0
    var toManyCount = 0
    for owner in lineage(of: entity, indexes: indexes) {
      var furtherCount = 0
      for property in descriptions[owner].properties {
        switch property {
        case .attribute(let attribute):
          let count = Self.slots(of: attribute, prefix: "", entity: owner).count
          slotCount += min(count, 1)
          furtherCount += max(count - 1, 0)
        case .relationship(let relationship) where relationship.isToMany:
          places[relationship.name] = .toMany(toManyCount)
          toManyCount += 1
        case .relationship(let relationship):
          places[relationship.name] = .slot(slotCount)
          slotCount += 1
        }
      }
      slotCount += furtherCount
    }
    return places
  }

  /// One slot, or one for each leaf of a composite attribute, for which the marks of the attribute hold, too.
  ///
  /// The first stands where the attribute is declared, the others behind all properties of the entity:
  /// so a macro can number the properties without knowing what is composite.
  private static func slots(
    of attribute: AttributeDescription,
    prefix: String,
    entity: Int
  ) -> [SlotLayout] {
    guard attribute.type == .composite else {
      return [
        SlotLayout(name: prefix + attribute.name, attribute: attribute, entity: entity)
      ]
    }
    return attribute.elements.flatMap { element in
      var element = element
      element.isOptional = element.isOptional || attribute.isOptional
      element.isTransient = element.isTransient || attribute.isTransient
      element.preservesValueInHistoryOnDeletion =
        element.preservesValueInHistoryOnDeletion || attribute.preservesValueInHistoryOnDeletion
      return slots(of: element, prefix: prefix + attribute.name + ".", entity: entity)
    }
  }
}
