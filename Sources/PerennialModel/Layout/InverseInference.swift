// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Fills in inverses: from the side that names one, or where exactly one pair fits.
enum InverseInference {
  private struct Place {
    let entity: Int
    let property: Int
    let relationship: RelationshipDescription
  }

  /// Which entity declares a relationship, and its name.
  private struct Declaration: Hashable {
    let owner: String
    let name: String
  }

  /// Which entity relationships are of, and which they lead to.
  private struct Ends: Hashable {
    let owner: String
    let destination: String

    /// Those of the relationships back.
    var turned: Ends { Ends(owner: destination, destination: owner) }
  }

  static func apply(to entities: inout [EntityDescription]) {
    mirrorNamedInverses(in: &entities)
    inferUniquePairs(in: &entities)
  }

  /// A relationship that another one names as its inverse gets that one as its own.
  private static func mirrorNamedInverses(in entities: inout [EntityDescription]) {
    let ancestry = Ancestry(of: entities)
    let places = places(in: entities)
    let names = entities.map(\.name)
    var open = Dictionary(grouping: places.filter { $0.relationship.inverse == nil }) {
      Declaration(owner: names[$0.entity], name: $0.relationship.name)
    }
    for place in places {
      guard let inverse = place.relationship.inverse else { continue }
      func leadsBack(_ other: Place) -> Bool {
        ancestry.areRelated(other.relationship.destinationEntity, names[place.entity])
      }
      for owner in ancestry.names(from: place.relationship.destinationEntity) {
        let declaration = Declaration(owner: owner, name: inverse)
        guard let candidates = open[declaration] else { continue }
        for other in candidates where leadsBack(other) {
          set(place.relationship.name, at: other, in: &entities)
        }
        open[declaration] = candidates.filter { !leadsBack($0) }
      }
    }
  }

  /// Two relationships that lead to each other, when neither end has another candidate.
  ///
  /// Of two to-one relationships within an entity each may as well have none, or itself: a mother and a father.
  private static func inferUniquePairs(in entities: inout [EntityDescription]) {
    let open = openPlaces(in: entities)
    let groups = groups(of: open, in: entities)
    let names = entities.map(\.name)
    func candidates(for place: Place) -> [Place] {
      groups[ends(of: place, names).turned, default: []].filter {
        ($0.entity, $0.property) != (place.entity, place.property)
          && ($0.entity != place.entity || $0.relationship.isToMany || place.relationship.isToMany)
      }
    }
    for place in open {
      let found = candidates(for: place)
      guard found.count == 1, candidates(for: found[0]).count == 1 else { continue }
      set(found[0].relationship.name, at: place, in: &entities)
    }
  }

  /// What is left without an inverse though there are candidates: the relationships between two entities, or
  /// within one, of which more than one pair fits.
  ///
  /// - Parameter entities: Descriptions whose inverses have been filled in.
  /// - Returns: The names of each group, `Entity.relationship`, sorted.
  static func ambiguities(in entities: [EntityDescription]) -> [[String]] {
    let groups = groups(of: openPlaces(in: entities), in: entities)
    let names = entities.map(\.name)
    return groups.compactMap { ends, places -> [String]? in
      let isWithinOne = ends == ends.turned
      guard isWithinOne ? places.count > 1 : ends.owner < ends.destination,
        let others = isWithinOne ? [] : groups[ends.turned]
      else { return nil }
      return (places + others).map { "\(names[$0.entity]).\($0.relationship.name)" }.sorted()
    }
    .sorted { $0[0] < $1[0] }
  }

  /// The relationships without an inverse that may get one.
  private static func openPlaces(in entities: [EntityDescription]) -> [Place] {
    places(in: entities).filter {
      $0.relationship.inverse == nil && $0.relationship.infersInverse
    }
  }

  private static func groups(
    of places: [Place],
    in entities: [EntityDescription]
  ) -> [Ends: [Place]] {
    let names = entities.map(\.name)
    return Dictionary(grouping: places) { ends(of: $0, names) }
  }

  private static func ends(of place: Place, _ names: [String]) -> Ends {
    Ends(owner: names[place.entity], destination: place.relationship.destinationEntity)
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
}
