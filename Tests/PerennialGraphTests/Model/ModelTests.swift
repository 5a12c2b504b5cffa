// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@Suite("SEMANTICS 1A: the model as a value")
struct ModelTests {
  private let model: ManagedObjectModel

  init() throws { model = try makeModel() }

  @Test func `1A.1 a model is a Sendable value that survives JSON with its fetch requests`() throws
  {
    let template = FetchRequestTemplate("all", entity: "Commit", predicate: "size > $SIZE")
    let model = try ManagedObjectModel(entities: model.entities, fetchRequestTemplates: [template])
    let copy = try JSONDecoder().decode(
      ManagedObjectModel.self,
      from: JSONEncoder().encode(model)
    )
    #expect(copy == model)
    #expect(copy.fetchRequestTemplates == [template])
    #expect(
      copy.entitiesByName.keys.sorted() == ["Author", "Badge", "Commit", "GoldBadge", "Team"]
    )
  }

  @Test func `1A.1 models merge; one entity described in two ways is an error`() throws {
    let other = try ManagedObjectModel(
      EntityDescription("Tag", properties: [.attribute("t", .string)])
    )
    let merged = try ManagedObjectModel(merging: [model, other, model])
    #expect(merged.entities.count == model.entities.count + 1)
    let clash = try ManagedObjectModel(
      EntityDescription("Tag", properties: [.attribute("u", .string)])
    )
    #expect(code { _ = try ManagedObjectModel(merging: [other, clash]) } == .invalidModel)
  }

  @Test func `1A.2 a version hash knows properties and constraints, not indexes and notes`() throws
  {
    func hash(_ change: (inout EntityDescription) -> Void) throws -> Data? {
      var entity = EntityDescription(
        "A",
        properties: [.attribute("x", .string), .attribute("y", .int64)]
      )
      change(&entity)
      return try ManagedObjectModel(entity).entityVersionHashesByName["A"]
    }
    let plain = try hash { _ in }
    #expect(plain?.count == 32)
    #expect(try hash { $0.indexes = [FetchIndexDescription(["x"])] } == plain)
    #expect(try hash { $0.userInfo = ["a": "b"] } == plain)
    #expect(try hash { $0.uniquenessConstraints = [["x"]] } != plain)
    #expect(try hash { $0.versionHashModifier = "2" } != plain)
    #expect(try hash { $0.properties.append(.attribute("z", .bool)) } != plain)
  }

  @Test func `1A.3 an entity knows its parents, children and the ways to another`() {
    #expect(model.superentity(of: "GoldBadge")?.name == "Badge")
    #expect(model.superentity(of: "Badge") == nil)
    #expect(model.subentities(of: "Badge").map(\.name) == ["GoldBadge"])
    #expect(model.isEntity("GoldBadge", kindOf: "Badge"))
    #expect(!model.isEntity("Badge", kindOf: "GoldBadge"))
    #expect(model.propertiesByName(of: "GoldBadge").keys.sorted() == ["carats", "team", "text"])
    #expect(model.relationships(of: "Author", toDestination: "Commit").map(\.name) == ["commits"])
    #expect(model.relationships(of: "GoldBadge", toDestination: "Team").map(\.name) == ["team"])
  }

  @Test(
    arguments: [
      (AttributeType.undefined, 0), (.int16, 100), (.int32, 200), (.int64, 300), (.decimal, 400),
      (.double, 500), (.float, 600), (.string, 700), (.bool, 800), (.date, 900),
      (.binaryData, 1000), (.uuid, 1100), (.url, 1200), (.transformable, 1800),
      (.objectID, 2000), (.composite, 2100),
    ]
  )
  func `1A.5 an attribute type has Core Data's number`(_ type: AttributeType, _ number: Int) {
    #expect(type.rawValue == number)
    #expect(AttributeType.allCases.count == 16)
  }

  @Test(arguments: [AttributeType.undefined, .objectID])
  func `1A.5 a type that cannot be stored is legal for transient attributes only`(
    _ type: AttributeType
  ) throws {
    func make(transient: Bool) throws {
      let property = PropertyDescription.attribute("x", type, optional: true, transient: transient)
      _ = try ManagedObjectModel(EntityDescription("A", properties: [property]))
    }
    try make(transient: true)
    #expect(code { try make(transient: false) } == .invalidModel)
  }

  @Test func `1A.6 the flags of an attribute are kept`() throws {
    let attribute = AttributeDescription(
      "x",
      .binaryData,
      isOptional: true,
      defaultValue: .data(Data([1])),
      allowsExternalBinaryDataStorage: true,
      valueTransformerName: "T",
      renamingIdentifier: "old",
      versionHashModifier: "2",
      userInfo: ["a": "b"]
    )
    let model = try ManagedObjectModel(EntityDescription("A", properties: [.attribute(attribute)]))
    #expect(model.entitiesByName["A"]?.properties == [.attribute(attribute)])
  }
}
