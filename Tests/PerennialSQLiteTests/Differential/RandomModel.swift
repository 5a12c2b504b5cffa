// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import RandomTesting

/// Makes models at random: every type of attribute, every kind of relationship, subentities.
///
/// Attributes of equal names in sister entities share a column or have one each; some have no value.
struct RandomModel {
  private var random: SeededGenerator
  private var properties: [String: [PropertyDescription]] = [:]
  private var indexes: [String: [[String]]] = [:]
  private var fullText: [String: [String]] = [:]
  private var relationshipCount = 0

  static func make(seed: UInt64) throws -> ModelLayout {
    var maker = RandomModel(random: SeededGenerator(seed: seed))
    return try maker.make().layout
  }

  private init(random: SeededGenerator) { self.random = random }

  private static let roots = ["Alpha", "Beta", "Gamma"]
  /// Subentities and their parents.
  private static let children = [
    ("BetaOne", "Beta"), ("BetaTwo", "Beta"), ("BetaOneMore", "BetaOne"),
  ]

  private mutating func make() throws -> ManagedObjectModel {
    for entity in Self.roots { addAttributes(to: entity) }
    for (entity, _) in Self.children {
      // Sister entities both have it; a subentity inherits it.
      if entity != "BetaOneMore" {
        addAttribute("extra", random.chance(3) == 0 ? .int32 : .string, to: entity)
      }
      addAttribute("own\(entity)", [.double, .int64, .date][random.chance(3)], to: entity)
    }
    let entities = Self.roots + Self.children.map(\.0)
    for _ in 0..<(5 + random.chance(3)) {
      addRelationship(
        from: entities[random.chance(entities.count)],
        to: random.chance(4) == 0
          ? entities[random.chance(entities.count)] : Self.roots[random.chance(3)]
      )
    }
    addRelationship(from: "Alpha", to: "Beta")
    addRelationship(from: "Alpha", to: "Alpha")
    let isAbstract = random.chance(3) == 0
    return try ManagedObjectModel(
      entities: entities.map { entity in
        EntityDescription(
          entity,
          parent: Self.children.first { $0.0 == entity }?.1,
          isAbstract: entity == "Beta" && isAbstract,
          indexes: indexes[entity] ?? [],
          fullText: fullText[entity] ?? [],
          properties: properties[entity] ?? []
        )
      }
    )
  }

  // MARK: Attributes

  private mutating func addAttributes(to entity: String) {
    let all: [(String, AttributeType)] = [
      ("small", .int16), ("number", .int32), ("large", .int64), ("flag", .bool),
      ("real", .double), ("single", .float), ("price", .decimal), ("name", .string),
      ("text", .string), ("born", .date), ("blob", .binaryData), ("uid", .uuid), ("link", .url),
      ("first", .string), ("size", .int64), ("rate", .decimal), ("weight", .double),
    ]
    for (name, type) in all where entity == "Alpha" || random.chance(3) > 0 {
      addAttribute(name, type, to: entity)
    }
    if random.chance(2) == 0 {
      properties[entity, default: []].append(
        .attribute(
          AttributeDescription(
            "file",
            .binaryData,
            isOptional: true,
            allowsExternalBinaryDataStorage: true
          )
        )
      )
    }
    properties[entity, default: []].append(
      .attribute(
        AttributeDescription(
          "spot",
          .composite,
          isOptional: true,
          elements: [
            AttributeDescription("x", .int32, isOptional: true),
            AttributeDescription("label", .string, isOptional: true),
          ]
        )
      )
    )
  }

  private mutating func addAttribute(_ name: String, _ type: AttributeType, to entity: String) {
    properties[entity, default: []].append(.attribute(name, type, optional: true))
    if random.chance(3) == 0 { indexes[entity, default: []].append([name]) }
    if type == .string, random.chance(3) == 0 { fullText[entity, default: []].append(name) }
  }

  // MARK: Relationships

  private mutating func addRelationship(from entity: String, to other: String) {
    relationshipCount += 1
    let name = "r\(relationshipCount)"
    let inverse = "i\(relationshipCount)"
    func add(_ property: PropertyDescription, to entity: String) {
      properties[entity, default: []].append(property)
    }
    let isOrdered = random.chance(2) == 0
    switch random.chance(8) {
    case 0, 1, 2:
      add(.toMany(name, other, inverse: inverse, ordered: isOrdered), to: entity)
      add(.toOne(inverse, entity, inverse: name), to: other)
    case 3, 4:
      add(.toMany(name, other, inverse: inverse, ordered: isOrdered), to: entity)
      add(.toMany(inverse, entity, inverse: name, ordered: random.chance(2) == 0), to: other)
    case 5:
      add(.toOne(name, other, inverse: inverse), to: entity)
      add(.toOne(inverse, entity, inverse: name), to: other)
    case 6 where entity == other:
      add(.toMany(name, other, inverse: name), to: entity)
    case 6:
      add(.toMany(name, other), to: entity)
    default:
      add(.toOne(name, other), to: entity)
    }
  }
}
