// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@Suite("SEMANTICS 1A: what a model makes of descriptions")
struct ResolutionTests {
  private func inverse(_ property: String, of entity: String, in model: ManagedObjectModel)
    -> String?
  {
    for case .relationship(let relationship) in model.entitiesByName[entity]?.properties ?? []
    where relationship.name == property {
      return relationship.inverse
    }
    return nil
  }

  @Test func `a unique pair is inferred`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [.toOne("b", "B")]),
      EntityDescription("B", properties: [.toMany("all", "A")])
    )
    #expect(inverse("b", of: "A", in: model) == "all")
    #expect(inverse("all", of: "B", in: model) == "b")
  }

  @Test func `a pair within an entity is inferred`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [.toOne("parent", "A"), .toMany("children", "A")])
    )
    #expect(inverse("parent", of: "A", in: model) == "children")
  }

  @Test func `two to-one relationships within an entity are no pair until one names the other`()
    throws
  {
    let name = PropertyDescription.attribute("name", .string)
    func model(_ inverse: String?) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription(
          "A",
          properties: [name, .toOne("mother", "A", inverse: inverse), .toOne("father", "A")]
        )
      )
    }
    let unnamed = try model(nil)
    #expect(inverse("mother", of: "A", in: unnamed) == nil)
    #expect(inverse("father", of: "A", in: unnamed) == nil)
    #expect(unnamed.ambiguousInverses == [["A.father", "A.mother"]])

    let named = try model("father")
    #expect(inverse("father", of: "A", in: named) == "mother")
    #expect(named.ambiguousInverses.isEmpty)

    let following = try ManagedObjectModel(
      EntityDescription("A", properties: [.toMany("followers", "A"), .toMany("following", "A")])
    )
    #expect(inverse("followers", of: "A", in: following) == "following")
  }

  @Test func `an inverse named on one side holds for both`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [.toOne("x", "B", inverse: "p"), .toOne("y", "B")]),
      EntityDescription("B", properties: [.toMany("p", "A"), .toMany("q", "A")])
    )
    #expect(inverse("p", of: "B", in: model) == "x")
    #expect(inverse("y", of: "A", in: model) == "q")
  }

  @Test func `a relationship may be its own inverse`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [.toMany("allies", "A", inverse: "allies")])
    )
    #expect(inverse("allies", of: "A", in: model) == "allies")
    #expect(model.layout.links.map(\.isSymmetric) == [true])
  }

  @Test func `an ambiguous or lonely inverse stays nil`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [.toOne("x", "B"), .toOne("y", "B")]),
      EntityDescription("B", properties: [.toMany("all", "A")]),
      EntityDescription("C", properties: [.toOne("a", "A"), .toMany("peers", "C")])
    )
    #expect(inverse("x", of: "A", in: model) == nil)
    #expect(inverse("y", of: "A", in: model) == nil)
    #expect(inverse("all", of: "B", in: model) == nil)
    #expect(inverse("a", of: "C", in: model) == nil)
    #expect(inverse("peers", of: "C", in: model) == nil)
  }

  @Test func `what could have an inverse, but has several to choose from, is told`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [.toOne("x", "B"), .toOne("y", "B"), .toOne("d", "D")]),
      EntityDescription("B", properties: [.toMany("all", "A"), .toOne("lone", "D")]),
      EntityDescription("C", properties: [.toOne("a", "A"), .toMany("peers", "C")]),
      EntityDescription(
        "D",
        properties: [
          .toMany("them", "A"), .toOne("parent", "D"), .toMany("children", "D"),
          .toMany("friends", "D"),
        ]
      )
    )
    #expect(
      model.ambiguousInverses == [
        ["A.x", "A.y", "B.all"], ["D.children", "D.friends", "D.parent"],
      ]
    )

    let named = try ManagedObjectModel(
      EntityDescription("A", properties: [.toOne("x", "B", inverse: "all"), .toOne("y", "B")]),
      EntityDescription("B", properties: [.toMany("all", "A")])
    )
    #expect(named.ambiguousInverses.isEmpty)
  }

  @Test func `a relationship that infers no inverse has none, and is nobody's`() throws {
    var lone = RelationshipDescription("x", to: "B")
    lone.infersInverse = false
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [.relationship(lone)]),
      EntityDescription("B", properties: [.toMany("all", "A")])
    )
    #expect(inverse("x", of: "A", in: model) == nil)
    #expect(inverse("all", of: "B", in: model) == nil)
    // How a model is made of it is no part of what it is.
    #expect(lone == RelationshipDescription("x", to: "B"))
    let encoded = try JSONEncoder().encode(lone)
    #expect(try !JSONDecoder().decode(RelationshipDescription.self, from: encoded).infersInverse)
    let plain = try JSONEncoder().encode(RelationshipDescription("x", to: "B"))
    #expect(String(decoding: plain, as: UTF8.self).contains("inference") == false)
    #expect(try JSONDecoder().decode(RelationshipDescription.self, from: plain).infersInverse)
  }

  @Test func `a hierarchy of many levels is resolved`() throws {
    let entities = (0..<300).map { level in
      EntityDescription(
        "E\(level)",
        parent: level == 0 ? nil : "E\(level - 1)",
        properties: [.attribute("a\(level)", .string)]
      )
    }
    let model = try ManagedObjectModel(entities: entities)
    #expect(model.layout.entities[299].slots.count == 300)
  }

  @Test func `an inverse that the destination inherits is found`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Base", properties: [.toOne("owner", "Owner")]),
      EntityDescription("Sub", parent: "Base", properties: []),
      EntityDescription("Owner", properties: [.toMany("subs", "Sub", inverse: "owner")])
    )
    #expect(inverse("owner", of: "Base", in: model) == "subs")
    let layout = try model.layout.entity(named: "Owner")
    #expect(layout.toManys[0].inverseSlot == 0)
  }

  @Test func `entities are numbered without regard to case, depth first`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("zebra", properties: []),
      EntityDescription("Beta", properties: []),
      EntityDescription("alpha", properties: []),
      EntityDescription("Gamma", parent: "Beta", properties: []),
      EntityDescription("aaron", parent: "Gamma", properties: []),
      EntityDescription("delta", parent: "Beta", properties: [])
    )
    #expect(model.entities.map(\.name) == ["alpha", "Beta", "delta", "Gamma", "aaron", "zebra"])
    let beta = try model.layout.entity(named: "Beta")
    #expect(beta.family == 1..<5)
    #expect(try model.layout.entity(named: "aaron").root == 1)
    #expect(try model.layout.entity(named: "aaron").superentity == 3)
  }

  @Test func `a subentity's slots begin with those of its superentity`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "A",
        uniqueness: [["x"]],
        properties: [.attribute("x", .string), .toMany("m", "A"), .toOne("o", "A")]
      ),
      EntityDescription(
        "B",
        parent: "A",
        uniqueness: [["y", "x"]],
        properties: [.toMany("n", "A"), .attribute("y", .int64)]
      )
    )
    let (a, b) = (try model.layout.entity(named: "A"), try model.layout.entity(named: "B"))
    #expect(a.slots.map(\.name) == ["x", "o"])
    #expect(b.slots.map(\.name) == ["x", "o", "y"])
    #expect(b.toManys.map(\.name) == ["m", "n"])
    #expect(b.constraints == [[0], [2, 0]])
    #expect(b.constraintOwners == [a.index, b.index])
    #expect(b.bytesSlots == [0])
    #expect(b.referenceSlots == [1])
  }

  @Test func `composite attributes are flattened, all but the first element behind the rest`()
    throws
  {
    let inner = AttributeDescription(
      "geo",
      .composite,
      elements: [AttributeDescription("lat", .double), AttributeDescription("lon", .double)]
    )
    let model = try ManagedObjectModel(
      EntityDescription(
        "A",
        uniqueness: [["address.geo.lat", "address.city"]],
        properties: [
          .attribute("x", .string),
          .attribute(
            AttributeDescription(
              "address",
              .composite,
              isOptional: true,
              elements: [AttributeDescription("city", .string), inner]
            )
          ),
          .attribute("y", .bool),
        ]
      )
    )
    let layout = model.layout.entities[0]
    #expect(
      layout.slots.map(\.name) == ["x", "address.city", "y", "address.geo.lat", "address.geo.lon"]
    )
    #expect(layout.slots.map(\.isOptional) == [false, true, false, true, true])
    #expect(layout.elementSlots == [1: [1, 3, 4]])
    #expect(layout.constraints == [[3, 1]])
  }

  @Test(arguments: [false, true])
  func `the marks of a composite attribute hold for all of its elements`(isMarked: Bool) throws {
    let inner = AttributeDescription(
      "geo",
      .composite,
      elements: [AttributeDescription("lat", .double)]
    )
    let address = AttributeDescription(
      "address",
      .composite,
      isTransient: isMarked,
      preservesValueInHistoryOnDeletion: isMarked,
      elements: [AttributeDescription("city", .string), inner]
    )
    let plain = PropertyDescription.attribute("x", .bool)
    let model = try ManagedObjectModel(
      EntityDescription("A", properties: [plain, .attribute(address)])
    )
    let slots = model.layout.entities[0].slots
    #expect(slots.map(\.name) == ["x", "address.city", "address.geo.lat"])
    #expect(slots.map(\.isTransient) == [false, isMarked, isMarked])
    let preserved = slots.map { $0.attribute?.preservesValueInHistoryOnDeletion }
    #expect(preserved == [false, isMarked, isMarked])
    // A version hash does not count what is transient.
    let rest = try ManagedObjectModel(EntityDescription("A", properties: [plain]))
    #expect((model.entityVersionHashesByName == rest.entityVersionHashesByName) == isMarked)
  }

  @Test func `a model survives JSON`() throws {
    var entity = EntityDescription(
      "A",
      uniqueness: [["s"]],
      indexes: [["s", "o"]],
      properties: [
        .attribute("s", .string, default: "é"), .attribute("d", .date, default: Date.distantPast),
        .attribute("b", .binaryData, optional: true, default: Data([0, 255])),
        .toOne("o", "A"), .toMany("m", "A", deleteRule: .deny, ordered: true),
      ]
    )
    entity.userInfo = ["k": "v"]
    let model = try ManagedObjectModel(entity)
    let copy = try JSONDecoder().decode(
      ManagedObjectModel.self,
      from: try JSONEncoder().encode(model)
    )
    #expect(copy == model)
    #expect(copy.entities[0].userInfo == ["k": "v"])
  }

  @Test func `reading an invalid model fails`() throws {
    let entities = [EntityDescription("A", properties: [.toOne("x", "Z")])]
    let data = try JSONEncoder().encode(["entities": entities])
    #expect(throws: PerennialError.self) {
      _ = try JSONDecoder().decode(ManagedObjectModel.self, from: data)
    }
  }
}
