// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Looks whether inheritance ends somewhere, and what it comes to: a few lines may stand for more properties than any
/// machine holds.
package enum InheritanceCheck {
  /// How many entities and properties there may be, each entity counted with all that it inherits.
  ///
  /// The names in uniqueness constraints count like properties, as layouts have them for every heir.
  package static let limit = 250_000

  /// Looks through descriptions; a parent that is not there counts as none.
  ///
  /// - Parameter entities: The descriptions.
  /// - Throws: `invalidModel` when an entity inherits from itself, when two have one name, or when there is too much.
  /// - Complexity: O(*n*) in the entities and their own properties.
  package static func check(_ entities: [EntityDescription]) throws(PerennialError) {
    let names = Set(entities.map(\.name))
    let children = Dictionary(grouping: entities.indices) { index in
      entities[index].parent.flatMap { names.contains($0) ? $0 : nil }
    }
    var open = children[nil, default: []].map { (index: $0, inherited: 0) }
    var reached: Set<String> = []
    var count = 0
    while let (index, inherited) = open.popLast() {
      let entity = entities[index]
      let size = inherited + 1 + entity.ownCount
      count += size
      if count > limit { throw tooMuch }
      guard reached.insert(entity.name).inserted else { throw .repeatedEntity(entity.name) }
      open += children[entity.name, default: []].map { (index: $0, inherited: size) }
    }
    guard let lost = entities.first(where: { !reached.contains($0.name) }) else { return }
    throw circle(below: lost, entities)
  }

  private static var tooMuch: PerennialError {
    .invalidModel(
      "The model has over \(limit) entities and properties, uniqueness constraints and what "
        + "entities inherit included.",
      "let fewer entities inherit from entities with many properties or constraints"
    )
  }

  /// The circle that leads to an entity.
  private static func circle(
    below entity: EntityDescription,
    _ entities: [EntityDescription]
  ) -> PerennialError {
    let parents = Dictionary(entities.map { ($0.name, $0.parent) }) { first, _ in first }
    var visited: Set<String> = []
    var name = entity.name
    while visited.insert(name).inserted, let parent = parents[name] ?? nil { name = parent }
    return .invalidModel(
      "'\(name)' inherits from itself.",
      "remove the parent of '\(name)'",
      entity: name
    )
  }
}

extension EntityDescription {
  /// How many properties and names in uniqueness constraints it has, without those that it inherits.
  fileprivate var ownCount: Int {
    properties.reduce(fetchedProperties.count) { $0 + $1.leafCount }
      + uniquenessConstraints.reduce(0) { $0 + max(1, $1.count) }
  }
}

extension PropertyDescription {
  /// How many slots it takes, or 1.
  fileprivate var leafCount: Int {
    switch self {
    case .attribute(let attribute): attribute.leafCount
    case .relationship: 1
    }
  }
}

extension AttributeDescription {
  fileprivate var leafCount: Int { max(1, elements.reduce(0) { $0 + $1.leafCount }) }
}
