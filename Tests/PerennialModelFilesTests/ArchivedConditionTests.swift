// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialModelFiles

/// Conditions as Foundation archives them; the numbers are those of its public enumerations.
@Suite("Conditions of compiled models")
struct ArchivedConditionTests {
  typealias Fields = [(String, ArchiveText.Value)]

  /// An expression, from which an archive is written.
  indirect enum Expression: Sendable {
    case itself
    case text(String)
    case integer(Int)
    case real(Double)
    case nothing
    case constant(ofClass: String)
    case list([Expression])
    case nested(lists: Int)
    case variable(String)
    case path(Expression, String)
    case aggregate([Expression])
    case function(String?, [Expression])
    case unknown

    func number(in archive: inout ArchiveText) -> Int {
      switch self {
      case .itself: return archive.object("NSSelfExpression", [("NSExpressionType", .integer(1))])
      case .text(let text):
        let value = archive.text(text)
        return Self.constant(&archive, [("NSConstantValue", .object(value))])
      case .integer(let number):
        return Self.constant(&archive, [("NSConstantValue", .integer(number))])
      case .real(let number):
        return Self.constant(&archive, [("NSConstantValue", .real(number))])
      case .nothing: return Self.constant(&archive, [])
      case .constant(let name):
        let value = archive.object(name)
        return Self.constant(&archive, [("NSConstantValue", .object(value))])
      case .list(let members):
        let texts = members.map { member -> Int in
          if case .text(let text) = member { return archive.text(text) }
          return archive.object("NSNull")
        }
        let list = archive.array(texts)
        return Self.constant(&archive, [("NSConstantValue", .object(list))])
      case .nested(let count):
        var list = archive.array([])
        for _ in 1..<count { list = archive.array([list]) }
        return Self.constant(&archive, [("NSConstantValue", .object(list))])
      case .variable(let name):
        let text = archive.text(name)
        return archive.object(
          "NSVariableExpression",
          [("NSExpressionType", .integer(2)), ("NSVariable", .object(text))]
        )
      case .path(let root, let path):
        let operand = root.number(in: &archive)
        let text = archive.text(path)
        let specifier = archive.object(
          "NSKeyPathSpecifierExpression",
          [("NSExpressionType", .integer(10)), ("NSKeyPath", .object(text))]
        )
        let arguments = archive.array([specifier])
        return archive.object(
          "NSKeyPathExpression",
          [
            ("NSExpressionType", .integer(3)), ("NSOperand", .object(operand)),
            ("NSArguments", .object(arguments)),
          ]
        )
      case .aggregate(let parts):
        let numbers = parts.map { $0.number(in: &archive) }
        let list = archive.array(numbers)
        return archive.object(
          "NSAggregateExpression",
          [("NSExpressionType", .integer(14)), ("NSCollection", .object(list))]
        )
      case .function(let selector, let parts):
        let numbers = parts.map { $0.number(in: &archive) }
        let list = archive.array(numbers)
        let name = selector.map { archive.text($0) }
        return archive.object(
          "NSFunctionExpression",
          [("NSExpressionType", .integer(4)), ("NSArguments", .object(list))]
            + (name.map { [("NSSelectorName", .object($0))] } ?? [])
        )
      case .unknown:
        return archive.object("NSBlockExpression", [("NSExpressionType", .integer(19))])
      }
    }

    private static func constant(_ archive: inout ArchiveText, _ fields: Fields) -> Int {
      archive.object("NSConstantValueExpression", [("NSExpressionType", .integer(0))] + fields)
    }
  }

  /// A condition, from which an archive is written.
  indirect enum Condition: Sendable {
    case named(String)
    case compound(Int, [Condition])
    case comparison(Expression, Int, Expression, modifier: Int, options: Int)

    static func equal(_ right: Expression) -> Condition {
      .comparison(.itself, 4, right, modifier: 0, options: 0)
    }

    static func nested(_ count: Int) -> Condition {
      var condition = named("NSTruePredicate")
      for _ in 1..<count { condition = compound(0, [condition]) }
      return condition
    }

    func number(in archive: inout ArchiveText) -> Int {
      switch self {
      case .named(let name): return archive.object(name)
      case .compound(let type, let parts):
        let numbers = parts.map { $0.number(in: &archive) }
        let list = archive.array(numbers)
        return archive.object(
          "NSCompoundPredicate",
          [("NSCompoundPredicateType", .integer(type)), ("NSSubpredicates", .object(list))]
        )
      case .comparison(let left, let sign, let right, let modifier, let options):
        let (left, right) = (left.number(in: &archive), right.number(in: &archive))
        let comparator = archive.object(
          "NSPredicateOperator",
          [
            ("NSOperatorType", .integer(sign)), ("NSModifier", .integer(modifier)),
            ("NSOptions", .integer(options)),
          ]
        )
        return archive.object(
          "NSComparisonPredicate",
          [
            ("NSLeftExpression", .object(left)), ("NSRightExpression", .object(right)),
            ("NSPredicateOperator", .object(comparator)),
          ]
        )
      }
    }
  }

  /// The text attribute `a` with a condition and its message, and `b`.
  private func document(_ condition: Condition) throws -> ModelDocument {
    var archive = ArchiveText()
    let number = condition.number(in: &archive)
    let list = archive.array([number])
    let message = archive.text("wrong")
    let messages = archive.array([message])
    let a = archive.attribute(
      "a",
      700,
      [("NSValidationPredicates", .object(list)), ("NSValidationWarnings", .object(messages))]
    )
    let data = archive.model(of: [("a", a), ("b", archive.attribute("b", 700))])
    return try CompiledModelReader(named: "Test").document(data)
  }

  @Test(arguments: [
    (Condition.named("NSTruePredicate"), "TRUEPREDICATE"),
    (.named("NSFalsePredicate"), "FALSEPREDICATE"),
    (.compound(0, [.named("NSTruePredicate")]), "NOT (TRUEPREDICATE)"),
    (.compound(1, []), "TRUEPREDICATE"), (.compound(2, []), "FALSEPREDICATE"),
    (
      .compound(1, [.equal(.integer(1)), .compound(2, [.equal(.nothing), .equal(.text("x"))])]),
      "SELF == 1 AND (SELF == nil OR SELF == 'x')"
    ),
    (.equal(.text("it's \\")), "SELF == 'it\\'s \\\\'"), (.equal(.real(1.5)), "SELF == 1.5"),
    (.equal(.text("it'\u{301}s")), "SELF == 'it\\'\u{301}s'"),
    (.equal(.text("\\\u{301}")), "SELF == '\\\\\u{301}'"),
    (.equal(.variable("V")), "SELF == $V"), (.equal(.path(.itself, "b.c")), "SELF == b.c"),
    (.equal(.path(.variable("V"), "b")), "SELF == $V.b"),
    (.equal(.path(.itself, "size.first")), "SELF == #size.#first"),
    (.equal(.path(.itself, "b.@count")), "SELF == b.@count"),
    (.equal(.path(.itself, "self.b")), "SELF == self.b"),
    (.equal(.aggregate([.integer(1), .variable("V")])), "SELF == {1, $V}"),
    (.equal(.function("now", [])), "SELF == now()"),
    (.equal(.function("uppercase:", [.itself])), "SELF == uppercase:(SELF)"),
    (.equal(.function("lowercase:", [.itself])), "SELF == lowercase:(SELF)"),
    (.equal(.function("add:to:", [.integer(1), .integer(2)])), "SELF == (1 + 2)"),
    (.equal(.function("from:subtract:", [.integer(1), .integer(2)])), "SELF == (1 - 2)"),
    (.equal(.function("multiply:by:", [.integer(1), .integer(2)])), "SELF == (1 * 2)"),
    (.equal(.function("divide:by:", [.integer(1), .integer(2)])), "SELF == (1 / 2)"),
    (
      .comparison(.path(.itself, "b"), 99, .text("x"), modifier: 2, options: 3),
      "ANY b CONTAINS[cd] 'x'"
    ),
    (.comparison(.itself, 0, .integer(1), modifier: 1, options: 12), "ALL SELF <[nl] 1"),
    (
      .comparison(.itself, 100, .aggregate([.integer(1), .integer(2)]), modifier: 0, options: 0),
      "SELF BETWEEN {1, 2}"
    ),
  ])
  func `are text of the format language`(_ condition: Condition, _ text: String) throws {
    let document = try document(condition)
    #expect(document.attribute("a")?.validation.predicates.map(\.format) == [text])
    #expect(document.attribute("a")?.validation.predicates.map(\.message) == ["wrong"])
    #expect(document.diagnostics.isEmpty)
  }

  @Test(arguments: [
    Condition.named("NSBlockPredicate"), .compound(0, []),
    .compound(0, [.named("NSTruePredicate"), .named("NSTruePredicate")]),
    .compound(3, [.named("NSTruePredicate")]), .compound(1, [.named("NSBlockPredicate")]),
    .equal(.unknown), .equal(.real(.infinity)), .equal(.constant(ofClass: "NSNull")),
    .equal(.list([.text("x"), .unknown])), .equal(.aggregate([.unknown])),
    .equal(.path(.unknown, "b")), .equal(.function("now", [.itself])),
    .equal(.function("uppercase:", [])), .equal(.function("add:to:", [.integer(1)])),
    .equal(.function("random", [])), .equal(.function("now", [.unknown])),
    .equal(.function(nil, [])), .comparison(.unknown, 4, .integer(1), modifier: 0, options: 0),
    .comparison(.itself, 11, .integer(1), modifier: 0, options: 0),
    .comparison(.itself, 4, .integer(1), modifier: 3, options: 0),
    .comparison(.itself, 4, .integer(1), modifier: 0, options: 16), .nested(70),
    .equal(.nested(lists: 70)),
  ])
  func `that are unknown are left out and told`(_ condition: Condition) throws {
    let document = try document(condition)
    #expect(document.attribute("a")?.validation.predicates.isEmpty == true)
    #expect(
      document.diagnostics.map(\.message)
        == ["'Thing.a': a condition of its validation is left out"]
    )
  }

  @Test func `that call what no condition calls are told as errors: no store is opened with them`()
    throws
  {
    let document = try document(.equal(.function("canonical:", [.itself])))
    let formats = document.attribute("a")?.validation.predicates.map(\.format)
    #expect(formats == ["SELF == canonical:(SELF)"])
    #expect(document.diagnostics.map(\.isError) == [true])
  }

  // MARK: Derived attributes

  private func derived(_ expression: Expression) throws -> String? {
    var archive = ArchiveText()
    let number = expression.number(in: &archive)
    let a = archive.attribute("a", 300, [("NSDerivationExpression", .object(number))])
    let b = archive.attribute("b", 300)
    let name = archive.text("r")
    let destination = archive.text("Thing")
    let r = archive.object(
      "NSRelationshipDescription",
      [
        ("NSPropertyName", .object(name)), ("_NSDestinationEntityName", .object(destination)),
        ("_NSInverseRelationshipName", .object(name)), ("NSIsOptional", .yes(true)),
      ]
    )
    let data = archive.model(of: [("a", a), ("b", b), ("r", r)])
    return try CompiledModelReader(named: "Test").document(data).attribute("a")?
      .derivationExpression
  }

  @Test(arguments: [
    (Expression.function("count:", [.path(.itself, "r")]), "r.@count"),
    (.function("sum:", [.path(.itself, "r.b")]), "r.b.@sum"),
    (.function("min:", [.path(.itself, "r.b")]), "r.b.@min"),
    (.function("max:", [.path(.itself, "r.b")]), "r.b.@max"),
    (.function("sum:", [.path(.itself, "r.size")]), "r.#size.@sum"),
    (.function("canonical:", [.path(.itself, "first")]), "canonical:(first)"),
  ])
  func `of derived attributes are as model files have them`(
    _ expression: Expression,
    _ text: String
  )
    throws
  {
    #expect(try derived(expression) == text)
  }

  @Test(arguments: [
    Expression.unknown, .function("count:", []), .function("count:", [.unknown]),
    .function("random", []),
  ])
  func `of derived attributes that are unknown are an error`(_ expression: Expression) throws {
    let error = #expect(throws: PerennialError.self) { _ = try derived(expression) }
    #expect(error?.code == .invalidModel)
    #expect(error?.message == "'Thing.a' is derived by an expression that is unknown.")
    #expect(error?.entity == "Thing" && error?.property == "a")
  }
}
