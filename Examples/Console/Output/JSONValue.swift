// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// A JSON value that knows how to write itself.
public enum JSONValue: Sendable, Hashable {
  /// No value.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number.
  case integer(Int)
  /// A number; infinities and NaN are written as null, as JSON has none.
  case number(Double)
  /// A decimal number with all its digits; NaN is written as null.
  case decimal(Decimal)
  /// A text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Names and values, in this order.
  case object([Member])

  /// A name and its value in an object.
  public struct Member: Sendable, Hashable {
    let name: String
    let value: JSONValue

    /// Makes a member.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// A date in UTC: `"2016-01-26T19:46:18Z"`.
  public static func date(_ date: Date) -> JSONValue { .string(date.iso8601) }

  /// A text, or null for nil.
  public static func optional(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }

  /// The value as JSON on one line.
  public var text: String {
    var result = ""
    write(to: &result)
    return result
  }

  private func write(to text: inout String) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += value.isFinite ? String(value) : "null"
    case .decimal(let value): text += value.isNaN ? "null" : value.description
    case .string(let value): Self.write(value, to: &text)
    case .array(let values):
      Self.write(values, between: ("[", "]"), to: &text) { $0.write(to: &$1) }
    case .object(let members):
      Self.write(members, between: ("{", "}"), to: &text) { member, text in
        Self.write(member.name, to: &text)
        text += ": "
        member.value.write(to: &text)
      }
    }
  }

  private static func write<Element>(
    _ elements: [Element],
    between brackets: (String, String),
    to text: inout String,
    each: (Element, inout String) -> Void
  ) {
    text += brackets.0
    for (index, element) in elements.enumerated() {
      if index > 0 { text += ", " }
      each(element, &text)
    }
    text += brackets.1
  }

  /// Writes a text in quotes.
  ///
  /// What could steer a terminal is escaped, although JSON demands that
  /// only for the characters below U+0020.
  private static func write(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.steersTerminal:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// An object with its members in the order of the literal.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
