// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

/// What a plan says of each row of SEMANTICS 1J.
@Suite("SEMANTICS 1J: what an inferred migration plans")
struct MigrationPlanTests {
  private typealias Change = MigrationChange.Kind

  private func plan(_ old: [EntityDescription], _ new: [EntityDescription]) throws -> MigrationPlan
  {
    try MigrationPlan(
      from: ManagedObjectModel(entities: old),
      to: ManagedObjectModel(entities: new)
    )
  }

  private func entity(_ name: String, _ properties: PropertyDescription...) -> EntityDescription {
    EntityDescription(name, properties: properties)
  }

  private func attribute(
    _ name: String,
    _ type: AttributeType = .string,
    optional: Bool = true,
    was identifier: String? = nil
  ) -> PropertyDescription {
    .attribute(
      AttributeDescription(name, type, isOptional: optional, renamingIdentifier: identifier)
    )
  }

  /// The kinds, places and risks of a plan's changes.
  private func summary(_ plan: MigrationPlan) -> [String] {
    plan.changes.map {
      "\($0.kind.rawValue) \($0.place) \($0.risk.words)\($0.isInferable ? "" : " !")"
    }
  }

  @Test func `equal models need nothing`() throws {
    let plan = try plan([entity("A", attribute("x"))], [entity("A", attribute("x"))])
    #expect(plan.changes.isEmpty && plan.isEmpty && plan.risk == .safe && plan.isInferable)
  }

  @Test func `Inferred: add attribute`() throws {
    let old = [entity("A", attribute("x"))]
    let optional = try plan(old, [entity("A", attribute("x"), attribute("y"))])
    #expect(summary(optional) == ["attributeAdded A.y safe"])
    let filled = try plan(old, [entity("A", attribute("x"), .attribute("y", .int64, default: 7))])
    #expect(summary(filled) == ["attributeAdded A.y safe"])
    let required = try plan(old, [entity("A", attribute("x"), .attribute("y", .int64))])
    #expect(summary(required) == ["attributeAdded A.y needs code !"])
    #expect(!required.isInferable && required.risk == .needsCode)
  }

  @Test func `Inferred: remove attribute`() throws {
    let plan = try plan(
      [entity("A", attribute("x"), attribute("y"))],
      [entity("A", attribute("x"))]
    )
    #expect(summary(plan) == ["attributeRemoved A.y destructive"])
    #expect(plan.isInferable)
  }

  @Test func `Inferred: non-optional to optional, and back with a default`() throws {
    let required = [entity("A", .attribute("x", .int64))]
    let optional = [entity("A", .attribute("x", .int64, optional: true))]
    let filled = [entity("A", .attribute("x", .int64, default: 1))]
    #expect(try summary(plan(required, optional)) == ["optionalityChanged A.x safe"])
    #expect(try summary(plan(optional, filled)) == ["optionalityChanged A.x safe"])
    #expect(try summary(plan(optional, required)) == ["optionalityChanged A.x needs code !"])
  }

  @Test func `Inferred: rename via renamingIdentifier, 1 to 3 too`() throws {
    let first = [entity("A", attribute("x"))]
    let second = [entity("A", attribute("y", was: "x"))]
    let third = [entity("A", attribute("z", was: "x"))]
    #expect(try summary(plan(first, second)) == ["attributeRenamed A.y safe"])
    #expect(try summary(plan(second, third)) == ["attributeRenamed A.z safe"])
    #expect(try summary(plan(first, third)) == ["attributeRenamed A.z safe"])
    // An identifier that names the version before works, too.
    let chained = [entity("A", attribute("z", was: "y"))]
    #expect(try summary(plan(second, chained)) == ["attributeRenamed A.z safe"])
    // Names that change places.
    let pair = [entity("A", attribute("x"), attribute("y"))]
    let swapped = [entity("A", attribute("x", was: "y"), attribute("y", was: "x"))]
    #expect(
      try summary(plan(pair, swapped)) == [
        "attributeRenamed A.x safe", "attributeRenamed A.y safe",
      ]
    )
    // A new one may take the name of one that was renamed.
    let reused = [entity("A", attribute("x"), attribute("y", was: "x"))]
    #expect(
      try summary(plan(first, reused)) == ["attributeAdded A.x safe", "attributeRenamed A.y safe"]
    )
    let twice = [entity("A", attribute("y", was: "x"), attribute("z", was: "x"))]
    #expect(try plan(first, twice).changes.contains { $0.kind == .ambiguousRenaming })
    #expect(try !plan(first, twice).isInferable)
  }

  @Test func `Inferred: add, remove and rename relationship`() throws {
    let plain = [entity("A"), entity("B")]
    let linked = [
      entity("A", .toOne("b", "B", inverse: "all")), entity("B", .toMany("all", "A", inverse: "b")),
    ]
    #expect(
      try summary(plan(plain, linked)) == [
        "relationshipAdded A.b safe", "relationshipAdded B.all safe",
      ]
    )
    let removal = try plan(linked, plain)
    #expect(
      summary(removal) == [
        "relationshipRemoved A.b destructive", "relationshipRemoved B.all destructive",
      ]
    )
    var renamed = RelationshipDescription("owner", to: "B", inverse: "all")
    renamed.renamingIdentifier = "b"
    let after = [
      EntityDescription("A", properties: [.relationship(renamed)]),
      entity("B", .toMany("all", "A", inverse: "owner")),
    ]
    #expect(try summary(plan(linked, after)) == ["relationshipRenamed A.owner safe"])
    // Its inverse tells which one it was.
    renamed.renamingIdentifier = nil
    let silent = [
      EntityDescription("A", properties: [.relationship(renamed)]),
      entity("B", .toMany("all", "A", inverse: "owner")),
    ]
    #expect(try summary(plan(linked, silent)) == ["relationshipRenamed A.owner safe"])
    // Only one way is removed: the other one holds everything.
    let oneWay = [entity("A", .toOne("b", "B")), entity("B")]
    #expect(
      try summary(plan(linked, oneWay)) == [
        "inverseChanged A.b safe", "relationshipRemoved B.all safe",
      ]
    )
  }

  @Test func `Inferred: to-one to to-many, unordered and ordered`() throws {
    func model(_ ends: PropertyDescription...) -> [EntityDescription] {
      [EntityDescription("A", properties: ends), entity("B")]
    }
    let one = model(.toOne("b", "B"))
    let many = model(.toMany("b", "B"))
    let ordered = model(.toMany("b", "B", ordered: true))
    #expect(try summary(plan(one, many)) == ["cardinalityChanged A.b safe"])
    #expect(try summary(plan(many, one)) == ["cardinalityChanged A.b needs code !"])
    #expect(try summary(plan(many, ordered)) == ["orderChanged A.b safe"])
    #expect(try summary(plan(ordered, many)) == ["orderChanged A.b destructive"])
    #expect(try plan(ordered, many).isInferable)
  }

  @Test func `Inferred: add, remove and rename entity`() throws {
    #expect(try summary(plan([entity("A")], [entity("A"), entity("B")])) == ["entityAdded B safe"])
    #expect(
      try summary(plan([entity("A"), entity("B")], [entity("A")])) == [
        "entityRemoved B destructive"
      ]
    )
    var renamed = entity("C", attribute("x"))
    renamed.renamingIdentifier = "A"
    let plan = try plan([entity("A", attribute("x"))], [renamed])
    #expect(summary(plan) == ["entityRenamed C safe"])
  }

  @Test func `Inferred: new parent, new child, properties move up and down`() throws {
    let flat = [entity("A", attribute("x"), attribute("y"))]
    let raised = [
      entity("P", attribute("x")),
      EntityDescription("A", parent: "P", properties: [attribute("y")]),
    ]
    #expect(
      try summary(plan(flat, raised)) == [
        "entityAdded P safe", "parentChanged A safe", "propertyMoved A.x safe",
      ]
    )
    #expect(
      try summary(plan(raised, flat)) == [
        "parentChanged A safe", "propertyMoved A.x safe", "entityRemoved P destructive",
      ]
    )
    let child = flat + [EntityDescription("C", parent: "A", properties: [attribute("z")])]
    #expect(try summary(plan(flat, child)) == ["entityAdded C safe"])
    let lowered = [
      entity("A", attribute("x")),
      EntityDescription("C", parent: "A", properties: [attribute("y"), attribute("z")]),
    ]
    // Objects of A itself lose the value, those of C keep it.
    #expect(
      try summary(plan(child, lowered)) == [
        "attributeRemoved A.y destructive", "propertyMoved C.y safe",
      ]
    )
  }

  @Test func `Inferred: entities move in and out of a hierarchy; hierarchies do not merge`() throws
  {
    let tree = [
      entity("P", attribute("x")), EntityDescription("A", parent: "P", properties: []),
      EntityDescription("B", parent: "P", properties: []),
    ]
    let out = [
      entity("P", attribute("x")), EntityDescription("A", parent: "P", properties: []),
      entity("B", attribute("x")),
    ]
    #expect(try plan(tree, out).isInferable)
    let apart = [entity("A", attribute("x")), entity("B", attribute("x"))]
    let merged = try plan(apart, tree)
    #expect(merged.changes.contains { $0.kind == .hierarchiesMerged && $0.entity == "P" })
    #expect(!merged.isInferable)
  }

  @Test func `Constraint added over duplicates: told beforehand`() throws {
    let old = [entity("A", attribute("x"))]
    let new = [EntityDescription("A", uniqueness: [["x"]], properties: [attribute("x")])]
    #expect(try summary(plan(old, new)) == ["constraintAdded A.x needs code"])
    #expect(try summary(plan(new, old)) == ["constraintRemoved A safe"])
  }

  @Test func `a constraint on an element of a composite attribute stays, whatever its name`() throws
  {
    func model(
      _ place: String,
      _ zip: String,
      _ more: PropertyDescription...,
      isRenamed: Bool = false
    ) -> [EntityDescription] {
      let element = AttributeDescription(
        zip,
        .string,
        isOptional: true,
        renamingIdentifier: isRenamed ? "zip" : nil
      )
      let address = AttributeDescription(
        place,
        .composite,
        elements: [element],
        renamingIdentifier: isRenamed ? "address" : nil
      )
      return [
        EntityDescription(
          "A",
          uniqueness: [["\(place).\(zip)"]],
          properties: [.attribute(address)] + more
        )
      ]
    }
    let old = model("address", "zip")
    let longer = try plan(old, model("address", "zip", attribute("x")))
    #expect(summary(longer) == ["attributeAdded A.x safe"])
    let renamed = try plan(old, model("home", "code", isRenamed: true))
    #expect(
      summary(renamed) == ["attributeRenamed A.home safe", "attributeRenamed A.home.code safe"]
    )
  }

  @Test func `types widen, and nothing else`() throws {
    func types(_ old: AttributeType, _ new: AttributeType) throws -> MigrationPlan {
      try plan([entity("A", attribute("x", old))], [entity("A", attribute("x", new))])
    }
    #expect(try summary(types(.int16, .int64)) == ["typeChanged A.x safe"])
    #expect(try summary(types(.float, .double)) == ["typeChanged A.x safe"])
    #expect(try summary(types(.int64, .int16)) == ["typeChanged A.x needs code !"])
    #expect(try summary(types(.int64, .double)) == ["typeChanged A.x needs code !"])
    #expect(try summary(types(.string, .date)) == ["typeChanged A.x needs code !"])
  }

  @Test func `what no version hash tells is a change, too`() throws {
    func changes(_ old: PropertyDescription, _ new: PropertyDescription) throws -> [String] {
      let plan = try plan([entity("A", attribute("x"), old)], [entity("A", attribute("x"), new)])
      let hashes = [plan.source, plan.destination].map(\.entityVersionHashesByName)
      #expect(hashes[0] == hashes[1] && !plan.isEmpty)
      return summary(plan)
    }
    func derived(_ expression: String) -> PropertyDescription {
      .attribute("y", .string, optional: true, derived: expression)
    }
    func single(isToMany: Bool) -> PropertyDescription {
      var one = RelationshipDescription("z", to: "A", isToMany: isToMany, maximumCount: 1)
      one.infersInverse = false
      return .relationship(one)
    }
    #expect(
      try changes(derived("x"), derived("lowercase:(x)")) == ["derivationChanged A.y safe"]
    )
    #expect(
      try changes(single(isToMany: true), single(isToMany: false))
        == ["cardinalityChanged A.z needs code !"]
    )
    #expect(
      try changes(single(isToMany: false), single(isToMany: true))
        == ["cardinalityChanged A.z safe"]
    )
  }

  @Test(arguments: [
    ("lowercase:(x)", "lowercase(x)"), ("lowercase:(x)", "lowercase:( x )"), ("x", " x"),
    ("z.@sum.n", "z.n.@sum"), ("z.@count", "z . @count"), ("now()", "now( )"),
  ])
  func `another spelling of a derivation is no change`(_ first: String, _ second: String) throws {
    func model(_ derivation: String) -> [EntityDescription] {
      let first = EntityDescription(
        "A",
        uniqueness: [["y"]],
        properties: [
          attribute("x"), .toMany("z", "B", inverse: "a"),
          .attribute("y", .string, optional: true, derived: derivation),
        ]
      )
      return [first, entity("B", .attribute("n", .int64), .toOne("a", "A", inverse: "z"))]
    }
    let same = try plan(model(first), model(second))
    #expect(same.changes.isEmpty && same.isEmpty)
    let other = try plan(model(first), model("uppercase:(x)"))
    #expect(!other.changes.isEmpty && !other.isEmpty)
  }

  @Test func `what no hash tells is read of a model's text without making the model`() throws {
    func model(
      _ derivation: String,
      isToMany: Bool,
      _ indexes: [String]...
    ) throws -> ManagedObjectModel {
      let owner = RelationshipDescription(
        "z",
        to: "B",
        inverse: "a",
        isToMany: isToMany,
        maximumCount: 1
      )
      return try ManagedObjectModel(
        EntityDescription(
          "A",
          indexes: indexes,
          properties: [
            attribute("x"), .attribute("y", .string, optional: true, derived: derivation),
            .relationship(owner),
          ]
        ),
        entity("B", .toMany("a", "A", inverse: "z"))
      )
    }
    let text = try JSONEncoder().encode(model("x", isToMany: true))
    let parts = try JSONDecoder().decode(UnhashedParts.self, from: text)
    let same = try model(" x", isToMany: true, ["x"])
    #expect(parts == UnhashedParts(of: same.layout))
    let others = [
      try model("lowercase:(x)", isToMany: true), try model("x", isToMany: false),
    ]
    for other in others { #expect(parts != UnhashedParts(of: other.layout)) }
  }

  @Test func `a printed plan names risk, place, change and cure`() throws {
    let plan = try plan(
      [entity("A", attribute("x"))],
      [entity("A", attribute("y")), entity("B")]
    )
    let text = """
      3 changes: 1 destructive, 2 safe
        safe         A.y: attribute added (String, optional)
        destructive  A.x: attribute removed; its values are lost
                     fix: if it was renamed, give the new one the renaming identifier 'x'
        safe         B: entity added
      """
    #expect(plan.description == text)
  }
}
