// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Testing

@Suite("SEMANTICS 1A: a model that is not valid says where, what and how to cure it")
struct ValidationTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let entities: [EntityDescription]
    let entity: String?
    let property: String?
    /// What the message must name.
    let mentions: [String]
  }

  private static func entity(
    _ properties: PropertyDescription...,
    uniqueness: [[String]] = [],
    indexes: [[String]] = []
  ) -> [EntityDescription] {
    [EntityDescription("A", uniqueness: uniqueness, indexes: indexes, properties: properties)]
  }

  private static func indexed(_ name: String) -> [EntityDescription] {
    var entity = EntityDescription("A", properties: [.attribute("x", .string)])
    entity.indexes = [FetchIndexDescription(name, elements: [.init("x")])]
    return [entity]
  }

  private static func composite(_ elements: AttributeDescription...) -> PropertyDescription {
    .attribute(AttributeDescription("c", .composite, elements: elements))
  }

  /// Entities of which each inherits from the one before.
  private static func chain(_ count: Int) -> [EntityDescription] {
    (0..<count).map { number in
      EntityDescription("E\(number)", parent: number == 0 ? nil : "E\(number - 1)", properties: [])
    }
  }

  /// An entity with attributes and uniqueness constraints, and entities that inherit them.
  private static func heirs(
    _ count: Int,
    of attributeCount: Int,
    uniqueness: [[String]] = []
  ) -> [EntityDescription] {
    let attributes = (0..<attributeCount).map { number in
      PropertyDescription.attribute("a\(number)", .string)
    }
    let heirs = (0..<count).map { number in
      EntityDescription("E\(number)", parent: "Base", properties: [])
    }
    return [EntityDescription("Base", uniqueness: uniqueness, properties: attributes)] + heirs
  }

  static let cases: [Case] = [
    Case(testDescription: "no entity", entities: [], entity: nil, property: nil, mentions: []),
    Case(
      testDescription: "an entity's name",
      entities: [EntityDescription("1A", properties: [])],
      entity: "1A",
      property: nil,
      mentions: ["'1A'"]
    ),
    Case(
      testDescription: "two entities that differ by case",
      entities: [
        EntityDescription("Abc", properties: []), EntityDescription("aBC", properties: []),
      ],
      entity: "aBC",
      property: nil,
      mentions: ["'aBC'"]
    ),
    Case(
      testDescription: "an unknown parent",
      entities: [EntityDescription("A", parent: "B", properties: [])],
      entity: "A",
      property: nil,
      mentions: ["'A'", "'B'"]
    ),
    Case(
      testDescription: "an entity that is its own parent",
      entities: [EntityDescription("A", parent: "A", properties: [])],
      entity: "A",
      property: nil,
      mentions: ["'A'", "itself"]
    ),
    Case(
      testDescription: "a circle of parents, and what inherits from it",
      entities: [
        EntityDescription("C", parent: "A", properties: []),
        EntityDescription("A", parent: "B", properties: []),
        EntityDescription("B", parent: "A", properties: []),
      ],
      entity: "A",
      property: nil,
      mentions: ["'A'", "itself"]
    ),
    Case(
      testDescription: "parents of parents without end",
      entities: chain(10_000),
      entity: nil,
      property: nil,
      mentions: ["over 250000 entities and properties"]
    ),
    Case(
      testDescription: "many properties that many entities inherit",
      entities: heirs(300, of: 1_000),
      entity: nil,
      property: nil,
      mentions: ["over 250000 entities and properties"]
    ),
    Case(
      testDescription: "many uniqueness constraints that many entities inherit",
      entities: heirs(300, of: 1, uniqueness: Array(repeating: ["a0"], count: 1_000)),
      entity: nil,
      property: nil,
      mentions: ["over 250000 entities and properties", "uniqueness constraints"]
    ),
    Case(
      testDescription: "a property's name",
      entities: entity(.attribute("a b", .string)),
      entity: "A",
      property: "a b",
      mentions: ["'A.a b'"]
    ),
    Case(
      testDescription: "two properties that differ by case",
      entities: entity(.attribute("ab", .string), .attribute("AB", .string)),
      entity: "A",
      property: "AB",
      mentions: ["'A'", "'AB'"]
    ),
    Case(
      testDescription: "a property that the parent has",
      entities: [
        EntityDescription("A", properties: [.attribute("x", .string)]),
        EntityDescription("B", parent: "A", properties: [.attribute("x", .int64)]),
      ],
      entity: "B",
      property: "x",
      mentions: ["'B'", "'x'", "inherited"]
    ),
    Case(
      testDescription: "an undefined attribute that is stored",
      entities: entity(.attribute("x", .undefined)),
      entity: "A",
      property: "x",
      mentions: ["'A.x'"]
    ),
    Case(
      testDescription: "an object ID that is stored",
      entities: entity(.attribute("x", .objectID)),
      entity: "A",
      property: "x",
      mentions: ["'A.x'"]
    ),
    Case(
      testDescription: "a composite attribute without elements",
      entities: entity(composite()),
      entity: "A",
      property: "c",
      mentions: ["'A.c'", "no elements"]
    ),
    Case(
      testDescription: "a derived element of a transient composite attribute",
      entities: entity(
        .attribute(
          AttributeDescription(
            "c",
            .composite,
            isTransient: true,
            elements: [AttributeDescription("x", .date, derivationExpression: "now()")]
          )
        )
      ),
      entity: "A",
      property: "c",
      mentions: ["'A.x'", "derived and transient"]
    ),
    Case(
      testDescription: "two elements of one name",
      entities: entity(
        composite(AttributeDescription("x", .string), AttributeDescription("X", .int16))
      ),
      entity: "A",
      property: "c",
      mentions: ["'A.c'", "'X'"]
    ),
    Case(
      testDescription: "an element's name",
      entities: entity(composite(AttributeDescription("x.y", .string))),
      entity: "A",
      property: "c",
      mentions: ["'A.c'", "'x.y'"]
    ),
    Case(
      testDescription: "elements without composite",
      entities: entity(
        .attribute(
          AttributeDescription("x", .string, elements: [AttributeDescription("y", .string)])
        )
      ),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "composite"]
    ),
    Case(
      testDescription: "a default of another type",
      entities: entity(.attribute("x", .string, default: 1)),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "string"]
    ),
    Case(
      testDescription: "a default that is too large",
      entities: entity(.attribute("x", .int16, default: 32_768)),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "int16"]
    ),
    Case(
      testDescription: "an unknown destination",
      entities: entity(.toOne("x", "Z")),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "'Z'"]
    ),
    Case(
      testDescription: "an inverse that does not exist",
      entities: entity(.toOne("x", "A", inverse: "y")),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "'A.y'"]
    ),
    Case(
      testDescription: "an inverse that does not lead back",
      entities: [
        EntityDescription(
          "A",
          properties: [.toOne("x", "B", inverse: "a"), .toOne("y", "B", inverse: "a")]
        ),
        EntityDescription("B", properties: [.toOne("a", "A", inverse: "y")]),
      ],
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "'a'"]
    ),
    Case(
      testDescription: "an ordered to-one",
      entities: entity(.relationship(RelationshipDescription("x", to: "A", isOrdered: true))),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "ordered"]
    ),
    Case(
      testDescription: "a negative count",
      entities: entity(
        .relationship(RelationshipDescription("x", to: "A", isToMany: true, minimumCount: -1))
      ),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "negative"]
    ),
    Case(
      testDescription: "a minimum above the maximum",
      entities: entity(
        .relationship(
          RelationshipDescription("x", to: "A", isToMany: true, minimumCount: 3, maximumCount: 2)
        )
      ),
      entity: "A",
      property: "x",
      mentions: ["'A.x'", "3", "2"]
    ),
    Case(
      testDescription: "a to-one of several",
      entities: entity(.relationship(RelationshipDescription("x", to: "A", maximumCount: 2))),
      entity: "A",
      property: "x",
      mentions: ["'A.x'"]
    ),
    Case(
      testDescription: "an empty constraint",
      entities: entity(.attribute("x", .string), uniqueness: [[]]),
      entity: "A",
      property: nil,
      mentions: ["'A'", "uniqueness constraint"]
    ),
    Case(
      testDescription: "a constraint on nothing",
      entities: entity(.attribute("x", .string), uniqueness: [["y"]]),
      entity: "A",
      property: "y",
      mentions: ["'A'", "'y'"]
    ),
    Case(
      testDescription: "a constraint on a to-many",
      entities: entity(.toMany("x", "A"), uniqueness: [["x"]]),
      entity: "A",
      property: "x",
      mentions: ["'A'", "'x'"]
    ),
    Case(
      testDescription: "an index whose name has a zero character",
      entities: indexed("by\0x"),
      entity: "A",
      property: nil,
      mentions: ["'A'", "'by\u{FFFD}x'"]
    ),
    Case(
      testDescription: "an index on a transient attribute",
      entities: entity(.attribute("x", .string, transient: true), indexes: [["x"]]),
      entity: "A",
      property: "x",
      mentions: ["'A'", "'x'", "index"]
    ),
  ]

  @Test(arguments: cases)
  func `one problem is named with its cure`(_ example: Case) throws {
    let error = try #require(throws: PerennialError.self) {
      _ = try ManagedObjectModel(entities: example.entities)
    }
    #expect(error.code == .invalidModel)
    #expect(error.entity == example.entity)
    #expect(error.property == example.property)
    #expect(!error.recovery.isEmpty)
    for name in example.mentions { #expect(error.message.contains(name), "\(error.message)") }
  }

  @Test func `several problems are listed`() throws {
    let error = try #require(throws: PerennialError.self) {
      _ = try ManagedObjectModel(
        EntityDescription("A", properties: [.toOne("x", "Z"), .attribute("y", .undefined)])
      )
    }
    #expect(error.code == .invalidModel)
    #expect(error.problems.map(\.property) == ["x", "y"])
    #expect(PerennialError.model ~= error)
  }

  @Test func `a near name is suggested`() throws {
    let error = try #require(throws: PerennialError.self) {
      _ = try ManagedObjectModel(
        EntityDescription("Commit", properties: [.toOne("author", "Auther")]),
        EntityDescription("Author", properties: [])
      )
    }
    #expect(error.recovery.contains("'Author'"))
  }
}

@Suite("An error's description")
struct ErrorDescriptionTests {
  @Test(arguments: [(2, 0), (20, 0), (21, 1), (200_000, 199_980)])
  func `lists the first twenty problems`(_ count: Int, _ rest: Int) {
    let problem = PerennialError(.missingMandatoryProperty, "There is no name.")
    let error = PerennialError(
      .multipleErrors,
      "There are \(count) problems.",
      problems: Array(repeating: problem, count: count)
    )
    let lines = error.description.split(separator: "\n")
    #expect(lines.filter { $0 == "  - There is no name." }.count == count - rest)
    #expect((lines.last == "  - and \(rest) more, in 'problems'") == (rest > 0))
  }
}
