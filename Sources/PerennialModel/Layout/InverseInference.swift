// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Fills in inverses: from the side that names one, or where exactly one pair fits.
enum InverseInference {
  private struct Place {
    let entity: Int
    let property: Int
    let relationship: RelationshipDescription
  }

  static func apply(to entities: inout [EntityDescription]) {
    mirrorNamedInverses(in: &entities)
    inferUniquePairs(in: &entities)
  }

  /// A relationship that another one names as its inverse gets that one as its own.
  private static func mirrorNamedInverses(in entities: inout [EntityDescription]) {
    for place in places(in: entities) {
      guard let inverse = place.relationship.inverse else { continue }
      let owner = entities[place.entity].name
      for other in places(in: entities)
      where other.relationship.name == inverse && other.relationship.inverse == nil
        && ancestry(of: place.relationship.destinationEntity, in: entities).contains(
          entities[other.entity].name
        )
        && related(other.relationship.destinationEntity, owner, in: entities)
      {
        set(place.relationship.name, at: other, in: &entities)
      }
    }
  }

  /// Two relationships that lead to each other, when neither end has another candidate.
  private static func inferUniquePairs(in entities: inout [EntityDescription]) {
    let open = places(in: entities).filter { $0.relationship.inverse == nil }
    func candidates(for place: Place) -> [Place] {
      open.filter { other in
        (other.entity, other.property) != (place.entity, place.property)
          && entities[other.entity].name == place.relationship.destinationEntity
          && entities[place.entity].name == other.relationship.destinationEntity
      }
    }
    let snapshot = entities
    var inferred = snapshot
    for place in open {
      let found = candidates(for: place)
      guard found.count == 1, candidates(for: found[0]).count == 1 else { continue }
      set(found[0].relationship.name, at: place, in: &inferred)
    }
    entities = inferred
  }

  private static func places(in entities: [EntityDescription]) -> [Place] {
    entities.enumerated().flatMap { index, entity in
      entity.properties.enumerated().compactMap { number, property in
        guard case .relationship(let relationship) = property else { return nil }
        return Place(entity: index, property: number, relationship: relationship)
      }
    }
  }

  private static func set(
    _ inverse: String,
    at place: Place,
    in entities: inout [EntityDescription]
  ) {
    guard case .relationship(var relationship) = entities[place.entity].properties[place.property]
    else { return }
    relationship.inverse = inverse
    entities[place.entity].properties[place.property] = .relationship(relationship)
  }

  /// The names of an entity and its ancestors.
  static func ancestry(of name: String, in entities: [EntityDescription]) -> [String] {
    var names: [String] = []
    var current: String? = name
    while let next = current, !names.contains(next) {
      names.append(next)
      current = entities.first { $0.name == next }?.parent
    }
    return names
  }

  /// Whether one entity is the other, or an ancestor or a descendant of it.
  static func related(_ left: String, _ right: String, in entities: [EntityDescription]) -> Bool {
    ancestry(of: left, in: entities).contains(right)
      || ancestry(of: right, in: entities).contains(left)
  }
}
