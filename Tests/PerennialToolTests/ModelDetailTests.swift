// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import ProgramTesting
import Testing

/// A model that has one of everything, and what each form says of it.
@Suite struct `Everything that perennial says of a model` {
  let folder: ToolFolder
  let model = "A & <B> \"C\"\u{1}.xcdatamodel"

  private static let contents = """
    <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
    <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
    userDefinedModelVersionIdentifier="v 1">
      <entity name="Base" isAbstract="YES">
        <attribute name="name" attributeType="String" defaultValueString="none" elementID="title"/>
        <attribute name="upper" optional="YES" attributeType="String" derived="YES" \
    derivationExpression="uppercase:(name)"/>
        <attribute name="blob" optional="YES" attributeType="Transformable" \
    valueTransformerName="T" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>
        <attribute name="mood" optional="YES" transient="YES" attributeType="String"/>
        <attribute name="place" optional="YES" attributeType="Composite" composite="Point"/>
        <fetchedProperty name="same"><fetchRequest name="f" entity="Leaf" \
    predicateString="name == $FETCH_SOURCE.name"/></fetchedProperty>
        <fetchedProperty name="every"><fetchRequest name="f" entity="Leaf"/></fetchedProperty>
        <fetchIndex name="byName" partialIndexPredicate="name != nil">
          <fetchIndexElement property="name" type="Binary" order="descending"/></fetchIndex>
        <fetchIndex name="words">
          <fetchIndexElement property="name" type="FullText" order="ascending"/></fetchIndex>
      </entity>
      <entity name="Leaf" parentEntity="Base">
        <relationship name="next" minCount="1" maxCount="1" deletionRule="Deny" \
    destinationEntity="Leaf" inverseName="previous" inverseEntity="Leaf"/>
        <relationship name="previous" optional="YES" maxCount="1" deletionRule="No Action" \
    destinationEntity="Leaf" inverseName="next" inverseEntity="Leaf"/>
        <relationship name="peer" optional="YES" maxCount="1" destinationEntity="Leaf" \
    inverseName="peer" inverseEntity="Leaf"/>
        <relationship name="owner" maxCount="1" destinationEntity="Owner"/>
        <relationship name="many" optional="YES" toMany="YES" minCount="2" maxCount="5" \
    destinationEntity="Owner" inverseName="leaf" inverseEntity="Leaf" elementID="formerMany"/>
      </entity>
      <entity name="Owner">
        <relationship name="leaf" optional="YES" maxCount="1" deletionRule="Cascade" \
    destinationEntity="Leaf" inverseName="many" inverseEntity="Leaf"/>
      </entity>
      <fetchRequest name="named" entity="Leaf" predicateString="name == 'x'"/>
      <fetchRequest name="all" entity="Leaf"/>
      <configuration name="Part"><memberEntity name="Owner"/></configuration>
      <composite name="Point"><attribute name="x" optional="YES" attributeType="Double"/>\
    <attribute name="y" attributeType="Double"/></composite>
    </model>
    """

  init() throws {
    folder = try ToolFolder()
    let place = folder.file(model)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try Data(Self.contents.utf8).write(to: place.appending(path: "contents"))
  }

  @Test func `as text, with what is odd about it as a note`() async throws {
    let result = try await folder.run("model", model)
    try #require(result.status == 0, "\(result.errors)")
    #expect(
      result.lines == [
        "A & <B> \"C\"\\u{1}: 3 entities", "identifiers: v 1", "Base (abstract)",
        "  name   String          default none, formerly title",
        "  upper  String?         derived: uppercase:(name)",
        "  blob   Transformable?  external, kept in history, transformer T",
        "  mood   String?         transient",
        "  place  Composite?      of x: Double?, y: Double",
        "  index byName: name (descending) where name != nil", "  index words: name (full text)",
        "  fetched same: Leaf where name == $FETCH_SOURCE.name", "  fetched every: Leaf",
        "Leaf : Base", "  next      Leaf     inverse previous, deny, at least 1",
        "  previous  Leaf?    inverse next, no action",
        "  peer      Leaf?    inverse peer, nullify",
        "  owner     Owner    no inverse, nullify",
        "  many      [Owner]  inverse leaf, nullify, at least 2, at most 5, formerly formerMany",
        "Owner", "  leaf  Leaf?  inverse many, cascade", "configuration Part: Owner",
        "fetch request named: Leaf where name == 'x'", "fetch request all: Leaf",
      ]
    )
    #expect(result.errorLines.count == 1)
    #expect(result.errors.contains("line 20: 'Leaf.owner' has no inverse"))
  }

  @Test func `as JSON`() async throws {
    struct Summary: Decodable {
      struct Entity: Decodable {
        struct Attribute: Decodable {
          struct Element: Decodable { var name: String }
          var elements: [Element]
        }
        var attributes: [Attribute]
      }
      var entities: [Entity]
      var configurations: [String: [String]]
    }
    let summary: Summary = try await folder.run("model", model, "--json").decoded()
    #expect(summary.configurations == ["Part": ["Owner"]])
    let elements = summary.entities[0].attributes.map { $0.elements.map(\.name) }
    #expect(elements == [[], [], [], [], ["x", "y"]])
  }

  @Test func `as diagrams, with loops, one-way relationships and several between two`() async throws
  {
    let mermaid = try await folder.run("model", model, "--mermaid")
    for line in [
      "    <<abstract>>", "  Base <|-- Leaf", "  Leaf \"0..1\" -- \"1\" Leaf : next / previous",
      "  Leaf \"0..1\" -- \"0..1\" Leaf : peer / peer", "  Leaf \"*\" --> \"1\" Owner : owner",
      "  Leaf \"0..1\" -- \"*\" Owner : many / leaf",
    ] {
      #expect(mermaid.lines.contains(line), "\(line)")
    }
    let dot = try await folder.run("model", model, "--dot")
    #expect(dot.lines.first == "digraph \"A & <B> \\\"C\\\"\\\\u{1}\" {")
    #expect(dot.text.contains("<b><i>Base</i></b>"))
    let edges = dot.lines.filter { $0.contains("dir=both") }
      .map { $0.split(separator: ", ").dropFirst().joined(separator: " ") }
    #expect(
      edges == [
        "arrowhead=tee arrowtail=teeodot headlabel=\"next 1\" taillabel=\"previous 0..1\"]",
        "arrowhead=teeodot arrowtail=teeodot headlabel=\"peer 0..1\" taillabel=\"peer 0..1\"]",
        "arrowhead=tee arrowtail=none headlabel=\"owner 1\" taillabel=\"\"]",
        "arrowhead=crow arrowtail=teeodot headlabel=\"many *\" taillabel=\"leaf 0..1\"]",
      ]
    )
    let svg = try await folder.run("model", model, "--svg")
    #expect(svg.lines[1] == "<title>A &amp; &lt;B&gt; &quot;C&quot;</title>")
    let texts = try SVGTexts(svg.output).texts
    for label in ["next 1 / previous 0..1", "peer 0..1", "owner 1", "many *", "leaf 0..1"] {
      #expect(texts.filter { $0 == label }.count == 1, "\(label)")
    }
    #expect(svg.text.contains("font-style=\"italic\">Base</text>"))
  }

  @Test func `boxes of a picture do not cover each other`() async throws {
    let names = (0..<9).map { "E\($0)" }
    let entities = names.map { name in
      "<entity name=\"\(name)\"><relationship name=\"r\" optional=\"YES\" maxCount=\"1\" "
        + "destinationEntity=\"E4\"/></entity>"
    }
    let contents = "<model>\(entities.joined())</model>"
    try Data(contents.utf8).write(to: folder.file("contents"))
    let svg = try await folder.run("model", "contents", "--svg")
    try #require(svg.status == 0, "\(svg.errors)")
    let pattern = /<rect x="([0-9.]+)" y="([0-9.]+)" width="([0-9.]+)" height="([0-9.]+)"/
    let frames = svg.text.matches(of: pattern).map { match in
      [match.1, match.2, match.3, match.4].map { Double($0) ?? .nan }
    }
    // Every second one is that of a title, in its box.
    let boxes = stride(from: 0, to: frames.count, by: 2).map { frames[$0] }
    #expect(boxes.count == names.count)
    for (index, box) in boxes.enumerated() {
      for other in boxes[(index + 1)...] {
        let isApart =
          box[0] + box[2] <= other[0] || other[0] + other[2] <= box[0]
          || box[1] + box[3] <= other[1] || other[1] + other[3] <= box[1]
        #expect(isApart)
      }
    }
    #expect(!svg.text.contains("nan") && !svg.text.contains("inf"))
  }

  @Test func `conditions that only a store's own copy has`() async throws {
    struct Summary: Decodable {
      struct Condition: Decodable, Equatable {
        var format: String
        var message: String
      }
      struct Entity: Decodable {
        struct Attribute: Decodable {
          struct Rules: Decodable { var conditions: [Condition] }
          var rules: Rules
        }
        var attributes: [Attribute]
      }
      var entities: [Entity]
    }
    var name = AttributeDescription("name", .string, isOptional: true)
    name.validation.predicates = [ValidationPredicate("SELF != 'x'", message: "not x")]
    let container = try PersistentContainer(
      name: "Thing",
      model: ManagedObjectModel(EntityDescription("Thing", properties: [.attribute(name)])),
      store: .sqlite(folder.file("Thing.sqlite"))
    )
    withExtendedLifetime(container) {}
    let result = try await folder.run("model", "Thing.sqlite", "--json")
    try #require(result.status == 0, "\(result.errors)")
    let summary: Summary = try result.decoded()
    #expect(
      summary.entities.map { $0.attributes.map(\.rules.conditions) }
        == [[[Summary.Condition(format: "SELF != 'x'", message: "not x")]]]
    )
  }
}
