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
    #expect(document.model == plain.model)
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
}
