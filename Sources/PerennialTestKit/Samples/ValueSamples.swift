// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Values that stores have been seen to get wrong.
enum ValueSamples {
  /// A type, what the value is, and the value.
  static let all: [(AttributeType, String, PropertyValue)] =
    integers + reals + texts + others

  private static let integers: [(AttributeType, String, PropertyValue)] = [
    (.int16, "0", .integer(0)), (.int16, "its least", .integer(Int64(Int16.min))),
    (.int16, "its greatest", .integer(Int64(Int16.max))), (.int32, "-1", .integer(-1)),
    (.int32, "its least", .integer(Int64(Int32.min))),
    (.int32, "its greatest", .integer(Int64(Int32.max))),
    (.int64, "0", .integer(0)), (.int64, "its least", .integer(.min)),
    (.int64, "its greatest", .integer(.max)),
    (.int64, "a number that no double has", .integer(9_007_199_254_740_993)),
    (.bool, "true", .boolean(true)), (.bool, "false", .boolean(false)),
  ]

  private static let reals: [(AttributeType, String, PropertyValue)] = [
    (.double, "0", .double(0)), (.double, "a tenth", .double(0.1)),
    (.double, "a whole number", .double(3)),
    (.double, "its greatest", .double(.greatestFiniteMagnitude)),
    (.double, "its least above 0", .double(.leastNonzeroMagnitude)),
    (.double, "infinity", .double(.infinity)),
    (.double, "minus infinity", .double(-.infinity)),
    (.double, "a number beyond all integers", .double(1e300)),
    (.float, "a half", .double(0.5)), (.float, "a tenth", .double(Double(Float(0.1)))),
    (.float, "its greatest", .double(Double(Float.greatestFiniteMagnitude))),
    (.decimal, "0", .decimal(0)), (.decimal, "a tenth", .decimal(decimal("0.1"))),
    (.decimal, "fifteen digits", .decimal(decimal("123456789.012345"))),
    (.decimal, "a negative amount", .decimal(decimal("-99.99"))),
    (.date, "the reference date", .date(Date(timeIntervalSinceReferenceDate: 0))),
    (.date, "a fraction of a second", .date(Date(timeIntervalSinceReferenceDate: 0.123_456_789))),
    (.date, "a time before 1970", .date(Date(timeIntervalSinceReferenceDate: -3e9))),
    (.date, "the distant past", .date(.distantPast)),
    (.date, "the distant future", .date(.distantFuture)),
  ]

  private static let texts: [(AttributeType, String, PropertyValue)] = [
    (.string, "an empty text", .string("")), (.string, "a word", .string("Ada")),
    (.string, "commas, quotes and line ends", .string("a,\"b\",'c'\r\nd\n\te\\f;")),
    (.string, "spaces at both ends", .string("  a  ")),
    (.string, "a NUL", .string("a\u{0}b")),
    (.string, "a precomposed letter", .string("\u{E9}")),
    (.string, "a decomposed letter", .string("e\u{301}")),
    (.string, "a letter beyond the first plane", .string("\u{1F3E1}\u{1F469}\u{200D}\u{1F680}")),
    (.string, "text from right to left", .string("\u{5E9}\u{5DC}\u{5D5}\u{5DD}")),
    (.string, "digits", .string("007")), (.string, "the word nil", .string("nil")),
    (.string, "an escape", .string("\\n%@\u{1B}")),
    (.string, "100,000 letters", .string(String(repeating: "é", count: 100_000))),
    (.string, "the last scalar", .string("\u{10FFFF}\u{FFFE}\u{FEFF}")),
  ]

  private static let others: [(AttributeType, String, PropertyValue)] = [
    (.binaryData, "no bytes", .data(Data())),
    (.binaryData, "every byte", .data(Data(0...255))),
    (.binaryData, "a million bytes", .data(Data(repeating: 0xA5, count: 1_000_000))),
    (.transformable, "bytes", .data(Data([0, 1, 255]))),
    (.transformable, "no bytes", .data(Data())),
    (.uuid, "zeros", .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))),
    (.uuid, "an identifier", .uuid(identifier)),
    (.url, "an address", .url(url("https://example.org/a?b=c&d=%20#e"))),
    (.url, "a file", .url(URL(fileURLWithPath: "/tmp/a b.txt"))),
    (.url, "a relative address", .url(url("a/b"))),
  ]

  private static let identifier = UUID(
    uuid: (
      0xE6, 0x21, 0xE1, 0xF8, 0xC3, 0x6C, 0x49, 0x5A, 0x93, 0xFC, 0x0C, 0x24, 0x7A, 0x3E, 0x6E, 0x5F
    )
  )

  private static func decimal(_ text: String) -> Decimal {
    Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) ?? .nan
  }

  private static func url(_ text: String) -> URL {
    URL(string: text) ?? URL(fileURLWithPath: "/missing")
  }
}

extension PropertyValue {
  /// The value as `setValue(_:forKey:)` takes it.
  var plain: (any Sendable)? {
    switch self {
    case .null: nil
    case .boolean(let value): value
    case .integer(let value): value
    case .double(let value): value
    case .decimal(let value): value
    case .string(let value): value
    case .date(let value): value
    case .data(let value): value
    case .uuid(let value): value
    case .url(let value): value
    case .objectID(let value): value
    }
  }
}
