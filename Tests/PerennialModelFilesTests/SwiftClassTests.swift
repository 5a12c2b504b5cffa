// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

/// What marks and the function behind them say of a model that was made in code.
@Suite("Swift source of a class")
struct SwiftClassTests {
  private func source(
    _ entities: EntityDescription...,
    configurations: [String: [String]] = [:],
    options: SwiftOptions = SwiftOptions(codeGeneration: .classDefinition)
  ) throws -> SwiftSource {
    let model = try ManagedObjectModel(entities: entities, configurations: configurations)
    return ModelDocument(model, named: "Test").swiftSource(options: options)
  }

  private func optional(_ name: String, _ type: AttributeType = .string) -> PropertyDescription {
    .attribute(AttributeDescription(name, type, isOptional: true))
  }

  @Test func `says in marks what marks can say`() throws {
    var a = AttributeDescription("a", .string, isOptional: true, renamingIdentifier: "old")
    a.validation.pattern = "x+"
    var entity = EntityDescription(
      "Thing",
      isAbstract: true,
      uniqueness: [["a"], ["b", "c"]],
      indexes: [["a"], ["b", "c"]],
      fullText: ["a"],
      properties: [.attribute(a), optional("b", .float), optional("c", .bool)]
    )
    entity.renamingIdentifier = "Former"
    let text = try source(entity).text
    for part in [
      "@Managed(unique: [\"b\", \"c\"], indexes: [\"b\", \"c\"], isAbstract: true, "
        + "renamedFrom: \"Former\")\n",
      "  @Unique @Indexed @Indexed(.fullText) @Attribute(renamedFrom: \"old\", pattern: \"x+\") "
        + "var a: String?\n", "  var b: Float?\n", "  var c: Bool?\n",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(!text.contains("completeEntity"))
  }

  @Test func `breaks a mark that is too long for a line`() throws {
    let long = String(repeating: "x", count: 100)
    var a = AttributeDescription("a", .string, isOptional: true)
    a.renamingIdentifier = long
    var entity = EntityDescription("Thing", isAbstract: true, properties: [.attribute(a)])
    entity.renamingIdentifier = long
    let text = try source(entity).text
    #expect(text.contains("@Managed(\n  isAbstract: true,\n  renamedFrom: \"\(long)\"\n)\n"))
    #expect(text.contains("  @Attribute(renamedFrom: \"\(long)\")\n  var a: String?\n"))
  }

  @Test(arguments: [
    ([["b", "a"], ["a"]], "@Managed(unique: [\"b\", \"a\"], [\"a\"])\n", ""),
    ([["b"], ["a"]], "@Managed(unique: [\"b\"], [\"a\"])\n", ""),
    ([["a"], ["a"]], "@Managed\n", "entity.uniquenessConstraints = [[\"a\"], [\"a\"]]\n"),
  ])
  func `keeps the order of constraints, on which version hashes depend`(
    _ constraints: [[String]],
    _ mark: String,
    _ completion: String
  ) throws {
    let entity = EntityDescription(
      "Thing",
      uniqueness: constraints,
      properties: [optional("a"), optional("b")]
    )
    let text = try source(entity).text
    #expect(text.contains(mark), "\(text)")
    #expect(!text.contains("@Unique"))
    #expect(text.contains("completeEntity") != completion.isEmpty)
    #expect(completion.isEmpty || text.contains(completion))
  }

  @Test func `says what no mark can in a function`() throws {
    var a = AttributeDescription("a", .string, isOptional: true)
    a.versionHashModifier = "1"
    a.userInfo = ["z": "2", "k": "1"]
    a.validation.predicates = [ValidationPredicate("SELF != 'x'", message: "no \"x\"")]
    var t = AttributeDescription("t", .transformable, isOptional: true)
    t.valueTransformerName = "T"
    var one = RelationshipDescription("one", to: "Thing", minimumCount: 1)
    one.versionHashModifier = "2"
    one.renamingIdentifier = "first"
    one.userInfo = ["k": "2"]
    one.validation = [ValidationPredicate("TRUEPREDICATE")]
    one.infersInverse = false
    var many = RelationshipDescription("many", to: "Thing", isToMany: true, minimumCount: 2)
    many.maximumCount = 3
    many.infersInverse = false
    var entity = EntityDescription(
      "Thing",
      properties: [
        .attribute(a), .attribute(t), .relationship(one), .relationship(many),
      ]
    )
    entity.versionHashModifier = "3"
    entity.indexes = [
      FetchIndexDescription(
        "odd",
        elements: [.init("a", isAscending: false)],
        partialIndexPredicate: "a != nil"
      ), FetchIndexDescription("words", elements: [.init("a", type: .fullText)]),
    ]
    let text = try source(entity).text
    for part in [
      "entity.versionHashModifier = \"3\"",
      "FetchIndexDescription(\"odd\", elements: [.init(\"a\", isAscending: false)], "
        + "partialIndexPredicate: \"a != nil\"),",
      "FetchIndexDescription(\"words\", elements: [.init(\"a\", type: .fullText)]),",
      "entity.changeAttribute(\"a\") {\n      $0.versionHashModifier = \"1\"\n"
        + "      $0.userInfo = [\"k\": \"1\", \"z\": \"2\"]\n    }\n",
      "@Attribute(validation: [ValidationPredicate(\"SELF != 'x'\", message: \"no \\\"x\\\"\")])",
      "$0.type = .transformable\n", "$0.valueTransformerName = \"T\"\n",
      "@Relationship(renamedFrom: \"first\") var one: Thing?\n",
      "entity.changeRelationship(\"one\") {\n      $0.infersInverse = false\n"
        + "      $0.minimumCount = 1\n      $0.versionHashModifier = \"2\"\n"
        + "      $0.validation = [ValidationPredicate(\"TRUEPREDICATE\", message: \"\")]\n"
        + "      $0.userInfo = [\"k\": \"2\"]\n    }\n",
      "@Relationship(minimumCount: 2, maximumCount: 3) var many: ToMany<Thing>\n",
      "entity.changeRelationship(\"many\") { $0.infersInverse = false }\n",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
  }

  @Test func `gives literals of every type`() throws {
    let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
    let entity = EntityDescription(
      "Thing",
      properties: [
        .attribute("yes", .bool, default: true), .attribute("no", .bool, default: false),
        .attribute("half", .double, default: 0.5),
        .attribute("most", .double, default: Double.infinity),
        .attribute("least", .double, default: -Double.infinity),
        .attribute("none", .double, default: Double.nan),
        .attribute("five", .decimal, default: Decimal(5)),
        .attribute("day", .date, default: Date(timeIntervalSinceReferenceDate: 86_400)),
        .attribute("id_", .uuid, default: uuid), .attribute("line", .string, default: "a\r\n"),
      ]
    )
    let text = try source(entity).text
    for part in [
      "yes: Bool = true", "no: Bool = false", "half: Double = 0.5", "most: Double = .infinity",
      "least: Double = -.infinity", "none: Double = .nan", "five: Decimal = 5",
      "day: Date = Date(timeIntervalSinceReferenceDate: 86400.0)",
      "id_: UUID = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))",
      "line: String = \"a\\r\\n\"",
    ] {
      #expect(text.contains("  var \(part)\n"), "\(part) in \(text)")
    }
  }

  @Test func `has a struct for every composite type, whose name nothing else has`() throws {
    func element(_ name: String) -> AttributeDescription {
      AttributeDescription(name, .string, isOptional: true, renamingIdentifier: "old")
    }
    func composite(_ name: String, _ elements: [AttributeDescription]) -> AttributeDescription {
      AttributeDescription(name, .composite, isOptional: true, elements: elements)
    }
    let inner = composite("place", [element("y")])
    let one = EntityDescription(
      "One",
      properties: [.attribute(composite("place", [element("x"), inner]))]
    )
    let place = EntityDescription("Place", properties: [optional("name")])
    let options = SwiftOptions(codeGeneration: .classDefinition, access: .public)
    let source = try source(one, place, options: options)
    #expect(
      source.files.map(\.name) == [
        "One.swift", "Place.swift", "PlaceObject.swift", "PlaceObject2.swift", "TestModel.swift",
      ]
    )
    for part in [
      "@Composite\npublic nonisolated struct PlaceObject {\n",
      "  @Attribute(renamedFrom: \"old\") public var x: String?\n",
      "  public init(x: String? = nil, place: PlaceObject2? = nil) {\n"
        + "    self.x = x\n    self.place = place\n  }\n", "public var place: PlaceObject?\n",
    ] {
      #expect(source.text.contains(part), "\(part) in \(source.text)")
    }
  }

  @Test func `lies in a namespace when it is to, with configurations beside it`() throws {
    let entity = EntityDescription("Test", properties: [optional("a")])
    let options = SwiftOptions(codeGeneration: .classDefinition, usesNamespace: true)
    let source = try source(
      entity,
      configurations: ["Part": ["Test"], "None": []],
      options: options
    )
    #expect(source.files.map(\.name) == ["Test.swift", "Test_.swift"])
    #expect(
      source.files[0].text.contains(
        "extension Test_ {\n  /// The entity 'Test'.\n  @Managed\n  nonisolated final class Test: "
      )
    )
    #expect(
      source.files[1].text.contains(
        "configurations: [\n        \"None\": [],\n        \"Part\": [\"Test\"],\n      ]"
      )
    )
  }

  @Test func `is written by hand with its model when no class is generated`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Base" representedClassName="NSManagedObject" isAbstract="YES"/>
        <entity name="Leaf" representedClassName="." parentEntity="Base"/>
        <fetchRequest name="Recent things" entity="Leaf" includeSubentities="NO" \
        predicateString="TRUEPREDICATE"/>
        <fetchRequest name="recentThings" entity="Leaf" includeSubentities="NO"/>
        """
      ),
      named: "Test"
    )
    let source = document.handwrittenSource()
    #expect(source.files.map(\.name) == ["Base.swift", "Leaf.swift", "TestModel.swift"])
    #expect(source.files.allSatisfy { $0.part == .human })
    let leaf = source.files[1].text
    #expect(leaf.contains("final class Leaf: Base {"))
    #expect(leaf.contains("static func recentThings() -> FetchRequest<Leaf> {"))
    #expect(leaf.contains("static func recentThings_() -> FetchRequest<Leaf> {"))
    #expect(leaf.contains("    request.includesSubentities = false\n"))
    #expect(
      source.files[2].text.contains(
        "FetchRequestTemplate(\"recentThings\", entity: \"Leaf\", includesSubentities: false),"
      )
    )
  }

  @Test func `finds the type of an inherited attribute`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Base"><attribute name="a" attributeType="Float"/></entity>
        <entity name="Leaf" parentEntity="Base"/>
        <fetchRequest name="r" entity="Leaf" predicateString="a == $v"/>
        """
      )
    )
    #expect(document.swiftSource().text.contains("static func r(v: Float) -> FetchRequest<Leaf> {"))
  }
}
