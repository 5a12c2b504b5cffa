// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Testing

/// What a plan calls safe loses nothing, and what it says of names is what is done.
@Suite("Risks of migration plans")
struct MigrationRiskTests {
  /// The risks, places and words of what a plan has to say.
  private func plan(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> [String] {
    let plan = try MigrationPlan(
      from: ManagedObjectModel(entities: old),
      to: ManagedObjectModel(entities: new)
    )
    return plan.changes.map { "\($0.risk.words)\($0.isInferable ? "" : "!") \($0)" }
  }

  private func entity(
    _ name: String,
    _ parent: String? = nil,
    _ properties: PropertyDescription...
  ) -> EntityDescription {
    EntityDescription(name, parent: parent, properties: properties)
  }

  private func text(_ name: String, was identifier: String? = nil) -> PropertyDescription {
    .attribute(
      AttributeDescription(name, .string, isOptional: true, renamingIdentifier: identifier)
    )
  }

  // MARK: Names

  @Test func `an identifier that is kept is not mistaken for a name that is used again`() throws {
    let second = [entity("A", nil, text("a"), text("b", was: "a"))]
    let third = [entity("A", nil, text("a"), text("b", was: "a"), text("c"))]
    #expect(try plan(second, third) == ["safe A.c: attribute added (String, optional)"])
    #expect(
      try plan([entity("A", nil, text("a"))], third) == [
        "safe A.a: attribute added (String, optional)", "safe A.b: attribute renamed from 'a'",
        "safe A.c: attribute added (String, optional)",
      ]
    )
    let renamed = [entity("A", nil, text("a"), text("d", was: "a"))]
    #expect(try plan(second, renamed) == ["safe A.d: attribute renamed from 'b'"])
  }

  @Test func `names that were exchanged and keep their identifiers stay`() throws {
    let second = [entity("A", nil, text("a", was: "b"), text("b", was: "a"))]
    let third = [entity("A", nil, text("a", was: "b"), text("b", was: "a"), text("c"))]
    #expect(try plan(second, third) == ["safe A.c: attribute added (String, optional)"])
  }

  @Test func `an identifier outranks a name, whatever their order`() throws {
    // Two identifiers that an old attribute answers to: as its identifier, and as its name.
    let old = [entity("A", nil, text("b", was: "a"))]
    let new = [entity("A", nil, text("p", was: "b"), text("q", was: "a"))]
    #expect(
      try plan(old, new) == [
        "safe A.p: attribute added (String, optional)", "safe A.q: attribute renamed from 'b'",
      ]
    )
  }

  @Test func `entities that keep their identifiers stay`() throws {
    var team = entity("Team", nil, text("x"))
    team.renamingIdentifier = "Club"
    let club = entity("Club", nil, text("x"))
    let larger = entity("Club", nil, text("x"), text("y"))
    #expect(
      try plan([club, team], [larger, team]) == ["safe Club.y: attribute added (String, optional)"]
    )
  }

  // MARK: Inheritance

  @Test func `a property that is inherited now is compared with the entity's own`() throws {
    func model(_ type: AttributeType, isOptional: Bool, moves: Bool) -> [EntityDescription] {
      let x = PropertyDescription.attribute("x", type, optional: true)
      return [
        entity("Root"), entity("A", "Root", .attribute("x", .string, optional: isOptional)),
        moves ? entity("B", "A") : entity("B", "Root", x),
      ]
    }
    #expect(
      try plan(
        model(.int64, isOptional: true, moves: false),
        model(.int64, isOptional: true, moves: true)
      ) == [
        "safe B: inherits from 'A' now", "safe B.x: declared by 'B' before",
        "needs code! B.x: type changed from Integer 64 to String",
      ]
    )
    #expect(
      try plan(
        model(.string, isOptional: false, moves: false),
        model(.string, isOptional: false, moves: true)
      ) == [
        "safe B: inherits from 'A' now", "safe B.x: declared by 'B' before",
        "needs code! B.x: becomes required, without a default value",
      ]
    )
  }

  @Test func `what a parent had before, too, is told with it alone`() throws {
    func model(_ type: AttributeType) -> [EntityDescription] {
      [entity("A", nil, .attribute("x", type, optional: true)), entity("B", "A")]
    }
    #expect(
      try plan(model(.int64), model(.string)) == [
        "needs code! A.x: type changed from Integer 64 to String"
      ]
    )
  }

  @Test func `links to objects of an entity that leaves are lost`() throws {
    func cars(_ parent: String?, _ back: PropertyDescription...) -> [EntityDescription] {
      [
        entity("Root"), entity("Animal", "Root"),
        EntityDescription("Person", parent: "Root", properties: back), entity("Robot", parent),
        entity("Car", nil, .toOne("driver", "Person", inverse: back.isEmpty ? nil : "cars")),
      ]
    }
    let lost = "no longer leads to objects of 'Robot'; such links are lost"
    #expect(
      try plan(cars("Person"), cars("Animal")) == [
        "destructive Car.driver: \(lost)", "safe Robot: inherits from 'Animal' now",
      ]
    )
    let back = PropertyDescription.toMany("cars", "Car", inverse: "driver")
    #expect(
      try plan(cars("Person", back), cars(nil, back)) == [
        "destructive Car.driver: \(lost)", "safe Robot: inherits from no entity now",
        "destructive Robot.cars: relationship removed; what it holds is lost",
      ]
    )
    // An abstract entity has no objects.
    func shapes(_ parent: String?) -> [EntityDescription] {
      [
        entity("Root"), entity("Shape", "Root"),
        EntityDescription("Curve", parent: parent, isAbstract: true, properties: []),
        entity("Canvas", nil, .toMany("shapes", "Shape")),
      ]
    }
    #expect(
      try plan(shapes("Shape"), shapes("Root")) == ["safe Curve: inherits from 'Root' now"]
    )
  }

  @Test func `a relationship that moves up has the inverse that it had`() throws {
    func model(_ owner: String, hasParent: Bool = true) -> [EntityDescription] {
      let back = PropertyDescription.toOne("club", "Club", inverse: "people")
      return [entity("Club", nil, .toMany("people", owner, inverse: "club"))]
        + (hasParent ? [EntityDescription("P", properties: owner == "P" ? [back] : [])] : [])
        + [
          EntityDescription(
            "C",
            parent: hasParent ? "P" : nil,
            properties: owner == "C" ? [back] : []
          )
        ]
    }
    #expect(
      try plan(model("C"), model("P")) == [
        "safe Club.people: leads to 'P' in general now",
        "safe P.club: relationship added (to-one Club)", "safe C.club: declared by 'C' before",
      ]
    )
    #expect(
      try plan(model("C", hasParent: false), model("P")).allSatisfy { $0.hasPrefix("safe ") }
    )
  }

  @Test func `another relationship of the same name is another inverse`() throws {
    let old = [
      entity("Club", nil, .toMany("people", "C", inverse: "club")),
      entity("Fair", nil, .toMany("robots", "D", inverse: "club")), entity("P"),
      entity("C", "P", .toOne("club", "Club", inverse: "people")),
      entity("D", "P", .toOne("club", "Fair", inverse: "robots")),
    ]
    let new = [
      entity("Club", nil, .toMany("people", "P", inverse: "club")), entity("Fair"),
      entity("P", nil, .toOne("club", "Club", inverse: "people")), entity("C", "P"),
      entity("D", "P"),
    ]
    let changes = try plan(old, new)
    #expect(changes.contains("needs code! D.club: leads to 'Club', not to 'Fair' any more"))
    #expect(changes.contains("needs code! D.club: has another inverse, 'people'"))
    #expect(!changes.contains { $0.contains("Club.people: has another inverse") })
  }

  @Test func `a way back that becomes to-one needs code at both ends`() throws {
    let old = [
      entity("A", nil, .toMany("bs", "B", inverse: "a")),
      entity("B", nil, .toOne("a", "A", inverse: "bs")),
    ]
    let new = [
      entity("A", nil, .toOne("bs", "B", inverse: "a")),
      entity("B", nil, .toOne("a", "A", inverse: "bs")),
    ]
    #expect(
      try plan(old, new) == [
        "needs code! A.bs: to-many becomes to-one",
        "needs code! B.a: its inverse 'bs' becomes to-one",
      ]
    )
  }

  // MARK: Elements

  @Test func `elements of composite attributes are compared one by one`() throws {
    func model(isOptional: Bool = false, _ element: AttributeDescription) -> [EntityDescription] {
      [
        entity(
          "A",
          nil,
          .attribute(
            AttributeDescription("c", .composite, isOptional: isOptional, elements: [element])
          )
        )
      ]
    }
    let optional = AttributeDescription("x", .int16, isOptional: true)
    let required = AttributeDescription("x", .int16)
    let filled = AttributeDescription("x", .int16, defaultValue: .integer(1))
    #expect(
      try plan(model(optional), model(required)) == [
        "needs code! A.c.x: becomes required, without a default value"
      ]
    )
    #expect(
      try plan(model(optional), model(filled)) == [
        "safe A.c.x: becomes required; its default value fills gaps"
      ]
    )
    #expect(try plan(model(required), model(optional)) == ["safe A.c.x: becomes optional"])
    // Where the whole may be missing, an element may be.
    #expect(
      try plan(model(isOptional: true, optional), model(isOptional: true, required)) == [
        "safe A.c.x: becomes required, within what is not"
      ]
    )
    #expect(
      try plan(model(isOptional: true, required), model(required)) == [
        "needs code! A.c.x: becomes required, without a default value",
        "safe A.c: becomes required, as far as its elements are",
      ]
    )
    let wider = AttributeDescription("x", .int64, isOptional: true)
    #expect(
      try plan(model(optional), model(wider)) == [
        "safe A.c.x: type changed from Integer 16 to Integer 64"
      ]
    )
    #expect(
      try plan(model(wider), model(optional)) == [
        "needs code! A.c.x: type changed from Integer 64 to Integer 16"
      ]
    )
  }

  // MARK: Constraints

  private func unique(
    _ name: String,
    _ parent: String? = nil,
    _ properties: PropertyDescription...
  ) -> EntityDescription {
    EntityDescription(name, parent: parent, uniqueness: [["x"]], properties: properties)
  }

  @Test func `values that fill gaps under a constraint may be the same`() throws {
    let optional = [unique("A", nil, text("x"))]
    let filled = [unique("A", nil, .attribute("x", .string, default: "-"))]
    #expect(
      try plan(optional, filled) == [
        "needs code A.x: uniqueness constraint (x): several objects may get the same values",
        "safe A.x: becomes required; its default value fills gaps",
      ]
    )
    #expect(try plan(filled, optional) == ["safe A.x: becomes optional"])
  }

  @Test func `a constraint that holds for more objects may find duplicates`() throws {
    let words = "uniqueness constraint (x) holds for objects of more entities now"
    // An entity comes under a parent that has one.
    let apart = [entity("Root"), unique("A", "Root", text("x")), entity("B", "Root", text("x"))]
    let under = [entity("Root"), unique("A", "Root", text("x")), entity("B", "A")]
    #expect(
      try plan(apart, under) == [
        "needs code A.x: \(words)", "safe B: inherits from 'A' now",
        "safe B.x: declared by 'B' before",
      ]
    )
    // Two constraints become one.
    let two = [entity("Root"), unique("A", "Root", text("x")), unique("B", "Root", text("x"))]
    let one = [unique("Root", nil, text("x")), entity("A", "Root"), entity("B", "Root")]
    #expect(try plan(two, one).contains("needs code Root.x: \(words)"))
    // A new parent brings one.
    let alone = [entity("A", nil, text("x"))]
    let below = [unique("Root", nil, text("x")), entity("A", "Root")]
    #expect(try plan(alone, below).contains("needs code Root.x: uniqueness constraint added (x)"))
    // One that moves up to a new parent finds what it held for before.
    #expect(try plan([unique("A", nil, text("x"))], below).allSatisfy { $0.hasPrefix("safe ") })
  }

  @Test func `a constraint finds nothing among values that no object has`() throws {
    #expect(
      try plan([entity("A")], [unique("A", nil, text("x"))]) == [
        "safe A.x: uniqueness constraint added (x)",
        "safe A.x: attribute added (String, optional)",
      ]
    )
    #expect(
      try plan([entity("A")], [unique("A", nil, .attribute("x", .string, default: "-"))])
        .contains("needs code A.x: uniqueness constraint added (x)")
    )
  }
}
