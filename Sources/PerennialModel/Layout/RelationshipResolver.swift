// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Gives every relationship its destination, inverse and link.
struct RelationshipResolver {
  private let descriptions: [EntityDescription]
  private let indexes: [String: Int]
  private let places: [[String: RelationshipLayout.Place]]
  /// The relationships that each entity declares, by name.
  private let declared: [[String: RelationshipDescription]]
  private var sides: [Key: RelationshipLayout.Side] = [:]
  private(set) var links: [LinkLayout] = []

  private struct Key: Hashable {
    let entity: Int
    let name: String
  }

  init(
    descriptions: [EntityDescription],
    indexes: [String: Int],
    places: [[String: RelationshipLayout.Place]]
  ) {
    self.descriptions = descriptions
    self.indexes = indexes
    self.places = places
    declared = descriptions.map(\.relationshipsByName)
    makeLinks()
  }

  /// The layout of a relationship that an entity declares.
  func layout(of description: RelationshipDescription, entity: Int) -> RelationshipLayout {
    let destination = indexes[description.destinationEntity] ?? entity
    var inverse: RelationshipLayout.Inverse?
    if let (owner, found) = inverseDeclaration(of: description), let place = place(found, owner) {
      inverse = RelationshipLayout.Inverse(
        name: found.name,
        entity: owner,
        place: place,
        isOrdered: found.isOrdered
      )
    }
    return RelationshipLayout(
      entity: entity,
      description: description,
      destination: destination,
      place: place(description, entity) ?? .slot(0),
      inverse: inverse,
      side: sides[Key(entity: entity, name: description.name)]
    )
  }

  private func place(
    _ description: RelationshipDescription,
    _ entity: Int
  ) -> RelationshipLayout.Place? {
    places[entity][description.name]
  }

  /// The inverse and the entity that declares it: the destination or an ancestor of it.
  private func inverseDeclaration(
    of description: RelationshipDescription
  ) -> (Int, RelationshipDescription)? {
    guard let name = description.inverse else { return nil }
    var current: String? = description.destinationEntity
    while let entity = current, let index = indexes[entity] {
      if let found = declared[index][name] { return (index, found) }
      current = descriptions[index].parent
    }
    return nil
  }

  /// One link for every pair of to-manys; the entity of the lower number names it.
  private mutating func makeLinks() {
    for (index, entity) in descriptions.enumerated() {
      for case .relationship(let relationship) in entity.properties where relationship.isToMany {
        let own = Key(entity: index, name: relationship.name)
        guard sides[own] == nil else { continue }
        let inverse = inverseDeclaration(of: relationship)
        if let (_, description) = inverse, !description.isToMany { continue }
        let number = links.count
        let symmetric = inverse?.0 == index && inverse?.1.name == relationship.name
        links.append(
          LinkLayout(
            index: number,
            first: (index, relationship.name, relationship.isOrdered),
            second: (
              inverse?.0 ?? indexes[relationship.destinationEntity] ?? index, inverse?.1.name,
              inverse?.1.isOrdered ?? false
            ),
            isSymmetric: symmetric
          )
        )
        sides[own] = RelationshipLayout.Side(link: number, isFirst: true)
        if let (owner, description) = inverse, !symmetric {
          sides[Key(entity: owner, name: description.name)] = RelationshipLayout.Side(
            link: number,
            isFirst: false
          )
        }
      }
    }
  }
}

extension EntityDescription {
  /// The relationships that the entity declares itself.
  var relationshipsByName: [String: RelationshipDescription] {
    var found: [String: RelationshipDescription] = [:]
    for case .relationship(let relationship) in properties where found[relationship.name] == nil {
      found[relationship.name] = relationship
    }
    return found
  }
}
