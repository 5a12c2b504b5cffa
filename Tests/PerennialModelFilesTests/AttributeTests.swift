// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

@Suite("FORMAT 1.2: attributes of model files")
struct AttributeTests {
  @Test(
    arguments: [
      ("Integer 16", .int16), ("Integer 32", .int32), ("Integer 64", .int64), ("Decimal", .decimal),
      ("Double", .double), ("Float", .float), ("String", .string), ("Boolean", .bool),
      ("Date", .date), ("Binary", .binaryData), ("UUID", .uuid), ("URI", .url),
      ("Transformable", .transformable),
    ] as [(String, AttributeType)]
  )
  func `every type has its name`(_ name: String, _ type: AttributeType) throws {
    let document = try thing("<attribute name=\"a\" attributeType=\"\(name)\"/>")
    #expect(document.attribute("a")?.type == type)
    #expect(document.attribute("a")?.isOptional == false)
    #expect(document.diagnostics.isEmpty)
  }

  @Test func `an attribute without a type is undefined, and must be transient`() throws {
    let document = try thing("<attribute name=\"a\" optional=\"YES\" transient=\"YES\"/>")
    #expect(document.attribute("a")?.type == .undefined)
    #expect(throws: PerennialError.self) { try thing("<attribute name=\"a\" optional=\"YES\"/>") }
  }

  @Test(
    arguments: [
      ("Integer 16", "-7", .integer(-7)), ("Integer 64", "0.0", .integer(0)),
      ("Boolean", "YES", .boolean(true)), ("Boolean", "NO", .boolean(false)),
      ("Double", "0.5", .double(0.5)), ("Float", "-1e3", .double(-1000)),
      ("Decimal", "12.50", .decimal(Decimal(sign: .plus, exponent: -1, significand: 125))),
      ("String", "", .string("")), ("String", "a &amp; b", .string("a & b")),
      ("URI", "https://example.com/", .url(URL(filePath: "/"))),
    ] as [(String, String, PropertyValue)]
  )
  func `a default is a value of its type`(
    _ type: String,
    _ text: String,
    _ value: PropertyValue
  ) throws {
    let document = try thing(
      "<attribute name=\"a\" attributeType=\"\(type)\" defaultValueString=\"\(text)\"/>"
    )
    if case .url = value {
      let expected = try #require(URL(string: text))
      #expect(document.attribute("a")?.defaultValue == .url(expected))
    } else {
      #expect(document.attribute("a")?.defaultValue == value)
    }
    #expect(document.diagnostics.isEmpty)
  }

  @Test func `a default date is seconds since 2001`() throws {
    let document = try thing(
      "<attribute name=\"a\" attributeType=\"Date\" defaultDateTimeInterval=\"632764800\"/>"
    )
    let date = Date(timeIntervalSinceReferenceDate: 632_764_800)
    #expect(document.attribute("a")?.defaultValue == .date(date))
  }

  @Test(
    arguments: [
      ("Integer 32", "defaultValueString=\"many\""), ("Boolean", "defaultValueString=\"maybe\""),
      ("UUID", "defaultValueString=\"7\""), ("Date", "defaultDateTimeInterval=\"today\""),
      ("Integer 32", "minValueString=\"few\""), ("Date", "maxValueString=\"12/4/2013\""),
      ("String", "minValueString=\"a\""), ("Boolean", "minValueString=\"0\""),
    ]
  )
  func `a value that is none of the type is left out, and told`(
    _ type: String,
    _ value: String
  ) throws {
    let document = try thing("<attribute name=\"a\" attributeType=\"\(type)\" \(value)/>")
    #expect(document.attribute("a")?.defaultValue == .null)
    #expect(document.attribute("a")?.validation.isEmpty == true)
    #expect(document.diagnostics.map(\.line) == [4])
  }

  @Test(.timeLimit(.minutes(10)))
  func `many digits that are no number take no longer than they are`() throws {
    let digits = String(repeating: "1", count: 100_000)
    let document = try thing(
      "<attribute name=\"a\" attributeType=\"Decimal\" defaultValueString=\"\(digits)x\"/>"
    )
    #expect(document.attribute("a")?.defaultValue == .null)
    #expect(document.diagnostics.count == 1)
  }

  @Test func `bounds are those of numbers and dates, lengths those of texts`() throws {
    let document = try thing(
      """
      <attribute name="n" attributeType="Integer 16" minValueString="1" maxValueString="9"/>
      <attribute name="s" attributeType="String" minValueString="1" maxValueString="9"
        regularExpressionString="[a-z]*"/>
      <attribute name="d" attributeType="Date" minDateTimeInterval="0" maxDateTimeInterval="9.5"/>
      """
    )
    #expect(
      document.attribute("n")?.validation
        == ValidationRules(minimum: .integer(1), maximum: .integer(9))
    )
    #expect(
      document.attribute("s")?.validation
        == ValidationRules(minimumLength: 1, maximumLength: 9, pattern: "[a-z]*")
    )
    #expect(
      document.attribute("d")?.validation
        == ValidationRules(
          minimum: .date(Date(timeIntervalSinceReferenceDate: 0)),
          maximum: .date(Date(timeIntervalSinceReferenceDate: 9.5))
        )
    )
  }

  @Test func `everything else that is said of an attribute is kept`() throws {
    let document = try thing(
      """
      <attribute name="a" optional="YES" attributeType="Binary" elementID="old"
        allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES" versionHashModifier="2">
        <userInfo><entry key="k &lt; l" value="v"/></userInfo>
      </attribute>
      <attribute name="b" attributeType="String" derived="YES"
        derivationExpression="canonical:(c)"/>
      <attribute name="c" attributeType="String" renamingIdentifier="former"/>
      <attribute name="t" attributeType="Transformable" valueTransformerName="ColorTransformer"
        customClassName="Color"/>
      """
    )
    let a = try #require(document.attribute("a"))
    #expect(a.isOptional && a.allowsExternalBinaryDataStorage)
    #expect(a.preservesValueInHistoryOnDeletion)
    #expect(a.renamingIdentifier == "old" && a.versionHashModifier == "2")
    #expect(a.userInfo == ["k < l": "v"])
    #expect(document.attribute("b")?.derivationExpression == "canonical:(c)")
    #expect(document.attribute("c")?.renamingIdentifier == "former")
    #expect(document.attribute("t")?.valueTransformerName == "ColorTransformer")
    #expect(document.diagnostics.isEmpty)
  }

  @Test func `a composite attribute has the elements of its composite, also nested ones`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing">
          <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
        </entity>
        <composite name="Place">
          <attribute name="name" attributeType="String"/>
          <attribute name="point" attributeType="Composite" composite="Point"/>
        </composite>
        <composite name="Point">
          <attribute name="x" attributeType="Double"/>
          <attribute name="y" optional="YES" attributeType="Double"/>
        </composite>
        """
      )
    )
    let place = try #require(document.attribute("place"))
    #expect(place.type == .composite)
    #expect(place.elements.map(\.name) == ["name", "point"])
    #expect(place.elements.last?.elements.map(\.name) == ["x", "y"])
  }

  @Test(arguments: ["Nothing", "Loop"])
  func `a composite that is not there, or made of itself, is an error`(_ name: String) {
    let error = #expect(throws: PerennialError.self) {
      try ModelDocument(
        modelFile(
          """
          <entity name="Thing">
            <attribute name="a" attributeType="Composite" composite="\(name)"/>
          </entity>
          <composite name="Loop">
            <attribute name="l" attributeType="Composite" composite="Loop"/>
          </composite>
          """
        )
      )
    }
    #expect(error?.code == .invalidModel)
    #expect(error?.message.contains(name) == true)
  }

  @Test
  func `a number of a Float is one, in defaults and bounds, and is written as short as it was`()
    throws
  {
    let document = try thing(
      """
      <attribute name="a" attributeType="Float" minValueString="0.1" maxValueString="0.3"
        defaultValueString="0.1"/>
      <attribute name="b" optional="YES" attributeType="Float" defaultValueString="1e300"/>
      """
    )
    let tenth = PropertyValue.double(Double(Float(0.1)))
    #expect(document.attribute("a")?.defaultValue == tenth)
    #expect(document.attribute("a")?.validation.minimum == tenth)
    #expect(document.attribute("a")?.validation.maximum == .double(Double(Float(0.3))))
    #expect(document.attribute("b")?.defaultValue == .null)
    #expect(document.diagnostics.count == 1)
    let written = String(decoding: try document.contents, as: UTF8.self)
    #expect(written.contains("defaultValueString=\"0.1\""))
    #expect(document.swiftSource().text.contains("var a: Float = 0.1\n"))
  }

  @Test func `a model whose derivations and patterns are wrong is read, and tells them as errors`()
    throws
  {
    let document = try thing(
      """
      <attribute name="s" optional="YES" attributeType="String" regularExpressionString="(["/>
      <attribute name="d" optional="YES" attributeType="Integer 64" derived="YES" \
      derivationExpression="foo bar"/>
      <attribute name="c" optional="YES" attributeType="Composite" composite="C"/>
      <attribute name="n" optional="YES" attributeType="String" derived="YES"/>
      </entity>
      <composite name="C">
      <attribute name="x" attributeType="String" regularExpressionString="(("/>
      </composite>
      <entity name="Other" parentEntity="Thing">
      """
    )
    #expect(document.attribute("s")?.validation.pattern == "([")
    #expect(document.diagnostics.map(\.line) == [4, 5, 6, 7])
    #expect(document.diagnostics.map(\.isError) == [true, true, true, false])
  }
}
