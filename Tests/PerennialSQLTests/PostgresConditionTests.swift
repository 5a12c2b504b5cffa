// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import Testing

@testable import PerennialPostgres

@Suite("Values and patterns for PostgreSQL")
struct PostgresConditionTests {
  private let dialect = PostgresDialect()

  /// A constant, the kind of the column, and what is bound; `nil` when memory compares.
  static let constants: [(ValueKind, PropertyValue, SQLValue?)] = [
    (.integer, .double(2), .integer(2)), (.integer, .double(-2.5), .double(-2.5)),
    (.integer, .double(0x1p62), .integer(1 << 62)), (.integer, .double(0x1p63), nil),
    (.integer, .double(.infinity), nil), (.integer, .boolean(true), .integer(1)),
    (.integer, .decimal(tenths(25)), .double(2.5)),
    (.double, .integer(7), .double(7)), (.double, .integer(1 << 53), .double(0x1p53)),
    (.double, .integer(1 << 53 + 1), nil), (.double, .integer(.max), nil),
    (.double, .decimal(tenths(1)), .double(0.1)),
    (.decimal, .integer(.max), .integer(.max)), (.decimal, .double(0.1), .double(0.1)),
    (.decimal, .decimal(3), .integer(3)), (.decimal, .decimal(tenths(1)), nil),
    (.string, .string("a"), .text("a")), (.string, .string("a\0"), nil),
    (.data, .data(Data([0])), .blob(Data([0]))),
  ]

  private static func tenths(_ number: Decimal) -> Decimal {
    Decimal(sign: .plus, exponent: -1, significand: number)
  }

  @Test(arguments: constants)
  func `a constant is bound so that the server compares it as memory does`(
    _ kind: ValueKind,
    _ value: PropertyValue,
    _ expected: SQLValue?
  ) {
    switch dialect.constant(value, for: kind) {
    case .bound(let bound): #expect(bound == expected)
    case .untranslatable: #expect(expected == nil)
    case .incomparable: Issue.record("\(value) can be compared")
    }
  }

  @Test func `what is no number or of another kind is equal to nothing`() {
    let pairs: [(ValueKind, PropertyValue)] = [
      (.double, .double(.nan)), (.integer, .double(.nan)), (.decimal, .decimal(.nan)),
      (.double, .decimal(.nan)), (.string, .integer(1)), (.integer, .string("1")),
    ]
    for (kind, value) in pairs {
      guard case .incomparable = dialect.constant(value, for: kind) else {
        Issue.record("\(value) as \(kind)")
        continue
      }
    }
  }

  @Test func `lists are arrays of one type each, with their marks escaped`() {
    let list = dialect.isAmong(
      SQLText("x"),
      [.text("a\"b"), .text("c\\d"), .text("{é,NULL}"), .text("")]
    )
    #expect(list.sql == "x = ANY (CAST(? AS text[]))")
    #expect(list.bindings == [.text(#"{"a\"b","c\\d","{é,NULL}",""}"#)])
    // With a combining mark behind it, a mark is another character, but the server reads bytes.
    let combined = dialect.isAmong(SQLText("x"), [.text("a\"\u{301}"), .text("\\\u{301}")])
    #expect(combined.bindings == [.text("{\"a\\\"\u{301}\",\"\\\\\u{301}\"}")])
    let numbers = dialect.isAmong(SQLText("x"), [.integer(-1), .double(0.5), .integer(.max)])
    #expect(
      numbers.sql == "(x = ANY (CAST(? AS bigint[])) OR x = ANY (CAST(? AS double precision[])))"
    )
    #expect(numbers.bindings == [.text("{-1,9223372036854775807}"), .text("{0.5}")])
    let bytes = dialect.isAmong(SQLText("x"), [.blob(Data([0, 255])), .blob(Data())])
    #expect(bytes.bindings == [.text(#"{"\\x00ff","\\x"}"#)])
  }

  @Test(arguments: [
    ("A*a", "A%a"), ("?", "_"), ("50%_", #"50\%\_"#), (#"\*\?"#, "*?"), (#"\\"#, #"\\"#),
    (#"\%"#, #"\%"#), (#"a\"#, #"a\\"#), ("é*", "é%"), ("", ""),
  ])
  func `wildcards become the server's`(_ ours: String, _ theirs: String) {
    #expect(PostgresPattern.like(ours) == theirs)
  }

  @Test(arguments: [
    "abc", "a|bc", "(a|b)*", "[a-zA-Z0-9_]+", "[0-9a-f]{40}", "a{2,}b{1,255}", ".*", "a.*b.+",
    #"\.\*\\"#, "(ab){3}c?", "é ü", "a-b@c", "(([a])b)+",
  ])
  func `plain regular expressions are left to the server`(_ pattern: String) {
    #expect(PostgresPattern.isShared(pattern))
  }

  @Test(arguments: [
    "", "a||b", "()", ".", "a.c", ".{2}", ".?", "[^a]", "^a", "a$", #"\d"#, #"\w+"#, #"\bx"#,
    #"(a)\1"#,
    "a*?", "a++", "a**", "(?i)a", "(?:a)", "(a+)+", "(a{2}){2}", "a{256}", "a{3,2}", "a{,2}", "a{",
    "a{1",
    "[]", "[a-]", "[z-a]", "[a-Z]", "[[:alpha:]]", "[a&&b]", "(a", "a)", "*a", "a\nb", #"a\"#, "]",
    "}",
    String(repeating: "(", count: 30) + "a" + String(repeating: ")", count: 30),
  ])
  func `regular expressions that may mean something else are left to memory`(_ pattern: String) {
    #expect(!PostgresPattern.isShared(pattern))
  }
}
