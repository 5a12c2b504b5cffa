// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import Testing

@Suite("Errors of the format language")
struct FormatErrorTests {
  private func message(_ format: String, _ arguments: [(any Sendable)?] = []) -> String {
    do {
      return try FetchPredicate(parsing: format, arguments: arguments).description
    } catch {
      #expect(error.code == .predicateFormat)
      return error.message
    }
  }

  @Test
  func `a misspelt operator is shown with a caret and a suggestion`() throws {
    let error = try #require(throws: PerennialError.self) {
      try FetchPredicate(parsing: "message CONTAIN[c] 'fix'")
    }
    #expect(
      error.description == """
        PerennialError.format: unknown operator "CONTAIN" at column 9, did you mean CONTAINS?
          message CONTAIN[c] 'fix'
                  ^~~~~~~
          code: 200001
        """
    )
  }

  @Test
  func `wrong counts of arguments are refused`() {
    #expect(
      message("a == %@").hasPrefix("placeholder 1 has no argument at column 6, 0 arguments given")
    )
    #expect(
      message("a == 1", [1]).hasPrefix("the format has 0 placeholders, but 1 argument is given")
    )
  }

  @Test(arguments: ["a == '%@'", "a == \"%d\" AND b == 1", "'%K' == 1"])
  func `an argument too many is missed where a placeholder stands in quotes`(
    _ format: String
  ) throws {
    let error = try #require(throws: PerennialError.self) {
      try FetchPredicate(parsing: format, arguments: ["x"])
    }
    #expect(error.message.hasPrefix("the format has 0 placeholders, but 1 argument is given"))
    #expect(error.message.contains("remove the quotes"))
    #expect(error.recovery.contains("remove the quotes"))
  }

  @Test
  func `an argument of a strange type is named with its place`() {
    struct Strange: Sendable {}
    let text = message("a == %@ AND b == %@", [1, Strange()])
    #expect(
      text.hasPrefix(
        "argument 2 has the type 'Strange', which a predicate cannot hold, at column 18"
      )
    )
  }

  @Test(arguments: ["%d", "%f", "%s", "%K"])
  func `a placeholder of a type refuses other types`(_ placeholder: String) {
    let argument: any Sendable = placeholder == "%s" || placeholder == "%K" ? 1 : "text"
    #expect(message("a == \(placeholder)", [argument]).hasPrefix("argument 1 is '"))
  }

  @Test
  func `an error is kept until the predicate is used`() {
    let predicate = FetchPredicate(format: "a == %@") && "b == 1"
    #expect(throws: PerennialError.self) { try predicate.checked() }
    #expect(throws: PerennialError.self) { try predicate.evaluate(with: ["a": 1]) }
    #expect(throws: PerennialError.self) { try (!predicate).checked() }
  }

  @Test
  func `a value interpolated inside quotes is refused`() throws {
    let word = "fix"
    let predicate: FetchPredicate = "message == '\(word)'"
    let error = try #require(throws: PerennialError.self) { try predicate.checked() }
    #expect(error.message.contains("remove the quotes: the value is bound, not pasted"))
  }

  @Test
  func `a placeholder in an interpolated literal is refused`() {
    let predicate: FetchPredicate = "a == %@ AND b == \(1)"
    #expect(throws: PerennialError.self) { try predicate.checked() }
  }

  @Test(arguments: [10_000, 201])
  func `deep nesting is an error and not a crash`(_ depth: Int) {
    let opening = String(repeating: "(", count: depth)
    let closing = String(repeating: ")", count: depth)
    let minus = String(repeating: "-", count: depth)
    let not = String(repeating: "NOT ", count: depth)
    let formats = [
      opening + "a == 1" + closing, opening + "a" + closing + " == 1", opening, minus + "a == 1",
      not + "a == 1", "a" + String(repeating: " + 1", count: depth) + " == 1",
      "a" + String(repeating: "[0]", count: depth) + " == 1",
      "a" + String(repeating: ".@sum", count: depth) + " == 1",
      "a" + String(repeating: ".@unionOfObjects", count: depth) + " == 1",
      "a == " + String(repeating: "{", count: depth),
      String(repeating: "TERNARY(", count: depth),
      String(repeating: "abs(", count: depth),
    ]
    for format in formats {
      #expect(message(format).hasPrefix("the predicate is nested more than 200 levels deep"))
    }
  }

  /// Forms that are one level deeper each time, and how deep they are the 100th time: the values, the comparison, and
  /// a level for each of them.
  static let nestings: [@Sendable (Int) -> String] = [
    { String(repeating: "NOT ", count: $0) + "a == 1" },
    { String(repeating: "abs(", count: $0) + "a" + String(repeating: ")", count: $0) + " == 1" },
    { count in
      String(repeating: "CAST(", count: count) + "a"
        + String(repeating: ", 'NSString')", count: count) + " == 1"
    },
    { "a" + String(repeating: " + 1", count: $0) + " == 1" },
    { "a" + String(repeating: "[0]", count: $0) + " == 1" },
    { "a" + String(repeating: ".@unionOfObjects", count: $0) + " == 1" },
    { "a IN " + String(repeating: "{", count: $0) + "1" + String(repeating: "}", count: $0) },
  ]

  @Test(arguments: nestings)
  func `200 levels are read, 201 are not`(_ format: @Sendable (Int) -> String) throws {
    let levels = try FetchPredicate(parsing: format(100)).checked().depth() - 100
    #expect(try FetchPredicate(parsing: format(200 - levels)).checked().depth() == 200)
    let tooDeep = "the predicate is nested more than 200 levels deep"
    #expect(message(format(201 - levels)).hasPrefix(tooDeep))
  }

  @Test func `white space of any script parts words`() throws {
    let predicate = try FetchPredicate(parsing: "\u{3000}a\u{A0}==\u{2003}1\u{85}\t\n")
    #expect(try predicate.evaluate(with: ["a": 1]))
  }

  @Test func `marks stand below all that is wrong`() {
    let marks = [
      ("a UTI-EQUALS 'b'", "  ^~~~~~~~~~"), ("a UTI-CONFORMS-TO 'b'", "  ^~~~~~~~~~~~~~~"),
      ("a == \u{201C}x\u{201D}", "     ^"),
      ("a == 99999999999999999999", "     ^~~~~~~~~~~~~~~~~~~~"),
    ]
    for (format, expected) in marks {
      #expect(message(format).split(separator: "\n").last == "  \(expected)", "\(format)")
    }
  }

  @Test(arguments: ["a == b:", "a == b:c:", "a == b: AND c == 1"])
  func `a colon that ends no name is refused where it stands`(_ format: String) {
    #expect(message(format).contains("column 7"))
  }

  @Test(arguments: [("a + 1", 1), ("%d", 2), ("%d + %d", 3)])
  func `a value with arguments that nothing asks for is refused`(_ text: String, _ count: Int) {
    let error = #expect(throws: PerennialError.self) {
      try ExpressionDescription("x", parsing: text, arguments: Array(repeating: 1, count: count))
    }
    #expect(error?.code == .predicateFormat)
  }

  @Test
  func `a hundred thousand parentheses are an error and not a crash`() {
    let text =
      String(repeating: "(", count: 100_000) + "a == 1" + String(repeating: ")", count: 100_000)
    #expect(
      message(text).hasPrefix("the predicate is nested more than 200 levels deep at column 201")
    )
  }

  @Test
  func `nesting up to the limit is read, printed, compared and evaluated`() throws {
    let depth = 192
    let text =
      String(repeating: "NOT (", count: depth / 2) + "a == 1"
      + String(repeating: ")", count: depth / 2)
    let predicate = try FetchPredicate(parsing: text)
    #expect(try FetchPredicate(parsing: predicate.description) == predicate)
    #expect(try predicate.evaluate(with: ["a": 1]))
    let sum = "a" + String(repeating: " + 1", count: depth) + " == \(depth)"
    #expect(try FetchPredicate(parsing: sum).evaluate(with: ["a": 0]))
  }

  @Test
  func `composition beyond the limit is an error and not a crash`() {
    var predicate: FetchPredicate = "a == 1"
    for _ in 0..<10_000 { predicate = (predicate && "b == 1") || "c == 1" }
    #expect(throws: PerennialError.self) { try predicate.checked() }
    var flat: FetchPredicate = "a == 1"
    for _ in 0..<2_000 { flat = flat || "c == 1" }
    #expect(throws: Never.self) { try flat.checked() }
  }
}
