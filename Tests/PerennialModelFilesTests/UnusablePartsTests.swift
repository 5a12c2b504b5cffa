// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

/// What Xcode saves and compiles, and no model can have.
@Suite("Parts of model files that cannot be used")
struct UnusablePartsTests {
  private func diagnostics(_ document: ModelDocument) -> String {
    document.diagnostics.map(\.description).joined(separator: "\n")
  }

  @Test(
    arguments: [
      ("<attribute name=\"a\" transient=\"YES\" indexed=\"YES\" attributeType=\"Date\"/>", "'a'"),
      (
        """
        <fetchIndex name="i"><fetchIndexElement expression="lowercase:(b)" type="Binary"/>
        </fetchIndex>
        """, "names no property"
      ),
      ("<fetchIndex name=\"i\"/>", "names no property"),
      (
        "<fetchIndex name=\"i\"><fetchIndexElement property=\"gone\" type=\"Binary\"/></fetchIndex>",
        "'gone'"
      ),
      (
        """
        <relationship name="r" optional="YES" toMany="YES" destinationEntity="Thing" \
        inverseName="r" inverseEntity="Thing"/>
        <compoundIndexes><compoundIndex><index value="r"/></compoundIndex></compoundIndexes>
        """, "'r'"
      ),
    ]
  )
  func `indexes of what has no column are left out and told`(_ elements: String, _ name: String)
    throws
  {
    let document = try thing(elements)
    #expect(document.model.entitiesByName["Thing"]?.indexes.isEmpty == true)
    #expect(diagnostics(document).contains("index"))
    #expect(diagnostics(document).contains(name))
    #expect(diagnostics(document).contains("left out"))
  }

  @Test func `an index that can be is kept beside one that cannot`() throws {
    let document = try thing(
      """
      <attribute name="a" optional="YES" attributeType="Date"/>
      <fetchIndex name="byA"><fetchIndexElement property="a" type="Binary" order="ascending"/>
      </fetchIndex>
      <fetchIndex name="gone"><fetchIndexElement property="b" type="Binary" order="ascending"/>
      </fetchIndex>
      """
    )
    #expect(document.model.entitiesByName["Thing"]?.indexes.map(\.name) == ["byA"])
    #expect(document.diagnostics.count == 1)
  }

  @Test(
    arguments: [
      ("Integer 16", "32768"), ("Integer 16", "-32769"), ("Integer 32", "2147483648"),
    ]
  )
  func `numbers beyond their type are left out and told`(_ type: String, _ value: String) throws {
    let document = try thing(
      """
      <attribute name="a" optional="YES" attributeType="\(type)" defaultValueString="\(value)" \
      minValueString="\(value)" maxValueString="\(value)"/>
      <attribute name="b" optional="YES" attributeType="Integer 64" \
      defaultValueString="\(value)" minValueString="\(value)" maxValueString="\(value)"/>
      """
    )
    #expect(document.attribute("a")?.defaultValue == .null)
    #expect(document.attribute("a")?.validation.isEmpty == true)
    #expect(document.diagnostics.map(\.line) == [4, 4, 4])
    let number = try #require(Int64(value))
    #expect(document.attribute("b")?.defaultValue == .integer(number))
    #expect(document.attribute("b")?.validation.minimum == .integer(number))
  }

  @Test(
    arguments: [
      ("UUID", "D2F7BA58-5E0D-4A55-8EF4-D1F2A5C2A9B3"), ("URI", "https://example.org"),
    ]
  )
  func `bounds of what has no order are left out and told`(_ type: String, _ value: String) throws {
    let document = try thing(
      """
      <attribute name="a" optional="YES" attributeType="\(type)" minValueString="\(value)" \
      maxValueString="\(value)"/>
      """
    )
    #expect(document.attribute("a")?.validation.isEmpty == true)
    #expect(document.diagnostics.count == 2)
  }

  @Test(arguments: ["Integer 16", "Date", "Boolean", "Composite"])
  func `a pattern of what is no text is left out and told`(_ type: String) throws {
    let document = try thing(
      """
      <attribute name="a" optional="YES" attributeType="\(type)" composite="C" \
      regularExpressionString="[0-9]*"/>
      </entity>
      <composite name="C"><attribute name="x" attributeType="Double"/></composite>
      <entity name="Other">
      """
    )
    #expect(document.attribute("a")?.validation.isEmpty == true)
    #expect(diagnostics(document).contains("line 4: 'Thing.a' has a pattern, but is no text"))
  }

  @Test(
    arguments: [
      "<attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\"12abc\"/>",
      "<attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\"e\"/>",
      "<attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\"e1\"/>",
      "<attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\"-\"/>",
      "<attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\".\"/>",
      "<attribute name=\"a\" attributeType=\"Date\" defaultDateTimeInterval=\"nan\"/>",
      "<attribute name=\"a\" attributeType=\"Date\" minDateTimeInterval=\"inf\"/>",
      "<attribute name=\"a\" attributeType=\"Date\" maxDateTimeInterval=\"soon\"/>",
    ]
  )
  func `what is no number is left out and told`(_ element: String) throws {
    let document = try thing(element)
    #expect(document.attribute("a")?.defaultValue == .null)
    #expect(document.attribute("a")?.validation.isEmpty == true)
    #expect(document.diagnostics.count == 1)
  }

  @Test(
    arguments: [
      ("12", 12, 0), ("-0.5", -5, -1), ("+1.", 1, 0), (".5", 5, -1), ("1e3", 1, 3),
      ("-2.5E-7", -25, -8),
    ]
  )
  func `a decimal number is read whole`(_ text: String, _ digits: Int, _ exponent: Int) throws {
    let document = try thing(
      "<attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\"\(text)\"/>"
    )
    let number = Decimal(
      sign: digits < 0 ? .minus : .plus,
      exponent: exponent,
      significand: Decimal(abs(digits))
    )
    #expect(document.attribute("a")?.defaultValue == .decimal(number))
    #expect(document.diagnostics.isEmpty)
  }

  @Test func `a count beyond 32 bits is left out and told`() throws {
    let document = try thing(
      """
      <relationship name="r" optional="YES" toMany="YES" minCount="-9999999999" \
      maxCount="2147483648" destinationEntity="Thing" inverseName="r" inverseEntity="Thing"/>
      """
    )
    #expect(document.relationship("r")?.maximumCount == 0)
    #expect(document.relationship("r")?.minimumCount == 0)
    #expect(document.diagnostics.count == 2)
  }

  @Test func `what is there twice is told, and the last one counts`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing"><attribute name="a" attributeType="Composite" composite="C"/></entity>
        <composite name="C"><attribute name="x" attributeType="Date"/></composite>
        <composite name="C"><attribute name="y" attributeType="Date"/></composite>
        <configuration name="Cache"><memberEntity name="Thing"/></configuration>
        <configuration name="Cache"/>
        """
      )
    )
    #expect(document.attribute("a")?.elements.map(\.name) == ["y"])
    #expect(document.model.entities(forConfiguration: "Cache")?.isEmpty == true)
    #expect(document.diagnostics.count == 2)
    #expect(document.diagnostics.allSatisfy { $0.message.contains("twice; the last one counts") })
  }

  @Test func `what changes the result of a fetch request, and notes, are told`() throws {
    let document = try thing(
      """
      <fetchedProperty name="all"><fetchRequest name="f" entity="Thing" \
      returnDistinctResults="YES" includesPendingChanges="NO" fetchBatchSize="5"/>
      <userInfo><entry key="k" value="v"/></userInfo></fetchedProperty>
      """
    )
    #expect(document.diagnostics.count == 3)
  }

  @Test func `composites keep their names when they are written, used or not`() throws {
    let document = try thing(
      """
      <attribute name="home" attributeType="Composite" composite="Address"/>
      <attribute name="work" attributeType="Composite" composite="Address"/>
      </entity>
      <composite name="Address"><attribute name="at" attributeType="Composite" composite="Place"/>
      </composite>
      <composite name="Place"><attribute name="x" attributeType="Double"/></composite>
      <composite name="Unused"><attribute name="y" attributeType="Double"/></composite>
      <entity name="Other">
      """
    )
    let written = String(decoding: try document.contents, as: UTF8.self)
    let names = written.matches(of: /<composite name="([^"]*)"/).map { String($0.1) }
    #expect(names == ["Address", "Place", "Unused"])
    #expect(written.matches(of: /composite="Address"/).count == 2)
    #expect(try ModelDocument(document.contents).model == document.model)
  }

  @Test func `bounds that are exchanged are kept out of counts only with an error`() throws {
    let error = #expect(throws: PerennialError.self) {
      try thing(
        """
        <relationship name="r" toMany="YES" minCount="5" maxCount="2" destinationEntity="Thing" \
        inverseName="r" inverseEntity="Thing"/>
        """
      )
    }
    #expect(error?.message.contains("Line 4") == true)
    #expect(error?.recovery.contains("minimum") == true)
  }

  @Test func `an order of one object is left out and told`() throws {
    let document = try thing(
      """
      <relationship name="r" optional="YES" maxCount="1" ordered="YES" destinationEntity="Thing" \
      inverseName="r" inverseEntity="Thing"/>
      """
    )
    #expect(document.relationship("r")?.isOrdered == false)
    #expect(diagnostics(document).contains("'ordered' is left out"))
  }

  @Test func `a derivation of what is transient is left out and told`() throws {
    let document = try thing(
      """
      <attribute name="a" optional="YES" attributeType="Date" derived="YES" \
      derivationExpression="now()" transient="YES"/>
      """
    )
    #expect(document.attribute("a")?.derivationExpression == nil)
    #expect(document.attribute("a")?.isTransient == true)
    #expect(diagnostics(document).contains("derivation"))
  }

  @Test func `a derivation in a transient composite attribute is left out and told`() throws {
    let document = try thing(
      """
      <attribute name="c" optional="YES" transient="YES" attributeType="Composite" composite="C"/>
      </entity>
      <composite name="C"><attribute name="x" optional="YES" attributeType="Date" derived="YES" \
      derivationExpression="now()"/></composite>
      <entity name="Other">
      """
    )
    let elements = try #require(document.attribute("c")).elements
    #expect(elements.map(\.name) == ["x"])
    #expect(elements.allSatisfy { $0.derivationExpression == nil })
    #expect(diagnostics(document).contains("derivation"))
  }

  @Test func `what names an entity that is gone is left out and told`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing"/>
        <fetchRequest name="gone" entity="Gone"/>
        <fetchRequest name="things" entity="Thing"/>
        <configuration name="Cache"><memberEntity name="Gone"/><memberEntity name="Thing"/>\
        </configuration>
        """
      )
    )
    #expect(document.model.fetchRequestTemplates.map(\.name) == ["things"])
    #expect(document.model.entities(forConfiguration: "Cache")?.map(\.name) == ["Thing"])
    #expect(document.diagnostics.count == 2)
    #expect(diagnostics(document).contains("line 4: the fetch request 'gone' names 'Gone'"))
  }

  @Test func `a fetch request of a fetched property needs no name`() throws {
    let document = try thing(
      """
      <fetchedProperty name="all" optional="YES"><fetchRequest entity="Thing"/></fetchedProperty>
      """
    )
    let property = document.model.entitiesByName["Thing"]?.fetchedProperties.first
    #expect(property?.fetchRequest.entityName == "Thing")
    #expect(document.diagnostics.isEmpty)
  }

  @Test func `an inherited attribute that is repeated is one, and another of its name an error`()
    throws
  {
    func model(_ type: String) -> Data {
      modelFile(
        """
        <entity name="Base"><attribute name="a" optional="YES" attributeType="Date"/></entity>
        <entity name="Sub" parentEntity="Base">
        <attribute name="a" optional="YES" attributeType="\(type)"/></entity>
        """
      )
    }
    let document = try ModelDocument(model("Date"))
    #expect(document.model.entitiesByName["Sub"]?.properties.isEmpty == true)
    #expect(diagnostics(document).contains("line 5: 'Sub.a' is inherited"))
    let error = #expect(throws: PerennialError.self) { try ModelDocument(model("String")) }
    #expect(error?.message.contains("inherited ones included") == true)
  }

  @Test func `a model without entities is an error that says what to add`() throws {
    let error = #expect(throws: PerennialError.self) { try ModelDocument(modelFile("")) }
    #expect(error?.message == "The model has no entity.")
    #expect(error?.recovery == "add one")
  }

  @Test func `names that differ in case only are an error that says so`() throws {
    let error = #expect(throws: PerennialError.self) {
      try thing("<attribute name=\"ab\" attributeType=\"Date\"/><attribute name=\"aB\"/>")
    }
    let texts = [error?.message ?? ""] + (error?.problems.map(\.message) ?? [])
    #expect(texts.contains { $0.contains("upper and lower case") })
  }
}
