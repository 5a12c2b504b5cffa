// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import Testing

@Suite("Arguments")
struct ArgumentTests {
  private enum Color: String { case red }

  private struct Document: PredicateArgument, Sendable {
    let id: ManagedObjectID
    var predicateValue: PropertyValue { .objectID(id) }
  }

  private static let date = Date(timeIntervalSinceReferenceDate: 10)
  private static let uuid = UUID()
  private static let id = ManagedObjectID(entityName: "Commit", owner: UUID(), key: 7)

  private func right(_ predicate: FetchPredicate) throws -> ExpressionNode {
    guard case .comparison(let comparison) = try predicate.checked() else {
      throw PerennialError(.predicateFormat, "no comparison")
    }
    return comparison.right
  }

  @Test(
    arguments: [
      (nil, .null), (NSNull(), .null), ("a", .string("a")), ("abc".dropFirst(), .string("bc")),
      (true, .boolean(true)), (5, .integer(5)), (UInt8(5), .integer(5)),
      (Int64.min, .integer(.min)),
      (1.5, .double(1.5)), (Float(1.5), .double(1.5)), (Decimal(3), .decimal(3)),
      (date, .date(date)), (uuid, .uuid(uuid)), (Data([1]), .data(Data([1]))),
      (URL(filePath: "/a"), .url(URL(filePath: "/a"))), (id, .objectID(id)),
      (Color.red, .string("red")), (Document(id: id), .objectID(id)),
      (Optional<Int>.none, .null), (PropertyValue.integer(3), .integer(3)),
      (NSNumber(5), .integer(5)), (NSNumber(1.5), .double(1.5)),
      (NSNumber(value: Float(1.5)), .double(1.5)), (NSNumber(true), .boolean(true)),
      (NSNumber(false), .boolean(false)), (NSNumber(value: Int8(1)), .integer(1)),
      (NSDecimalNumber(string: "1.10"), .decimal(Decimal(11) / 10)), (CGFloat(1.5), .double(1.5)),
    ] as [((any Sendable)?, PropertyValue)]
  )
  func `a value becomes a constant`(_ argument: (any Sendable)?, _ expected: PropertyValue) throws {
    let predicate = FetchPredicate(format: "a == %@", argument)
    #expect(try right(predicate) == .constant(expected))
    let literal: FetchPredicate = "a == \(argument)"
    #expect(literal == predicate)
  }

  @Test(
    arguments: [
      [1, 2] as [Int], Set([1, 2]), ["x": 1, "y": 2], [Optional(1), Optional(2)],
      [0, 1, 2].dropFirst(), [2: 0, 1: 0].keys, ["x": 2, "y": 1].values, ContiguousArray([1, 2]),
      1...2, 1..<3, IndexSet([1, 2]),
    ] as [any Sendable]
  )
  func `a collection becomes a list`(_ argument: any Sendable) throws {
    let predicate = FetchPredicate(format: "a IN %@", argument)
    #expect(try right(predicate) == .list([.constant(.integer(1)), .constant(.integer(2))]))
    let tested: FetchPredicate = "a == {1, 2}"
    let isDictionary = argument is [String: Int]
    #expect(try isDictionary || tested.evaluate(with: ["a": argument]))
  }

  @Test
  func `an ordered set of Foundation's becomes a list in its order`() throws {
    let set = NSOrderedSet(array: [2, 1])
    let list = ExpressionNode(argument: set)
    #expect(list == .list([.constant(.integer(2)), .constant(.integer(1))]))
  }

  @Test
  func `a range that is too long for a list is refused`() throws {
    let error = try #require(throws: PerennialError.self) {
      try FetchPredicate(format: "a IN %@", Int.min...Int.max).checked()
    }
    #expect(error.message.hasPrefix("a list has more than 1000000 values"))

    let tested: FetchPredicate = "1 IN a"
    let other = try #require(throws: PerennialError.self) {
      try tested.evaluate(with: ["a": 0...Int.max])
    }
    #expect(other.code == .typeMismatch)
  }

  @Test(
    arguments: [
      (["a", ""], [.string("a"), .string("")]), ([true], [.boolean(true)]),
      ([Int16.min, 5], [.integer(-32_768), .integer(5)]), ([Int64.max], [.integer(.max)]),
      ([UInt8(5)], [.integer(5)]), ([1.5], [.double(1.5)]), ([Float(1.5)], [.double(1.5)]),
      ([Decimal(3)], [.decimal(3)]), ([date], [.date(date)]), ([uuid], [.uuid(uuid)]),
      ([Data([1])], [.data(Data([1]))]),
      ([URL(filePath: "/a")], [.url(URL(filePath: "/a"))]), ([id], [.objectID(id)]),
      ([String?.none, "a"], [.null, .string("a")]), ([Color.red], [.string("red")]),
      ([Document(id: id)], [.objectID(id)]), (["abc".dropFirst()], [.string("bc")]),
      ([PropertyValue.integer(3)], [.integer(3)]), ([Int](), []),
    ] as [(any Sendable, [PropertyValue])]
  )
  func `a list has the constants of its values, whatever their type`(
    _ argument: any Sendable,
    _ expected: [PropertyValue]
  ) throws {
    let list = ExpressionNode.list(expected.map { .constant($0) })
    #expect(try right(FetchPredicate(format: "a IN %@", argument)) == list)
    let literal: FetchPredicate = "a IN \(argument)"
    #expect(try right(literal) == list)
  }

  @Test(arguments: [UInt64.max, NSNumber(value: UInt64.max)] as [any Sendable])
  func `a number that does not fit is refused`(_ number: any Sendable) {
    #expect(throws: PerennialError.self) {
      try FetchPredicate(format: "a == %@", number).checked()
    }
    #expect(ExpressionNode(argument: number) == nil)
  }

  @Test
  func `collections lie in each other up to twenty deep`() throws {
    var list: any Sendable = 1
    var expected = ExpressionNode.constant(.integer(1))
    for _ in 0..<20 {
      list = [list]
      expected = .list([expected])
    }
    #expect(try right(FetchPredicate(format: "a IN %@", list)) == expected)
    let error = try #require(throws: PerennialError.self) {
      try FetchPredicate(format: "a IN %@", [list]).checked()
    }
    #expect(error.message.hasPrefix("argument 1 has the type 'Array<"))
  }

  @Test(
    arguments: [
      ("%d", 5, .integer(5)), ("%d", true, .integer(1)), ("%d", false, .integer(0)),
      ("%d", -2.0, .integer(-2)), ("%f", 2, .double(2)), ("%f", 0.5, .double(0.5)),
      ("%f", true, .double(1)), ("%f", false, .double(0)), ("%f", Decimal(3), .decimal(3)),
      ("%s", "a", .string("a")),
    ] as [(String, any Sendable, PropertyValue)]
  )
  func `a placeholder of a type makes the value one of its type`(
    _ placeholder: String,
    _ argument: any Sendable,
    _ expected: PropertyValue
  ) throws {
    let predicate = try FetchPredicate(parsing: "a == \(placeholder)", arguments: [argument])
    #expect(try right(predicate) == .constant(expected))
  }

  /// Formats that are kept as templates, and such as are not, each used with other values at each time.
  @Test
  func `a format is read anew with other values`() throws {
    for number in 1...3 {
      let either: FetchPredicate = "TRUEPREDICATE AND (a == \(number) OR NOT b != \(number))"
      #expect(try either.evaluate(with: ["a": number, "b": 0]))
      #expect(try either.evaluate(with: ["a": 0, "b": number]))
      #expect(try !either.evaluate(with: ["a": 0, "b": 0]))
      let range = FetchPredicate(format: "a BETWEEN %@", [number, number + 1])
      #expect(try range.evaluate(with: ["a": number + 1]))
      #expect(try !range.evaluate(with: ["a": number - 1]))
      let both = FetchPredicate(format: "b == %@ AND a BETWEEN {%@, %@}", number, number, 9)
      #expect(try both.evaluate(with: ["a": number, "b": number]))
      #expect(try !both.evaluate(with: ["a": number - 1, "b": number]))
    }
  }

  /// What ends with its only value is found by its beginning, so it stands beside all that begins alike.
  @Test
  func `a literal that ends with its only value is told apart from what begins alike`() throws {
    for number in 1...3 {
      let text = "n\(number)"
      let equal: FetchPredicate = "a == \(text)"
      #expect(try equal == FetchPredicate(parsing: "a == 'n\(number)'"))
      #expect(FetchPredicate(format: "a == %@", text) == equal)
      let spaced: FetchPredicate = "a == \(text) "
      #expect(spaced == equal)
      let other: FetchPredicate = "b == \(text)"
      #expect(try other == FetchPredicate(parsing: "b == 'n\(number)'"))
      let ofNumber: FetchPredicate = "a == \(number)"
      #expect(try ofNumber == FetchPredicate(parsing: "a == \(number)"))
      let none: Int? = nil
      let ofNothing: FetchPredicate = "a == \(none)"
      #expect(ofNothing == "a == nil")
      let longer: FetchPredicate = "a == \(text) OR b == \(text)"
      #expect(longer == (equal || other))
      let turned: FetchPredicate = "\(text) == a"
      #expect(try turned == FetchPredicate(parsing: "'n\(number)' == a"))
      let list: FetchPredicate = "a IN \([number, 9])"
      #expect(try list == FetchPredicate(parsing: "a IN {\(number), 9}"))
      let both: FetchPredicate = "a == 1 AND b == \(text)"
      #expect(both == ("a == 1" && other))
      let key: FetchPredicate = "a == \(key: text)"
      #expect(try key == FetchPredicate(parsing: "a == n\(number)"))
      let wrong: FetchPredicate = "a === \(text)"
      #expect(throws: PerennialError.self) { try wrong.checked() }
    }
  }

  @Test(
    arguments: [
      ("x", .string("x")), (7, .integer(7)), (true, .boolean(true)), (date, .date(date)),
      (id, .objectID(id)), (Optional<String>.none, .null),
    ] as [((any Sendable)?, PropertyValue)]
  )
  func `a name that must have a value is the same whether its format is known or not`(
    _ argument: (any Sendable)?,
    _ value: PropertyValue
  ) throws {
    func known() -> FetchPredicate { "tag == \(argument)" }
    for predicate in [known(), known(), FetchPredicate(format: "tag == %@", argument)] {
      let read = try FetchPredicate(parsing: "tag == %@", arguments: [argument])
      #expect(predicate == read)
      #expect(read == predicate)
      #expect(predicate.hashValue == read.hashValue)
      #expect(predicate.description == read.description)
      #expect(try predicate.checked() == read.checked())
      #expect(!predicate == !read)
      #expect((predicate && "n > 1") == (read && "n > 1"))
      #expect(("n > 1" || predicate) == ("n > 1" || read))
      #expect(predicate.withSubstitutionVariables(["x": 1]) == read)
      #expect(predicate.map { .not($0) } == !read)
      #expect(try predicate.evaluate(with: ["tag": argument]))
      #expect(predicate != "tag == 'another'")
      #expect(predicate != "tag ==")
      for equality in [try predicate.equality(), try read.equality()] {
        #expect(equality?.name == "tag")
        #expect(equality?.value == value)
      }
    }
  }

  @Test(
    arguments: [
      "tag != \("x")", "tag ==[c] \("x")", "ANY tags == \("x")", "a.tag == \("x")", "'x' == \("x")",
      "NOT tag == \("x")", "tag == $x", "tag == other", "tag == 1 AND n == \(2)",
    ] as [FetchPredicate]
  )
  func `anything else is more than a name that must have a value`(_ predicate: FetchPredicate)
    throws
  {
    #expect(try predicate.equality() == nil)
  }

  @Test
  func `a predicate is no argument`() throws {
    let inner: FetchPredicate = "a == 1"
    let error = try #require(throws: PerennialError.self) {
      try FetchPredicate(format: "%@ == 1", inner).checked()
    }
    #expect(error.recovery == "combine predicates with &&, || and !.")
  }

  @Test
  func `a key path argument is a path and never a variable`() throws {
    let path = FetchPredicate(format: "%K == 1", "author.name.@count")
    #expect(path == "author.name.@count == 1")
    let variable = FetchPredicate(format: "%K == 1", "$x")
    #expect(try variable.evaluate(with: ["$x": 1]))
    let key: FetchPredicate = "\(key: "author.name") == \("Joe")"
    #expect(key == "author.name == 'Joe'")
  }

  @Test
  func `interpolated text is bound and never read`() throws {
    let text = "x' OR TRUEPREDICATE OR 'x' == '%@ \\"
    let predicate: FetchPredicate = "a == \(text)"
    #expect(try right(predicate) == .constant(.string(text)))
    #expect(try !predicate.evaluate(with: ["a": "y"]))
  }

  @Test
  func `literals of one text differ by what was interpolated where`() {
    for _ in 0..<2 {
      let byKey: FetchPredicate = "\(key: "a") == \("b")"
      #expect(byKey == "a == 'b'")
      let byValue: FetchPredicate = "\("a") == \("b")"
      #expect(byValue == "'a' == 'b'")
      let quoted: FetchPredicate = "a == '%@' OR b == \("c")"
      #expect(quoted == "a == '%@' OR b == 'c'")
      let interpolated: FetchPredicate = "a == \("c") OR b == '%@'"
      #expect(interpolated == "a == 'c' OR b == '%@'")
      #expect(FetchPredicate(format: "%K == %@", "a", "b") == byKey)
      #expect(FetchPredicate(format: "%@ == %@", "a", "b") == byValue)
    }
  }

  /// They begin alike, so that each of them is looked for where the others are.
  @Test
  func `literals whose texts Swift finds equal differ by their bytes`() throws {
    for number in 1...2 {
      func isTrue(_ predicate: FetchPredicate, of text: String) throws -> Bool {
        try predicate.evaluate(with: ["a": text, "b": "\(number)"])
      }
      let text = "\(number)"
      let composed: FetchPredicate = "b == \(text) AND a == '\u{E9}'"
      let decomposed: FetchPredicate = "b == \(text) AND a == 'e\u{301}'"
      #expect(try isTrue(composed, of: "\u{E9}"))
      #expect(try isTrue(decomposed, of: "e\u{301}"))
      // These have as many bytes as each other.
      let sign: FetchPredicate = "b == \(text) AND a == '\u{212B}'"
      let letters: FetchPredicate = "b == \(text) AND a == 'A\u{30A}'"
      #expect(try isTrue(sign, of: "\u{212B}"))
      #expect(try isTrue(letters, of: "A\u{30A}"))
      // The Kelvin sign is equal to a text of ASCII.
      let kelvin: FetchPredicate = "b == \(text) AND a == '\u{212A}'"
      let letter: FetchPredicate = "b == \(text) AND a == 'K'"
      #expect(try isTrue(kelvin, of: "\u{212A}"))
      #expect(try isTrue(letter, of: "K"))
    }
  }

  @Test
  func `a variable beside a value stays where it is, however often the format is used`() throws {
    for number in 1...3 {
      let equal: FetchPredicate = "\(number) == $x"
      #expect(try equal == FetchPredicate(parsing: "\(number) == $x"))
      let turned: FetchPredicate = "$x == \(number)"
      #expect(try turned == FetchPredicate(parsing: "$x == \(number)"))
      let list = FetchPredicate(format: "%@ IN $list", number)
      #expect(try list == FetchPredicate(parsing: "\(number) IN $list"))
      #expect(try list.withSubstitutionVariables(["list": [number]]).evaluate(with: nil))
    }
  }

  @Test
  func `variables are replaced, except those of a subquery`() throws {
    let template: FetchPredicate = "a == $x AND SUBQUERY(b, $x, $x == $y).@count > 0"
    let predicate = template.withSubstitutionVariables(["x": 1, "y": 2])
    #expect(predicate == "a == 1 AND SUBQUERY(b, $x, $x == 2).@count > 0")
    #expect(throws: PerennialError.self) { try template.evaluate(with: ["a": 1]) }
  }

  @Test
  func `predicates compose to flat trees`() {
    let all: FetchPredicate = "a == 1 AND b == 2 AND c == 3"
    let (a, b, c): (FetchPredicate, FetchPredicate, FetchPredicate) = ("a == 1", "b == 2", "c == 3")
    #expect((a && b && c) == all)
    #expect((a && (b && c)) == all)
    let none: FetchPredicate = "NOT (a == 1 OR b == 2)"
    #expect(!(a || b) == none)
    #expect(FetchPredicate.value(true) == "TRUEPREDICATE")
  }
}
