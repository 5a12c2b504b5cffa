// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialModelFiles

@Suite("Small models that stand for large ones")
struct BombTests {
  private func read(_ data: Data) throws(PerennialError) -> ModelDocument {
    try CompiledModelReader(named: "Bomb", visitLimit: 1_000_000).document(data)
  }

  /// The text attribute `a` with a condition.
  private func attribute(_ archive: inout ArchiveText, _ condition: Int) -> Int {
    let conditions = archive.array([condition])
    return archive.attribute("a", 700, [("NSValidationPredicates", .object(conditions))])
  }

  private func constant(_ archive: inout ArchiveText, _ value: Int) -> Int {
    let path = archive.object(
      "NSSelfExpression",
      [("NSExpressionType", .integer(1))]
    )
    let constant = archive.object(
      "NSConstantValueExpression",
      [("NSExpressionType", .integer(0)), ("NSConstantValue", .object(value))]
    )
    let sign = archive.object("NSPredicateOperator", [("NSOperatorType", .integer(10))])
    return archive.object(
      "NSComparisonPredicate",
      [
        ("NSLeftExpression", .object(path)), ("NSRightExpression", .object(constant)),
        ("NSPredicateOperator", .object(sign)),
      ]
    )
  }

  @Test func `a list in a condition is read`() throws {
    var archive = ArchiveText()
    let members = [archive.text("x"), archive.text("y")]
    let list = archive.array(members)
    let condition = constant(&archive, list)
    let property = attribute(&archive, condition)
    let document = try read(archive.model(of: [("a", property)]))
    #expect(document.attribute("a")?.validation.predicates.map(\.format) == ["SELF IN {'x', 'y'}"])
    #expect(document.diagnostics.isEmpty)
  }

  @Test func `a list that has itself as a member is left out`() throws {
    var archive = ArchiveText()
    let list = archive.object("NSArray")
    archive.set(list, "NS.objects", .list([list]))
    let condition = constant(&archive, list)
    let property = attribute(&archive, condition)
    let document = try read(archive.model(of: [("a", property)]))
    #expect(document.attribute("a")?.validation.predicates.isEmpty == true)
    #expect(document.diagnostics.count == 1)
  }

  @Test func `conditions that share their parts many times over are refused`() throws {
    var archive = ArchiveText()
    var condition = archive.object("NSTruePredicate")
    for _ in 0..<40 {
      let parts = archive.array([condition, condition])
      condition = archive.object(
        "NSCompoundPredicate",
        [("NSCompoundPredicateType", .integer(1)), ("NSSubpredicates", .object(parts))]
      )
    }
    let property = attribute(&archive, condition)
    let data = archive.model(of: [("a", property)])
    let error = #expect(throws: PerennialError.self) { try read(data) }
    #expect(error?.message.contains("stand for too many") == true)
  }

  @Test func `composites that share their elements many times over are refused`() throws {
    var archive = ArchiveText()
    var attribute = archive.attribute("e", 700)
    for _ in 0..<14 {
      let elements = archive.array(Array(repeating: attribute, count: 12))
      attribute = archive.attribute("e", 2100, [("NSCompositeElements", .object(elements))])
    }
    let data = archive.model(of: [("a", attribute)])
    let error = #expect(throws: PerennialError.self) { try read(data) }
    #expect(error?.message.contains("stand for too many") == true)
  }

  @Test func `many references to a large object cost no copy each`() throws {
    var archive = ArchiveText()
    let note = archive.text("v")
    let large = archive.object("NSNull", (0..<5_000).map { ("k\($0)", .object(note)) })
    let list = archive.array(Array(repeating: large, count: 20_000))
    let property = archive.attribute("a", 700, [("NSValidationPredicates", .object(list))])
    let document = try read(archive.model(of: [("a", property)]))
    #expect(document.diagnostics.count == 20_000)
  }

  @Test func `composites of a file that stand for too many elements are refused`() throws {
    func composite(_ number: Int, _ type: String) -> String {
      let elements = (0..<10).map { "<attribute name=\"a\($0)\" \(type)/>" }
      return "<composite name=\"C\(number)\">\(elements.joined())</composite>"
    }
    let composites =
      (0..<9).map { composite($0, "attributeType=\"Composite\" composite=\"C\($0 + 1)\"") }
      + [composite(9, "attributeType=\"Date\"")]
    for used in ["C0", "C9"] {
      let text = """
        <entity name="Thing">
        <attribute name="a" attributeType="Composite" composite="\(used)"/>
        </entity>
        """
      let data = modelFile(text + composites.joined())
      let error = #expect(throws: PerennialError.self) { try ModelDocument(data) }
      #expect(error?.message.contains("100000 elements") == true, "\(error?.message ?? "")")
    }
  }

  @Test func `composites in one another without end are refused`() throws {
    let chain = (0..<100_000).map {
      """
      <composite name="C\($0)">
      <attribute name="a" attributeType="Composite" composite="C\($0 + 1)"/></composite>
      """
    }
    let data = modelFile(
      """
      <entity name="Thing"><attribute name="a" attributeType="Composite" composite="C0"/></entity>
      \(chain.joined())
      """
    )
    #expect(throws: PerennialError.self) { try ModelDocument(data) }
    let few = modelFile(
      """
      <entity name="Thing"><attribute name="a" attributeType="Composite" composite="C0"/></entity>
      \(chain.prefix(20).joined())
      """
    )
    let error = #expect(throws: PerennialError.self) { try ModelDocument(few) }
    #expect(error?.message.contains("Over 16 composites") == true)
  }

  @Test func `properties that many entities inherit are refused`() throws {
    let attributes = (0..<1_000).map { "<attribute name=\"a\($0)\" attributeType=\"Date\"/>" }
    let heirs = (0..<300).map { "<entity name=\"E\($0)\" parentEntity=\"Base\"/>" }
    let data = modelFile("<entity name=\"Base\">\(attributes.joined())</entity>" + heirs.joined())
    let error = #expect(throws: PerennialError.self) { try ModelDocument(data) }
    #expect(error?.message.contains("250000 entities and properties") == true)
  }

  @Test(.timeLimit(.minutes(10)))
  func `names without end are compared with none, and told in part`() throws {
    let long = String(repeating: "a", count: 100_000)
    let other = String(repeating: "b", count: 100_000)
    let data = modelFile(
      """
      <entity name="\(long)">
      <relationship name="r" optional="YES" maxCount="1" destinationEntity="\(other)"/></entity>
      """
    )
    let error = #expect(throws: PerennialError.self) { try ModelDocument(data) }
    #expect(error?.recovery == "use one of: \(long.prefix(100))…")
  }

  @Test(.timeLimit(.minutes(10)))
  func `problems of a model with many long names are told in time`() throws {
    let prefix = String(repeating: "a", count: 190)
    let entities = (0..<2_000).map { number in
      """
      <entity name="\(prefix)\(number)"><relationship name="r" optional="YES" maxCount="1" \
      destinationEntity="\(prefix)x\(number)"/></entity>
      """
    }
    let data = modelFile(entities.joined(separator: "\n"))
    let error = #expect(throws: PerennialError.self) { try ModelDocument(data) }
    #expect(error?.problems.count == 100)
  }

  @Test(.timeLimit(.minutes(10)))
  func `many indexes over many attributes are looked up, each once`() throws {
    let attributes = (0..<20_000).map {
      "<attribute name=\"a\($0)\" optional=\"YES\" attributeType=\"Date\" indexed=\"YES\"/>"
    }
    let document = try thing(attributes.joined(separator: "\n"))
    #expect(document.model.entities[0].indexes.count == 20_000)
  }
}
