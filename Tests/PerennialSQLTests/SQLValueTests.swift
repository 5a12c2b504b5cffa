// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialSQL
import Testing

@Suite("Values of statements")
struct SQLValueTests {
  private static let values: [SQLValue] = [
    .null, .integer(0), .integer(1), .integer(.min), .double(0), .double(1.5), .text(""),
    .text("0"), .text("\u{E9}"), .text("e\u{301}"), .blob(Data()), .blob(Data([0])),
  ]

  @Test func `values are equal when their case and their bytes are`() {
    #expect(Set(Self.values).count == Self.values.count)
    for (place, value) in Self.values.enumerated() {
      #expect(Self.values.firstIndex(of: value) == place)
      #expect(Set(Self.values).contains(value), "\(value)")
    }
    #expect(SQLValue.double(.nan) != .double(.nan))
    #expect(SQLValue.double(-0.0) == .double(0))
    #expect(SQLValue.double(-0.0).hashValue == SQLValue.double(0).hashValue)
  }

  @Test func `a value is described as SQL writes it, bytes by their number`() {
    let values: [SQLValue] = [
      .null, .integer(-5), .double(0.5), .text("a"), .blob(Data([1, 2])),
    ]
    #expect(values.map(\.description) == ["NULL", "-5", "0.5", "'a'", "2 bytes"])
  }

  @Test func `integers and texts are put in the order of an index, and nothing is lost`() {
    let integers: [SQLValue] = [.integer(3), .integer(.min), .integer(.max), .integer(-1)]
    #expect(
      integers.inIndexOrder == [.integer(.min), .integer(-1), .integer(3), .integer(.max)]
    )
    let texts: [SQLValue] = ["b", "", "aaaaaaaab", "é", "a"].map { .text($0) }
    #expect(texts.inIndexOrder == ["", "a", "aaaaaaaab", "b", "é"].map { .text($0) })
    #expect(Self.values.inIndexOrder.count == Self.values.count)
    #expect(Set(Self.values.inIndexOrder) == Set(Self.values))
  }

  @Test func `there are as many marks as parameters`() {
    #expect((0...3).map(SQLText.marks) == ["", "?", "?, ?", "?, ?, ?"])
    #expect(
      SQLText.rows(2, of: ["a", "b"], into: "t") == "INTO t (a, b) VALUES (?, ?), (?, ?)"
    )
  }

  @Test(arguments: [
    ("", false), ("a", false), ("\0", true), ("a\0", true), ("\0a", true),
    (String(repeating: "x", count: 100), false), (String(repeating: "x", count: 100) + "\0", true),
  ])
  func `a NUL is found wherever it stands`(_ text: String, _ hasNUL: Bool) {
    #expect(text.containsNUL == hasNUL)
    // Safe because the bytes are read within the calls only.
    #expect(Array(text.utf8).withUnsafeBytes(\.containsNUL) == hasNUL)
    #expect(Data(text.utf8).withUnsafeBytes(\.containsNUL) == hasNUL)
  }
}
