// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import Testing

/// What a plan says of each change: SEMANTICS 1K.
@Suite("Changes in migration plans")
struct MigrationWordsTests {
  private func changes(
    _ old: [PropertyDescription],
    _ new: [PropertyDescription],
    modifier: String? = nil
  ) throws -> [String] {
    func model(_ properties: [PropertyDescription], _ modifier: String?) throws
      -> ManagedObjectModel
    {
      var thing = EntityDescription("Thing", properties: properties)
      thing.versionHashModifier = modifier
      return try ManagedObjectModel(thing)
    }
    let plan = MigrationPlan(from: try model(old, nil), to: try model(new, modifier))
    return plan.changes.map {
      "\($0.risk.words) \($0)" + ($0.advice.isEmpty ? "" : "; \($0.advice)")
    }
  }

  private func relationship(
    isToMany: Bool = false,
    isOptional: Bool = true,
    minimum: Int = 0,
    modifier: String? = nil
  ) -> PropertyDescription {
    var relationship = RelationshipDescription(
      "r",
      to: "Thing",
      isToMany: isToMany,
      isOptional: isOptional,
      minimumCount: minimum,
      versionHashModifier: modifier
    )
    relationship.infersInverse = false
    return .relationship(relationship)
  }

  @Test func `of relationships that become required or optional`() throws {
    #expect(
      try changes([relationship()], [relationship(isOptional: false)]) == [
        "needs code Thing.r: becomes required; set it in a MigrationStage"
      ]
    )
    #expect(
      try changes(
        [relationship(isToMany: true)],
        [relationship(isToMany: true, isOptional: false)]
      ) == ["safe Thing.r: becomes required"]
    )
    #expect(
      try changes(
        [relationship(isToMany: true)],
        [relationship(isToMany: true, isOptional: false, minimum: 1)]
      ).first == "needs code Thing.r: becomes required; set it in a MigrationStage"
    )
    #expect(
      try changes([relationship(isOptional: false)], [relationship()]) == [
        "safe Thing.r: becomes optional"
      ]
    )
    #expect(
      try changes([relationship(isToMany: true)], [relationship(isToMany: true, minimum: 2)]) == [
        "safe Thing.r: the count is bounded otherwise, from the next save on"
      ]
    )
  }

  @Test func `of relationships that come`() throws {
    #expect(
      try changes([], [relationship(isToMany: true, isOptional: false)]) == [
        "safe Thing.r: relationship added (to-many Thing)"
      ]
    )
    for new in [
      relationship(isOptional: false), relationship(isToMany: true, isOptional: false, minimum: 1),
    ] {
      let change = try #require(changes([], [new]).first)
      #expect(change.hasPrefix("needs code Thing.r: required relationship added (to-"))
      #expect(change.hasSuffix("make it optional, or set it in a MigrationStage"))
    }
  }

  @Test func `of relationships that become to-one or to-many, and attributes relationships`() throws
  {
    #expect(
      try changes([relationship(isToMany: true)], [relationship()]) == [
        "needs code Thing.r: to-many becomes to-one; choose the one object in a MigrationStage"
      ]
    )
    let attribute = PropertyDescription.attribute("r", .string, optional: true)
    for (old, new) in [(attribute, relationship()), (relationship(), attribute)] {
      #expect(
        try changes([old], [new]) == [
          "needs code Thing.r: an attribute becomes a relationship, or the other way round; "
            + "set it in a MigrationStage"
        ]
      )
    }
  }

  @Test func `of modifiers, which say that something means another thing`() throws {
    let words = "version hash modifier changed"
    #expect(
      try changes([relationship()], [relationship(modifier: "1")]) == ["safe Thing.r: \(words)"]
    )
    var attribute = AttributeDescription("a", .string, isOptional: true)
    let old = PropertyDescription.attribute(attribute)
    attribute.versionHashModifier = "1"
    attribute.preservesValueInHistoryOnDeletion = true
    #expect(
      try changes([old], [.attribute(attribute)]) == [
        "safe Thing.a: what history keeps of it on deletion changes", "safe Thing.a: \(words)",
      ]
    )
    #expect(try changes([old], [old], modifier: "1") == ["safe Thing: \(words)"])
  }

  @Test func `of attributes that no store has, or has now`() throws {
    let stored = PropertyDescription.attribute("a", .string)
    let transient = PropertyDescription.attribute("a", .string, transient: true)
    #expect(
      try changes([], [transient]) == ["safe Thing.a: transient attribute added (String)"]
    )
    #expect(
      try changes([transient], [stored]) == [
        "needs code Thing.a: is stored now, required and without a default value; "
          + "set it in a MigrationStage"
      ]
    )
    let optional = PropertyDescription.attribute("a", .string, optional: true)
    #expect(try changes([transient], [optional]) == ["safe Thing.a: is stored now"])
  }

  @Test func `of composite attributes`() throws {
    func composite(
      _ elements: [AttributeDescription],
      isOptional: Bool = false
    ) -> PropertyDescription {
      .attribute(
        AttributeDescription("c", .composite, isOptional: isOptional, elements: elements)
      )
    }
    let (optional, required) = (
      AttributeDescription("x", .string, isOptional: true), AttributeDescription("x", .string)
    )
    let full = AttributeDescription("y", .int64, defaultValue: .integer(1))
    let inner = AttributeDescription("inner", .composite, elements: [required])
    #expect(
      try changes([], [composite([optional, full])]) == [
        "safe Thing.c: attribute added (Composite, with a default value)"
      ]
    )
    for elements in [[required], [inner]] {
      let change = try #require(changes([], [composite(elements)]).first)
      #expect(change.hasPrefix("needs code Thing.c: required attribute added (Composite), without"))
    }
    #expect(
      try changes([composite([optional])], [composite([optional, full])]) == [
        "safe Thing.c.y: element added"
      ]
    )
    let renamed = AttributeDescription(
      "z",
      .string,
      isOptional: true,
      renamingIdentifier: "x"
    )
    #expect(
      try changes([composite([optional])], [composite([renamed])]) == [
        "safe Thing.c.z: element renamed from 'x'"
      ]
    )
    #expect(
      try changes([composite([optional, full])], [composite([full])]) == [
        "destructive Thing.c.x: element removed; its values are lost; "
          + "if it was renamed, give the new one the renaming identifier 'x'"
      ]
    )
    #expect(
      try changes([composite([full])], [composite([full, required])]) == [
        "needs code Thing.c.x: required element added, without a default value; "
          + "set it in a MigrationStage"
      ]
    )
    #expect(
      try changes([composite([full])], [composite([full, inner])]) == [
        "needs code Thing.c.inner.x: required element added, without a default value; "
          + "set it in a MigrationStage"
      ]
    )
  }
}
