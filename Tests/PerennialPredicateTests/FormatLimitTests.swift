// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import Testing

@testable import PerennialPredicate

/// What is read exactly at a limit, and what is one too many.
@Suite("Limits of the format language")
struct FormatLimitTests {
  /// A value whose raw value is another one of its type, so many in each other; the last one has none.
  private struct Steps: RawRepresentable, Sendable {
    typealias RawValue = Steps?

    private let count: Int

    init(_ count: Int) { self.count = count }

    init?(rawValue: Steps?) { return nil }

    var rawValue: Steps? { count > 1 ? Steps(count - 1) : nil }
  }

  private static let tooDeep = "the predicate is nested more than 200 levels deep"

  /// What is wrong with a format; the predicate when nothing is.
  private func message(_ format: String) -> String {
    do {
      return try FetchPredicate(parsing: format).description
    } catch {
      return error.message
    }
  }

  // MARK: Arguments

  @Test func `raw values lie in each other up to twenty deep`() throws {
    #expect(ExpressionNode(argument: Steps(20)) == .constant(.null))
    #expect(ExpressionNode(argument: Steps(21)) == nil)
    let error = try #require(throws: PerennialError.self) {
      try FetchPredicate(format: "a == %@", Steps(21)).checked()
    }
    let sentence = "argument 1 has the type 'Steps', which a predicate cannot hold, at column 6"
    #expect(error.message.hasPrefix(sentence), "\(error.message)")
  }

  @Test func `a value that is its own raw value cannot be tested`() throws {
    struct Endless: RawRepresentable {
      var rawValue: Endless { self }
      init() {}
      init?(rawValue: Endless) { nil }
    }
    let tested: FetchPredicate = "a == 1"
    let error = try #require(throws: PerennialError.self) {
      try tested.evaluate(with: ["a": Endless()])
    }
    #expect(error.code == .typeMismatch && error.message.contains("'Endless'"))
  }

  @Test func `a collection has a million members, and no more`() throws {
    guard case .list(let members)? = ExpressionNode(argument: 0..<1_000_000) else {
      Issue.record("no list")
      return
    }
    let (count, last) = (members.count, members.last)
    #expect(count == 1_000_000)
    #expect(last == .constant(.integer(999_999)))
    #expect(ExpressionNode(argument: 0..<1_000_001) == nil)
    let tested: FetchPredicate = "1 IN a"
    let error = try #require(throws: PerennialError.self) {
      try tested.evaluate(with: ["a": 0..<1_000_001])
    }
    #expect(error.code == .typeMismatch)
  }

  // MARK: Depth

  /// A value within so many calls.
  private static func calls(_ value: String, _ count: Int) -> String {
    String(repeating: "abs(", count: count) + value + String(repeating: ")", count: count)
  }

  /// Forms that are one level deeper each time, in each place where something deep can stand.
  static let nestings: [@Sendable (Int) -> String] = [
    { "a NOT IN " + String(repeating: "{", count: $0) + "1" + String(repeating: "}", count: $0) },
    { "a[" + calls("b", $0) + "] == 1" },
    { "sum(1, " + calls("a", $0) + ") == 1" },
    { "TERNARY(" + String(repeating: "NOT ", count: $0) + "b == 1, 1, 2) == 1" },
    { "TERNARY(b == 1, " + calls("a", $0) + ", 2) == 1" },
    { "TERNARY(b == 1, 2, " + calls("a", $0) + ") == 1" },
    { "SUBQUERY(a, $x, " + String(repeating: "NOT ", count: $0) + "$x == 1).@count == 0" },
  ]

  @Test(arguments: nestings)
  func `200 levels are read in any place, 201 are not`(
    _ format: @Sendable (Int) -> String
  ) throws {
    let levels = try FetchPredicate(parsing: format(100)).checked().depth() - 100
    #expect(try FetchPredicate(parsing: format(200 - levels)).checked().depth() == 200)
    #expect(message(format(201 - levels)).hasPrefix(Self.tooDeep))
  }

  @Test func `conditions are joined on either side, as many as there are`() throws {
    let conditions = (0..<1_000).map { FetchPredicate("a == \($0)") }
    let first = conditions.reduce("b == 1") { $0 || $1 }
    let last = conditions.reduce("b == 1") { $1 || $0 }
    #expect(try first.checked().depth() == 4)
    #expect(try last.checked().depth() == 4)
    let nested = (0..<300).reduce("b == 1" as FetchPredicate) {
      $1.isMultiple(of: 2) ? "a == 1" && $0 : "a == 1" || $0
    }
    #expect(throws: PerennialError.self) { try nested.checked() }
  }

  @Test func `a predicate whose text could not be read again is not written`() throws {
    let values = Array(repeating: String(repeating: "x", count: 1_000), count: 4_200)
    let predicate = FetchPredicate(format: "a IN %@", values)
    let error = #expect(throws: PerennialError.self) { try JSONEncoder().encode(predicate) }
    #expect(error?.code == .predicateFormat)
    #expect(error?.message.contains("longer than 4194304 bytes") == true)
  }

  @Test func `198 parentheses around a comparison are read, 199 are not`() throws {
    func format(_ count: Int) -> String {
      String(repeating: "(", count: count) + "a == 1" + String(repeating: ")", count: count)
    }
    #expect(try FetchPredicate(parsing: format(198)) == "a == 1")
    #expect(message(format(199)).hasPrefix(Self.tooDeep + " at column 200"))
  }

  @Test func `a value of 199 operators is read, one of 200 is not`() throws {
    func path(_ count: Int) -> String { "a" + String(repeating: ".@sum", count: count) }
    #expect(try ExpressionNode(parsing: path(199)).depth() == 200)
    let error = try #require(throws: PerennialError.self) { try ExpressionNode(parsing: path(200)) }
    #expect(error.message.hasPrefix(Self.tooDeep), "\(error.message.prefix(200))")
  }

  // MARK: Texts

  @Test func `a value is as long as a predicate may be, and no longer`() throws {
    let text = String(repeating: "x", count: 4_194_302)
    let value = try ExpressionNode(parsing: "'" + text + "'")
    let isWhole = value == .constant(.string(text))
    #expect(isWhole)
    let error = try #require(throws: PerennialError.self) {
      try ExpressionNode(parsing: "'" + text + "x'")
    }
    #expect(error.message == "the predicate is longer than 4194304 bytes")
  }

  @Test(
    arguments: [
      (#"\u00e9"#, "\u{E9}"), (#"\u00E9x"#, "\u{E9}x"), (#"\uD83D\uDE00!"#, "\u{1F600}!"),
      (#"\101b"#, "Ab"), (#"\x41b"#, "Ab"), (#"\n\r\t|"#, "\n\r\t|"), (#"\'\"\\"#, "'\"\\"),
      (#"\q\d{2}"#, #"\q\d{2}"#), (#"\8"#, #"\8"#),
    ]
  )
  func `an escape is what it stands for, and what is behind it stays`(
    _ text: String,
    _ expected: String
  ) throws {
    #expect(try ExpressionNode(parsing: "'\(text)'") == .constant(.string(expected)))
  }

  @Test(
    arguments: [
      ("a UTI-EQUALS", "UTI-EQUALS is not supported at column 3"),
      ("a uti-conforms-to", "UTI-CONFORMS-TO is not supported at column 3"),
      ("a UTI-EQUAL", "unknown operator \"UTI\" at column 3"),
    ]
  )
  func `an operator of type identifiers is known at the very end, too`(
    _ format: String,
    _ sentence: String
  ) {
    #expect(message(format).hasPrefix(sentence), "\(message(format))")
  }

  // MARK: Numbers

  @Test(
    arguments: [
      ("-9223372036854775808", .constant(.integer(.min))),
      ("- 9223372036854775808", .constant(.integer(.min))),
      ("--9223372036854775808", .function(.negate, [.constant(.integer(.min))])),
      ("-9223372036854775807", .constant(.integer(-.max))),
      ("9223372036854775807", .constant(.integer(.max))), ("---5", .constant(.integer(-5))),
      ("--0.5", .constant(.double(0.5))),
    ] as [(String, ExpressionNode)]
  )
  func `signs make the least integer, and turn others around`(
    _ text: String,
    _ expected: ExpressionNode
  ) throws {
    #expect(try ExpressionNode(parsing: text) == expected)
  }

  // MARK: Messages

  /// The marks below so many characters, behind others.
  private func marks(behind count: Int, _ length: Int) -> String {
    String(repeating: " ", count: count) + "^" + String(repeating: "~", count: length - 1)
  }

  @Test func `a line is cut where more than 36 characters stand beside the place`() {
    let start = String(repeating: "a == 1 AND ", count: 5)
    let end = String(repeating: " AND c == 3", count: 5)
    let long = [
      "unknown operator \"CONTAIN\" at column 58, did you mean CONTAINS?",
      "  … a == 1 AND a == 1 AND a == 1 AND b CONTAIN 2 AND c == 3 AND c == 3 AND c == 3 …",
      marks(behind: 39, 7),
    ]
    #expect(message("\(start)b CONTAIN 2\(end)") == long.joined(separator: "\n"))

    let side = String(repeating: "a", count: 35)
    let whole = [
      "unknown operator \"CONTAIN\" at column 37, did you mean CONTAINS?",
      "  \(side) CONTAIN \(side)", marks(behind: 38, 7),
    ]
    #expect(message("\(side) CONTAIN \(side)") == whole.joined(separator: "\n"))

    let wide = [
      "the number does not fit into 64 bits at column 6",
      "  a == \(String(repeating: "9", count: 36))…", marks(behind: 7, 36),
    ]
    let number = String(repeating: "9", count: 40)
    #expect(message("a == \(number) AND b == 1") == wide.joined(separator: "\n"))
  }

  @Test(
    arguments: [
      ("q", "x", nil), ("ab", "cb", "cb"), ("abc", "ade", nil), ("abcd", "abxy", "abxy"),
      ("abcd", "axyz", nil), ("abcdef", "abcdxy", "abcdxy"), ("abcdef", "abcxyz", nil),
      ("abcdefg", "abcdxyz", "abcdxyz"), ("abcdefg", "abcwxyz", nil),
    ] as [(String, String, String?)]
  )
  func `as many slips as a word of its length may have are forgiven`(
    _ word: String,
    _ candidate: String,
    _ meant: String?
  ) {
    #expect(EditDistance.suggestion(for: word, among: [candidate]) == meant)
  }

  // MARK: Printing and reading again

  @Test(arguments: ["a.@sum.b.@max.c > 1", "a.@max.@min > 1", "a.@sum.b.c.@avg.@max.d.e > 1"])
  func `an operator in the key of another one is printed as it was written`(
    _ text: String
  ) throws {
    #expect(try FetchPredicate(parsing: text).description == text)
  }

  @Test func `the format of a literal is known once it has been used`() throws {
    func predicate(_ number: Int) -> FetchPredicate { "ofThisTestOnly == \(number)" }
    let first = predicate(1)
    let template = FormatTemplates.template(start: "ofThisTestOnly == ")
    #expect(template != nil)
    #expect(FormatTemplates.template(start: "ofThisTestOnly ==") == nil)
    #expect(try first == FetchPredicate(parsing: "ofThisTestOnly == 1"))
    #expect(try predicate(2) == FetchPredicate(parsing: "ofThisTestOnly == 2"))
  }
}
