// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

@Suite("FORMAT 1.2: entities of model files")
struct EntityTests {
  @Test func `a relationship is to-one with a greatest count of 1, and to-many where it says so`()
    throws
  {
    let document = try thing(
      """
      <relationship name="one" optional="YES" maxCount="1" deletionRule="Deny"
        destinationEntity="Thing" inverseName="many" inverseEntity="Thing" elementID="former"/>
      <relationship name="many" toMany="YES" minCount="2" maxCount="5" ordered="YES"
        deletionRule="Cascade" destinationEntity="Thing" inverseName="one" inverseEntity="Thing"/>
      <relationship name="any" optional="YES" toMany="YES" deletionRule="No Action"
        destinationEntity="Thing" versionHashModifier="2"/>
      """
    )
    #expect(
      document.relationship("one")
        == RelationshipDescription(
          "one",
          to: "Thing",
          inverse: "many",
          deleteRule: .deny,
          renamingIdentifier: "former"
        )
    )
    #expect(
      document.relationship("many")
        == RelationshipDescription(
          "many",
          to: "Thing",
          inverse: "one",
          isToMany: true,
          isOrdered: true,
          deleteRule: .cascade,
          isOptional: false,
          minimumCount: 2,
          maximumCount: 5
        )
    )
    #expect(
      document.relationship("any")
        == RelationshipDescription(
          "any",
          to: "Thing",
          isToMany: true,
          deleteRule: .noAction,
          versionHashModifier: "2"
        )
    )
    #expect(document.diagnostics.map(\.line) == [9])
  }

  @Test func `transient relationships are left out, unless their inverses are stored`() throws {
    let document = try thing(
      """
      <relationship name="one" optional="YES" maxCount="1" transient="YES"
        destinationEntity="Thing" inverseName="many" inverseEntity="Thing"/>
      <relationship name="many" toMany="YES" transient="YES"
        destinationEntity="Thing" inverseName="one" inverseEntity="Thing"/>
      <relationship name="lone" maxCount="1" transient="YES" destinationEntity="Thing"/>
      <relationship name="kept" optional="YES" maxCount="1" transient="YES"
        destinationEntity="Thing" inverseName="stored" inverseEntity="Thing"/>
      <relationship name="stored" optional="YES" toMany="YES"
        destinationEntity="Thing" inverseName="kept" inverseEntity="Thing"/>
      """
    )
    let entity = try #require(document.model.entitiesByName["Thing"])
    #expect(entity.properties.map(\.name) == ["kept", "stored"])
    #expect(document.diagnostics.count == 4)
    // A store has nothing of them: its hash is that of the model without them.
    let plain = try thing(
      """
      <relationship name="kept" optional="YES" maxCount="1"
        destinationEntity="Thing" inverseName="stored" inverseEntity="Thing"/>
      <relationship name="stored" optional="YES" toMany="YES"
        destinationEntity="Thing" inverseName="kept" inverseEntity="Thing"/>
      """
    )
    let hashes = plain.model.entityVersionHashesByName
    #expect(document.model.entityVersionHashesByName == hashes)
    // Whether Core Data's hash counts 'kept' is not known.
    #expect(VersionHashes.uncertainNames(of: document.model.layout) == ["Thing"])
    #expect(VersionHashes.uncertainNames(of: plain.model.layout).isEmpty)
    #expect(try ModelDocument(document.contents).model == document.model)
  }

  @Test func `a transient inverse may be declared by a parent of the named entity`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Base"><relationship name="owner" optional="YES" maxCount="1" transient="YES" \
        destinationEntity="Owner" inverseName="subs" inverseEntity="Owner"/></entity>
        <entity name="Sub" parentEntity="Base"/>
        <entity name="Owner"><relationship name="subs" optional="YES" toMany="YES" transient="YES" \
        destinationEntity="Sub" inverseName="owner" inverseEntity="Sub"/></entity>
        """
      )
    )
    #expect(document.model.entities.allSatisfy { $0.properties.isEmpty })
    #expect(document.diagnostics.count == 2)
  }

  @Test func `indexes of all times, and constraints, are lists of properties`() throws {
    let document = try thing(
      """
      <attribute name="a" attributeType="Date" indexed="YES"/>
      <attribute name="b" attributeType="String"/>
      <compoundIndexes><compoundIndex><index value="a"/><index value="b"/></compoundIndex>
      </compoundIndexes>
      <fetchIndex name="byB">
        <fetchIndexElement property="b" type="Binary" order="descending"/>
        <fetchIndexElement property="a" type="Binary" order="ascending"/>
      </fetchIndex>
      <uniquenessConstraints>
        <uniquenessConstraint><constraint value="b"/></uniquenessConstraint>
        <uniquenessConstraint><constraint value="a"/><constraint value="b"/></uniquenessConstraint>
      </uniquenessConstraints>
      """
    )
    let entity = try #require(document.model.entitiesByName["Thing"])
    #expect(
      entity.indexes == [
        FetchIndexDescription(["a"]), FetchIndexDescription(["a", "b"]),
        FetchIndexDescription(
          "byB",
          elements: [.init("b", isAscending: false), .init("a")]
        ),
      ]
    )
    #expect(entity.uniquenessConstraints == [["b"], ["a", "b"]])
  }

  @Test func `parents, abstract entities, former names and classes are read`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Base" isAbstract="YES" representedClassName=".BaseObject"
          codeGenerationType="category" elementID="Root" versionHashModifier="7" syncable="YES">
          <userInfo><entry key="k" value="v"/></userInfo>
        </entity>
        <entity name="Leaf" parentEntity="Base" representedClassName="Leaf"
          codeGenerationType="class"/>
        <entity name="Plain"/>
        """
      )
    )
    let base = try #require(document.model.entitiesByName["Base"])
    #expect(base.isAbstract && base.renamingIdentifier == "Root")
    #expect(base.versionHashModifier == "7" && base.userInfo == ["k": "v"])
    #expect(document.model.entitiesByName["Leaf"]?.parent == "Base")
    #expect(document.classes["Base"]?.name == ".BaseObject")
    #expect(document.classes["Base"]?.codeGeneration == .categoryExtension)
    #expect(document.classes["Leaf"]?.codeGeneration == .classDefinition)
    #expect(document.classes["Plain"]?.name == nil)
    #expect(document.classes["Plain"]?.codeGeneration == .manual)
  }

  @Test func `fetch requests, fetched properties and configurations are read`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing">
          <attribute name="a" attributeType="String"/>
          <fetchedProperty name="twins" optional="YES">
            <fetchRequest name="fetchedPropertyFetchRequest" entity="Thing"
              predicateString="a == $FETCH_SOURCE.a"/>
          </fetchedProperty>
        </entity>
        <entity name="Other"/>
        <fetchRequest name="byA" entity="Thing" predicateString="a == $A" fetchLimit="20"
          fetchBatchSize="5" includeSubentities="NO" returnObjectsAsFaults="YES"/>
        <fetchRequest name="all" entity="Other"/>
        <configuration name="Cache"><memberEntity name="Other"/></configuration>
        <elements><element name="Thing" positionX="0" positionY="0" width="1" height="1"/></elements>
        """
      )
    )
    #expect(
      document.model.fetchRequestTemplates == [
        FetchRequestTemplate(
          "byA",
          entity: "Thing",
          predicate: "a == $A",
          fetchLimit: 20,
          includesSubentities: false
        ),
        FetchRequestTemplate("all", entity: "Other"),
      ]
    )
    let property = try #require(document.model.entitiesByName["Thing"]?.fetchedProperties.first)
    #expect(property.name == "twins")
    #expect(property.fetchRequest.predicate == "a == $FETCH_SOURCE.a")
    #expect(document.model.entities(forConfiguration: "Cache")?.map(\.name) == ["Other"])
    #expect(document.diagnostics.isEmpty)
  }

  @Test func `a model made in code is the same when it has been written and read`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        indexes: [["date"]],
        fullText: ["message"],
        properties: [
          .attribute("sha", .string), .attribute("message", .string, default: "<\"&\n'>"),
          .attribute("date", .date, optional: true),
          .attribute("size", .double, default: 0.1, validation: .init(minimum: .double(0))),
          .attribute("isMerge", .bool, default: true),
          .toOne("author", "Author", inverse: "commits"),
        ]
      ),
      EntityDescription(
        "Author",
        properties: [.toMany("commits", "Commit", inverse: "author", ordered: true)]
      )
    )
    let document = try ModelDocument(ModelDocument(model, named: "Project").contents)
    #expect(document.model == model)
    #expect(document.classes["Commit"]?.codeGeneration == .classDefinition)
  }

  @Test func `whatever a model made in code says is written and read`() throws {
    func composite(_ name: String, _ type: AttributeType) -> PropertyDescription {
      let element = AttributeDescription("x", type, isOptional: true)
      return .attribute(
        AttributeDescription(name, .composite, isOptional: true, elements: [element])
      )
    }
    let link = try #require(URL(string: "https://example.org/?a=1&b=2"))
    let uuid = try #require(UUID(uuidString: "00010203-0405-0607-0809-0A0B0C0D0E0F"))
    var one = EntityDescription(
      "One",
      properties: [
        .attribute("link", .url, default: link), .attribute("mark", .uuid, default: uuid),
        composite("place", .string), composite("again", .string),
        .toOne("two", "Two", inverse: "ones", deleteRule: .noAction),
      ]
    )
    one.indexes = [FetchIndexDescription("down", elements: [.init("mark", isAscending: false)])]
    one.fetchedProperties = [
      FetchedPropertyDescription("twins", entity: "One", predicate: "mark == $FETCH_SOURCE.mark")
    ]
    let two = EntityDescription(
      "Two",
      properties: [
        composite("place", .double), .toMany("ones", "One", inverse: "two", deleteRule: .deny),
      ]
    )
    let model = try ManagedObjectModel(
      entities: [one, two],
      fetchRequestTemplates: [
        FetchRequestTemplate("exact", entity: "One", includesSubentities: false)
      ]
    )
    let contents = try ModelDocument(model, named: "Project").contents
    let document = try ModelDocument(contents)
    #expect(document.model == model)
    #expect(document.diagnostics.isEmpty)
    // Equal composites are one, and others of its name get numbers.
    let text = String(decoding: contents, as: UTF8.self)
    let names = text.matches(of: /<composite name="([^"]*)"/).map { String($0.1) }
    #expect(names == ["Place", "Place2"])
  }

  @Test func `what is odd about an element is told, and the rest of it read`() throws {
    let document = try thing(
      """
      <attribute name="a" optional="perhaps" attributeType="String" maxValueString="many"/>
      <attribute name="b" optional="YES" transient="NO" attributeType="Double" \
      defaultValueString="inf"/>
      <attribute name="c" optional="YES" attributeType="URI" defaultValueString="http://[" />
      <attribute name="d" optional="YES" attributeType="Binary" defaultValueString="x"/>
      <relationship name="r" optional="YES" maxCount="one" deletionRule="Ask" \
      destinationEntity="Thing" inverseName="r" inverseEntity="Thing"/>
      <fetchIndex name="i"><fetchIndexElement property="a" type="RTree"/></fetchIndex>
      <fetchIndex name="j"><fetchIndexElement property="b"/></fetchIndex>
      <userInfo><entry key="k"/></userInfo>
      """
    )
    #expect(
      document.diagnostics.map(\.description) == [
        "line 4: 'Thing.a': 'maxValueString' is no length, and is left out",
        "line 4: 'Thing.a': 'optional' is neither YES nor NO; it counts as NO",
        "line 5: 'Thing.b': the default is not of type double, and is left out",
        "line 6: 'Thing.c': the default is not of type url, and is left out",
        "line 7: 'Thing.d': the default is not of type binaryData, and is left out",
        "line 8: 'Thing.r': 'maxCount' is no whole number, and is left out",
        "line 8: 'Thing.r': the deletion rule 'Ask' is unknown; it counts as Nullify",
        "line 9: the index 'i' of 'Thing': an index of type 'RTree' is made an ordinary one",
      ]
    )
    let entity = try #require(document.model.entitiesByName["Thing"])
    #expect(document.attribute("a")?.isOptional == false)
    #expect(document.relationship("r")?.deleteRule == .nullify)
    #expect(entity.indexes.map { $0.elements.map(\.type) } == [[.binary], [.binary]])
    #expect(entity.userInfo == ["k": ""])
  }

  @Test(arguments: [
    ("<entity name=\"Thing\" codeGenerationType=\"all\"/>", "no code is written"),
    ("<entity name=\"Thing\"/><configuration name=\"b\"/><configuration name=\"b\"/>", "twice"),
  ])
  func `what is odd about a model is told`(_ elements: String, _ words: String) throws {
    let document = try ModelDocument(modelFile(elements))
    #expect(document.diagnostics.count == 1)
    #expect(document.diagnostics.first?.message.contains(words) == true)
  }

  @Test(arguments: [
    ("<fetchedProperty name=\"f\"/>", "the fetched property 'Thing.f' has no fetch request"),
    ("<attribute name=\"c\" attributeType=\"Composite\"/>", "'Thing.c' is made of ''"),
  ])
  func `what says too little is an error with its line`(_ element: String, _ words: String) throws {
    let error = #expect(throws: PerennialError.self) { try thing(element) }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.hasPrefix("Line 4: ") == true)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `an error of a property has its line, not that of an index of its name`() throws {
    let error = #expect(throws: PerennialError.self) {
      try thing(
        """
        <relationship name="r" optional="YES" maxCount="1" destinationEntity="Gone"/>
        <attribute name="a" optional="YES" attributeType="Date"/>
        <fetchIndex name="r"><fetchIndexElement property="a"/></fetchIndex>
        """
      )
    }
    #expect(error?.property == "r")
    #expect(error?.message.hasPrefix("Line 4: ") == true, "\(error?.message ?? "")")
  }
}
