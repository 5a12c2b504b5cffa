// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialModelFiles
import Testing

/// The text of generated source; that it compiles and gives the same model is tested in
/// `GeneratedModelTests`.
@Suite struct `Swift source of a model` {
  @Test func `is a file for each class and one for the model`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Commit" representedClassName=".Commit">
          <attribute name="sha" attributeType="String" minValueString="40" maxValueString="40"/>
          <attribute name="date" optional="YES" attributeType="Date"/>
          <attribute name="size" attributeType="Integer 64" defaultValueString="0"/>
          <relationship name="author" maxCount="1" destinationEntity="Author" inverseName="commits" \
        inverseEntity="Author"/>
          <fetchIndex name="date"><fetchIndexElement property="date" type="Binary" \
        order="ascending"/></fetchIndex>
          <uniquenessConstraints><uniquenessConstraint><constraint value="sha"/>\
        </uniquenessConstraint></uniquenessConstraints>
        </entity>
        <entity name="Author">
          <attribute name="name" attributeType="String" defaultValueString="" elementID="label"/>
          <relationship name="commits" optional="YES" toMany="YES" deletionRule="Cascade" \
        destinationEntity="Commit" inverseName="author" inverseEntity="Commit"/>
        </entity>
        <fetchRequest name="RecentCommits" entity="Commit" predicateString="date &gt; $SINCE" \
        fetchLimit="5"/>
        """
      ),
      named: "Git"
    )
    let source = document.swiftSource()
    #expect(source.notes.isEmpty)
    #expect(source.files.map(\.name) == ["Author.swift", "Commit.swift", "GitModel.swift"])
    #expect(source.files.allSatisfy { $0.part == .machine })
    #expect(
      source.files[1].text == """
        // Generated from a model file by Perennial. Changes here are lost: change the model.

        import Perennial

        /// The entity 'Commit'.
        @Managed
        nonisolated final class Commit: ManagedObject {
          @Unique @Attribute(minimumLength: 40, maximumLength: 40) var sha: String
          @Indexed var date: Date?
          var size: Int64 = 0
          @Relationship(inverse: "commits", optional: false) var author: Author?

          /// The fetch request 'RecentCommits' of the model.
          ///
          /// `date > $SINCE`
          static func recentCommits(since: Date?) -> FetchRequest<Commit> {
            var request = FetchRequest<Commit>()
            request.predicate = FetchPredicate(format: "date > $SINCE")
              .withSubstitutionVariables([
                "SINCE": since,
              ])
            request.fetchLimit = 5
            return request
          }
        }

        """
    )
    #expect(source.text.components(separatedBy: "import Perennial").count == 2)
  }

  @Test func `is what the model says of each class`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Built" codeGenerationType="class"/>
        <entity name="Split" representedClassName="M.Parted" codeGenerationType="category"/>
        <entity name="Own"/>
        """
      ),
      named: "Test"
    )
    let asInModel = document.swiftSource(options: SwiftOptions())
    #expect(
      asInModel.files.map(\.name) == [
        "Built.swift", "_Parted.swift", "Parted.swift", "TestModel.swift",
      ]
    )
    #expect(asInModel.files.map { $0.part == .human } == [false, false, true, false])
    #expect(asInModel.files[1].text.contains("@Managed(\"Split\")\nnonisolated class _Parted"))
    #expect(asInModel.files[2].text.contains("final class Parted: _Parted {\n}\n"))
    #expect(asInModel.text.contains("class Parted") == false)
    #expect(document.handwrittenSource().files.map(\.name) == ["Own.swift", "Parted.swift"])
    let none = document.swiftSource(options: SwiftOptions(codeGeneration: .manual))
    #expect(none.files.isEmpty)
    #expect(none.text.isEmpty)
    let all = document.swiftSource()
    #expect(
      all.files.map(\.name) == ["Built.swift", "Own.swift", "Parted.swift", "TestModel.swift"]
    )
  }

  @Test func `has no line that a name of the model has made`() throws {
    let evil = "r'\n  static let evil = 1\n  /// '"
    let escaped = evil.replacing("\n", with: "&#10;")
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing">
          <fetchedProperty name="\(escaped)"><fetchRequest name="f" entity="Thing"/></fetchedProperty>
        </entity>
        <fetchRequest name="\(escaped)" entity="Thing"/>
        """
      ),
      named: evil
    )
    let text = document.swiftSource().text
    #expect(text.components(separatedBy: "static let evil").count > 3)
    let lines = text.split(whereSeparator: \.isNewline)
    #expect(!lines.contains { $0.drop { $0 == " " }.hasPrefix("static let evil") })
  }

  @Test(arguments: ["recent books", ">", "-", "_", "1", "💥"])
  func `has a name for every fetch request and fetched property`(_ name: String) throws {
    let text = name.replacing(">", with: "&gt;")
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing">
          <fetchedProperty name="\(text)"><fetchRequest name="f" entity="Thing"/></fetchedProperty>
        </entity>
        <fetchRequest name="\(text)" entity="Thing"/>
        """
      )
    )
    let source = document.swiftSource().text
    let functions = source.matches(of: /func ([^(]*)\(\)/).map { String($0.1) }
    #expect(functions.count == 3 && functions.last == "model")
    #expect(functions.allSatisfy { $0.wholeMatch(of: /[a-z_][A-Za-z_0-9]+/) != nil })
  }

  @Test(
    arguments: [
      "hash", "entity", "id", "filter", "all", "fetchRequest", "snapshot", "objectID", "isFault",
      "any", "some", "each",
    ]
  )
  func `has no class that a member would hide`(_ name: String) throws {
    let document = try ModelDocument(
      modelFile("<entity name=\"Thing\" representedClassName=\"\(name)\"/>")
    )
    let source = document.swiftSource()
    #expect(!source.text.contains("class \(name):"))
    #expect(source.text.contains("class Thing:"))
    #expect(source.notes.map(\.message).first?.contains("'\(name)' cannot be its name") == true)
  }

  @Test func `says which names it has changed`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Data"/>
        <entity name="DataObject"/>
        <entity name="One" representedClassName="Shared"/>
        <entity name="Two" representedClassName="shared"/>
        <entity name="Three" representedClassName="not a name"/>
        <entity name="Four">
          <attribute name="hash" optional="YES" attributeType="Date"/>
          <attribute name="hash_" optional="YES" attributeType="Date"/>
          <attribute name="Date" optional="YES" attributeType="Date"/>
          <attribute name="class" optional="YES" attributeType="Date"/>
        </entity>
        <entity name="Five" parentEntity="Four">
          <attribute name="hash__" optional="YES" attributeType="Date"/>
        </entity>
        """
      )
    )
    let source = document.swiftSource()
    #expect(
      source.notes.map(\.description) == [
        "line 3: the class of 'Data' is called 'DataObject2', because 'Data' cannot be its name",
        "line 6: the class of 'Two' is called 'Two', because another class is called 'shared'",
        "line 7: the class of 'Three' is called 'Three', because 'not a name' cannot be its name",
        "line 9: 'Four.hash' is called 'hash__' in Swift",
        "line 11: 'Four.Date' is called 'Date_' in Swift",
        "line 15: 'Five.hash__' is called 'hash___' in Swift",
      ]
    )
    #expect(source.text.contains("@Managed(\"Data\")\nnonisolated final class DataObject2:"))
    #expect(source.text.contains("  var `class`: Date?"))
    #expect(source.text.contains("  @Attribute(name: \"hash__\") var hash___: Date?"))
  }

  @Test func `gives literals that mean the same`() throws {
    let number = try #require(Decimal(string: "12345678901234567890.5") as Decimal?)
    let link = try #require(URL(string: "https://example.org/?a=%22"))
    let name = "a\"\\(b)\n\t\u{202E}é"
    var entity = EntityDescription(
      "Thing",
      properties: [
        .attribute("text", .string, default: name),
        .attribute("low", .int64, default: Int64.min),
        .attribute("big", .decimal, default: number),
        .attribute("link", .url, default: link),
        .attribute("bytes", .binaryData, default: Data([0, 255])),
      ]
    )
    entity.userInfo = ["k": name]
    let text = ModelDocument(try ManagedObjectModel(entity), named: "M").swiftSource().text
    let literal = #""a\"\\(b)\n\t\u{202e}é""#
    #expect(text.contains("var text: String = \(literal)"))
    #expect(text.contains("entity.userInfo = [\"k\": \(literal)]"))
    #expect(text.contains("var low: Int64 = -9223372036854775808"))
    #expect(text.contains(#"var big: Decimal = Decimal(string: "12345678901234567890.5") ?? .nan"#))
    #expect(text.contains(#"var link: URL = URL(string: "https://example.org/?a=%22")!"#))
    #expect(text.contains("var bytes: Data = Data([0, 255])"))
  }

  @Test(
    arguments: [
      ("a == $v", "v: String?"), ("b > $v", "v: Int16"), ("$v < b + 1", "v: Int16"),
      ("c.a LIKE $v", "v: String"), ("ANY d.b == $v", "v: Int16"), ("d.@count > $v", "v: Int64"),
      ("d.@sum.b > $v", "v: Int16"), ("d.@avg.b > $v", "v: Double"),
      ("b * $v > 100", "v: Int16"), ("sqrt(b) * $v > 100", "v: Double"),
      ("$v + $w == b", "v: Int16, w: Int16"), ("c == $v", "v: Thing?"), ("$v IN d", "v: Thing?"),
      ("SELF IN $v", "v: [Thing]"), ("a IN $v", "v: [String]"), ("b BETWEEN $v", "v: [Int16]"),
      ("b BETWEEN {$v, $w}", "v: Int16, w: Int16"), ("d CONTAINS $v", "v: Thing?"),
      ("a CONTAINS[c] $v", "v: String?"), ("uppercase(a) == uppercase($v)", "v: String"),
      ("length(a) == $v", "v: Int64"), ("a == $v OR b == $v", "v: (any Sendable)?"),
      ("a == $v AND c.a == $v", "v: String?"), ("e == $v", "v: Data?"),
      ("$v == $w", "v: (any Sendable)?, w: (any Sendable)?"), ("now() > $v", "v: Date"),
      ("SUBQUERY(d, $x, $x.b == $v).@count > 0", "v: Int16"), ("f.g == $v", "v: UUID?"),
      ("CAST($v, 'NSDate') == CAST(a, 'NSDate')", "v: (any Sendable)?"),
      ("nothing == $v", "v: (any Sendable)?"), ("a == $FIRST_NAME", "firstName: String?"),
      ("a == $URL AND a == $url", "url: String?, url_: String?"),
      ("a == $self", "self_: String?"), ("a == $in", "`in`: String?"), ("a == 'x'", ""),
      ("NOT a == $v", "v: String?"), ("TRUEPREDICATE AND a == $v", "v: String?"),
      ("$v CONTAINS b", "v: [Int16]"), ("{$v, 1} CONTAINS b", "v: Int16"),
      ("$v BETWEEN {1, 2}", "v: Int64"), ("d[$v].b == 1", "v: Int64"),
      ("d[SIZE] == $v", "v: Int64"),
      ("TERNARY(b > $w, a, $v) == a", "w: Int16, v: String?"),
      ("TERNARY(b > 1, b, 2) == $v", "v: Int16"), ("TERNARY(b > 1, nil, b) == $v", "v: Int16"),
      ("sqrt(b) == $v", "v: Double"), ("CAST(a, 'NSNumber') == $v", "v: Double"),
      ("CAST(a, 'NSString') == $v", "v: String"),
      ("CAST(a, 'NSDecimalNumber') == $v", "v: Decimal"),
      ("CAST(a, 'NSUUID') == $v", "v: UUID"), ("CAST(a, 'NSURL') == $v", "v: URL"),
      ("CAST(a, 'NSData') == $v", "v: Data"), ("CAST(a, 'NSDate') == $v", "v: Date"),
      ("CAST(a, 'NSManagedObjectID') == $v", "v: (any Sendable)?"), ("1.5 == $v", "v: Double"),
      ("nil == $v", "v: (any Sendable)?"), ("TRUE == $v", "v: Bool"),
      ("a.x == $v", "v: (any Sendable)?"),
      ("f == $v", "v: (any Sendable)?"), ("$v IN {'x', 'y'}", "v: String"),
      ("a == $_", "__: String?"), ("a.x.y == $v", "v: (any Sendable)?"),
    ]
  )
  func `gives a fetch request typed parameters`(_ predicate: String, _ parameters: String) throws {
    let text = predicate.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing">
          <attribute name="a" optional="YES" attributeType="String"/>
          <attribute name="b" attributeType="Integer 16"/>
          <attribute name="e" optional="YES" attributeType="Transformable"/>
          <attribute name="f" optional="YES" attributeType="Composite" composite="F"/>
          <relationship name="c" optional="YES" maxCount="1" destinationEntity="Thing" \
        inverseName="d" inverseEntity="Thing"/>
          <relationship name="d" optional="YES" toMany="YES" destinationEntity="Thing" \
        inverseName="c" inverseEntity="Thing"/>
        </entity>
        <composite name="F"><attribute name="g" optional="YES" attributeType="UUID"/></composite>
        <fetchRequest name="r" entity="Thing" predicateString="\(text)"/>
        """
      )
    )
    let source = document.swiftSource()
    #expect(source.notes.isEmpty && source.warnings.isEmpty)
    #expect(source.text.contains("static func r(\(parameters)) -> FetchRequest<Thing> {"))
  }

  @Test func `leaves out a fetch request that cannot be read, and says so`() throws {
    let document = try ModelDocument(
      modelFile(
        """
        <entity name="Thing"/>
        <fetchRequest name="bad" entity="Thing" predicateString="a === $b"/>
        <fetchRequest name="good" entity="Thing"/>
        """
      )
    )
    let source = document.swiftSource()
    #expect(source.notes.isEmpty)
    let warning = try #require(source.warnings.first)
    #expect(source.warnings.count == 1)
    #expect(warning.line == 4)
    #expect(warning.message.hasPrefix("the fetch request 'bad' has no function"))
    #expect(!warning.message.contains("\n"))
    #expect(!source.text.contains("static func bad"))
    #expect(source.text.contains("static func good()"))
  }

  @Test func `is written for ten thousand entities`() throws {
    let entities = (0..<10_000).map {
      EntityDescription(
        "Entity\($0)",
        properties: [
          .attribute("name", .string), .toOne("next", "Entity\(($0 + 1) % 10_000)"),
        ]
      )
    }
    let document = ModelDocument(try ManagedObjectModel(entities: entities), named: "Big")
    let source = document.swiftSource()
    #expect(Set(source.files.map(\.name)).count == 10_001)
    #expect(source.notes.isEmpty)
    #expect(source.text.contains("    Entity9999.self,\n"))
  }
}
