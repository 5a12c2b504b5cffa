// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import ProgramTesting
import Testing

@Suite struct `Models that perennial shows` {
  struct Summary: Decodable {
    struct Entity: Decodable {
      struct Attribute: Decodable {
        var name: String
        var type: String
        var isOptional: Bool
      }
      struct Relationship: Decodable {
        var name: String
        var destination: String
        var inverse: String?
        var isToMany: Bool
        var isOrdered: Bool
        var deleteRule: String
      }
      var name: String
      var parent: String?
      var attributes: [Attribute]
      var relationships: [Relationship]
      var uniqueness: [[String]]
      var versionHash: String
    }
    var name: String
    var versions: [String]
    var versionIdentifiers: [String]
    var entities: [Entity]
  }

  let folder: ToolFolder
  let model: String

  init() throws {
    folder = try ToolFolder()
    model = try folder.copyModel()
  }

  @Test func `the current version is summed up, or another one`() async throws {
    let summary: Summary = try await folder.run("model", model, "--json").decoded()
    #expect(summary.name == "Library 2")
    #expect(summary.versions == ["Library", "Library 2"])
    #expect(summary.versionIdentifiers == ["two"])
    #expect(summary.entities.map(\.name) == ["Author", "Item", "Magazine", "Shelf", "Tag"])
    #expect(summary.entities[2].parent == "Item")
    #expect(summary.entities[0].uniqueness == [["name"]])
    let price = try #require(summary.entities[1].attributes.first { $0.name == "price" })
    #expect(price.type == "Decimal" && price.isOptional)
    let items = try #require(summary.entities[3].relationships.first)
    #expect(items.isToMany && items.isOrdered && items.inverse == "shelf")
    let old: Summary = try await folder.run("model", model, "--version", "Library", "--json")
      .decoded()
    #expect(old.entities.map { $0.attributes.map(\.name) } == [["born", "name"]])
    let oldText = try await folder.run("model", model, "--version", "Library")
    #expect(oldText.lines.first == "Library: 1 entity; other versions: Library 2")
    let text = try await folder.run("model", model)
    #expect(text.lines.first == "Library 2: 5 entities; other versions: Library")
    #expect(text.lines.contains("  unique: name"))
    #expect(text.lines.contains { $0.hasPrefix("  title   String") })
  }

  @Test func `diagrams name every entity, with each relationship once`() async throws {
    let mermaid = try await folder.run("model", model, "--mermaid")
    #expect(mermaid.lines.first == "classDiagram")
    #expect(mermaid.lines.contains("  Item <|-- Magazine"))
    #expect(mermaid.lines.contains("  Author \"0..1\" -- \"*\" Item : items / author"))
    #expect(mermaid.lines.filter { $0.contains(" -- ") }.count == 3)
    let dot = try await folder.run("model", model, "--dot")
    #expect(dot.lines.filter { $0.contains("dir=both") }.count == 3)
    #expect(dot.lines.filter { $0.contains("arrowhead=empty") }.count == 1)
    let svg = try await folder.run("model", model, "--svg")
    let texts = try SVGTexts(svg.output).texts
    for name in ["Author", "Item", "Magazine", "Shelf", "Tag"] {
      #expect(texts.filter { $0 == name }.count == 1)
    }
    #expect(texts.contains("price: Decimal?"))
  }

  @Test func `Swift source has a class for each entity, also of a model that only a store holds`()
    async throws
  {
    let source = try await folder.run("model", model, "--swift")
    try #require(source.status == 0, "\(source.errors)")
    #expect(source.text.contains("import Perennial\n"))
    for name in ["Author", "Item", "Magazine", "Shelf", "Tag"] {
      #expect(source.text.contains("class \(name): "), "\(name)")
    }
    try folder.copy("users")
    let users = try await folder.run("model", "users/store.sqlite", "--swift")
    try #require(users.status == 0, "\(users.errors)")
    #expect(users.text.contains("@Managed"))
    #expect(users.text.contains("class User: "))
    #expect(users.text.contains("var petName: String?"))
  }

  @Test func `JSON has everything that a model says`() async throws {
    try FileManager.default.createDirectory(
      at: folder.file("all.xcdatamodel"),
      withIntermediateDirectories: true
    )
    let contents = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="Thing" representedClassName="ThingClass" elementID="FormerThing" \
      versionHashModifier="modifier1">
          <attribute name="a" attributeType="String" minValueString="11" maxValueString="12" \
      regularExpressionString="pattern1" versionHashModifier="modifier2">
            <userInfo><entry key="k" value="note1"/></userInfo></attribute>
          <attribute name="n" attributeType="Integer 16" minValueString="13" maxValueString="14"/>
          <attribute name="b" optional="YES" attributeType="Transformable" \
      valueTransformerName="Transformer1" allowsExternalBinaryDataStorage="YES" \
      preserveAfterDeletion="YES"/>
          <relationship name="r" optional="YES" maxCount="1" destinationEntity="Thing" \
      inverseName="r" inverseEntity="Thing" versionHashModifier="modifier3">
            <userInfo><entry key="k" value="note2"/></userInfo></relationship>
          <fetchedProperty name="fetched1"><fetchRequest name="f" entity="Thing" \
      predicateString="n == 15"/></fetchedProperty>
          <fetchIndex name="i" partialIndexPredicate="n == 16">
            <fetchIndexElement property="n" type="Binary" order="descending"/></fetchIndex>
          <userInfo><entry key="k" value="note3"/><entry key="j" value="note4"/></userInfo>
        </entity>
        <fetchRequest name="t" entity="Thing" fetchLimit="17" includeSubentities="NO"/>
      </model>
      """
    try Data(contents.utf8).write(to: folder.file("all.xcdatamodel/contents"))
    let json = try await folder.run("model", "all.xcdatamodel", "--json").text
    for part in [
      "\"ThingClass\"", "\"FormerThing\"", "\"modifier1\"", "\"modifier2\"", "\"modifier3\"",
      "\"note1\"", "\"note2\"", "{\"j\": \"note4\", \"k\": \"note3\"}", "\"Transformer1\"",
      "\"fetched1\"", "\"pattern1\"",
      "\"n == 15\"", "\"n == 16\"", "\"minimumLength\": 11", "\"maximumLength\": 12",
      "\"minimum\": 13", "\"maximum\": 14", "\"fetchLimit\": 17", "\"includesSubentities\": false",
      "\"isAscending\": false", "\"allowsExternalBinaryDataStorage\": true",
      "\"preservesValueInHistoryOnDeletion\": true",
    ] {
      #expect(json.contains(part), "\(part) in \(json)")
    }
  }

  @Test func `names that mean something to a diagram's language are escaped`() async throws {
    try FileManager.default.createDirectory(
      at: folder.file("odd.xcdatamodel"),
      withIntermediateDirectories: true
    )
    let contents = """
      <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
      <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
        <entity name="class"><attribute name="z" optional="YES" attributeType="String"/></entity>
        <entity name="entity3"><attribute name="a" optional="YES" attributeType="String"/></entity>
        <entity name="Größe"><attribute name="a" optional="YES" attributeType="String"/></entity>
      </model>
      """
    try Data(contents.utf8).write(to: folder.file("odd.xcdatamodel/contents"))
    let svg = try await folder.run("model", "odd.xcdatamodel", "--svg")
    try #require(svg.status == 0, "\(svg.errors)")
    #expect(try SVGTexts(svg.output).texts.contains("Größe"))
    let mermaid = try await folder.run("model", "odd.xcdatamodel", "--mermaid")
    #expect(mermaid.lines.contains("  class entity1[\"class\"] {"))
    #expect(mermaid.lines.contains("  class entity3 {"))
    #expect(mermaid.lines.contains("  class entity3_[\"Größe\"] {"))
    let dot = try await folder.run("model", "odd.xcdatamodel", "--dot")
    #expect(dot.text.contains("<b>Größe</b>"))
  }

  @Test func `hashes of a model are those in a store of Core Data`() async throws {
    try folder.copy("users")
    try folder.copy("bookmarks")
    for name in ["users", "bookmarks"] {
      let model = try await folder.run("hash", "\(name)/model.xcdatamodel", "--json")
      let store = try await folder.run("hash", "\(name)/store.sqlite", "--json")
      #expect(model.status == 0)
      #expect(model.output == store.output)
      let hashes: [String: String] = try store.decoded()
      #expect(!hashes.isEmpty)
      #expect(hashes.values.allSatisfy { $0.count == 64 && $0 == $0.lowercased() })
    }
    // The bytes in the property list of the store's Z_METADATA, as `plutil` shows them.
    let hash: [String: String] = try await folder.run("hash", "users/store.sqlite", "--json")
      .decoded()
    #expect(hash == ["User": "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798"])
    let text = try await folder.run("hash", "users/store.sqlite")
    #expect(text.text == "6b31f4e97b691d16c4c820bae55f89408d47013bd42151ecfde1eac7fe4be798  User\n")
  }

  @Test func `a plan says what is lost, and ends with 1 then`() async throws {
    struct Plan: Decodable {
      struct Change: Decodable {
        var entity: String
        var property: String?
        var risk: String
      }
      var risk: String
      var isUsable: Bool
      var changes: [Change]
    }
    let old = "\(model)/Library.xcdatamodel"
    let lossy = try await folder.run("check-migration", old, model, "--json")
    #expect(lossy.status == 1)
    #expect(lossy.errors.isEmpty)
    let plan: Plan = try lossy.decoded()
    #expect(plan.risk == "destructive" && plan.isUsable)
    let lost = plan.changes.filter { $0.risk == "destructive" }
    #expect(lost.map(\.entity) == ["Author"])
    #expect(lost.map(\.property) == ["born"])
    let same = try await folder.run("check-migration", model, "\(model)/Library 2.xcdatamodel")
    #expect(same.status == 0)
    let text = try await folder.run("check-migration", old, model)
    #expect(text.status == 1)
    #expect(text.text.contains("destructive"))
    #expect(text.text.contains("Author.born"))
  }

  @Test func `a new model with which no store can be opened ends the check with 1`() async throws {
    for (name, derivation) in [("Good", "uppercase:(n)"), ("Bad", "foo((")] {
      try FileManager.default.createDirectory(
        at: folder.file("\(name).xcdatamodel"),
        withIntermediateDirectories: true
      )
      let contents = """
        <model><entity name="A"><attribute name="n" optional="YES" attributeType="String"/>
        <attribute name="d" optional="YES" attributeType="String" derived="YES" \
        derivationExpression="\(derivation)"/></entity></model>
        """
      try Data(contents.utf8).write(to: folder.file("\(name).xcdatamodel/contents"))
    }
    let bad = try await folder.run("check-migration", "Good.xcdatamodel", "Bad.xcdatamodel")
    #expect(bad.status == 1)
    #expect(bad.errors.hasPrefix("error: Bad: "), "\(bad.errors)")
    let names = ["Good.xcdatamodel", "Bad.xcdatamodel"]
    let json = try await folder.program.run(["check-migration", "--json"] + names)
    #expect(json.status == 1)
    #expect(json.text.contains("\"isUsable\": false"))
    let repaired = try await folder.run("check-migration", "Bad.xcdatamodel", "Good.xcdatamodel")
    #expect(repaired.status == 0)
    #expect(repaired.errors.hasPrefix("error: Bad: "), "\(repaired.errors)")
  }

  @Test func `Swift source of the current version has the name of the file`() async throws {
    let current = try await folder.run("model", model, "--swift")
    #expect(current.lines.contains { $0.contains("enum LibraryModel") })
    let second = try await folder.run("model", model, "--swift", "--version", "Library 2")
    #expect(second.lines.contains { $0.contains("enum Library2Model") })
  }
}
