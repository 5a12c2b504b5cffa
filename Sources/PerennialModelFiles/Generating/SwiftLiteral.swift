// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Values as expressions of Swift.
///
/// Safe because the bytes of a UUID are read while it is alive.
enum SwiftLiteral {
  /// A string.
  static func string(_ text: String) -> String {
    var literal = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": literal += "\\\""
      case "\\": literal += "\\\\"
      case "\n": literal += "\\n"
      case "\r": literal += "\\r"
      case "\t": literal += "\\t"
      default: append(scalar, to: &literal)
      }
    }
    return literal + "\""
  }

  /// A text as a comment of one line may have it: nothing in it ends the line.
  static func comment(_ text: String) -> String {
    var comment = ""
    for scalar in text.unicodeScalars { append(scalar, to: &comment) }
    return comment
  }

  /// Lines that look other than they are read are an error of the compiler, or worse.
  private static func append(_ scalar: Unicode.Scalar, to text: inout String) {
    let category = scalar.properties.generalCategory
    if [.control, .format, .lineSeparator, .paragraphSeparator].contains(category) {
      text += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      text.unicodeScalars.append(scalar)
    }
  }

  /// A list of expressions.
  static func list(_ elements: [String]) -> String { "[" + elements.joined(separator: ", ") + "]" }

  /// A list of strings.
  static func strings(_ texts: [String]) -> String { list(texts.map(string)) }

  /// A dictionary of strings, sorted.
  static func dictionary(_ texts: [String: String]) -> String {
    if texts.isEmpty { return "[:]" }
    return list(
      texts.sorted { $0.key < $1.key }.map { "\(string($0.key)): \(string($0.value))" }
    )
  }

  /// A value of an attribute's type; `nil` for none.
  static func value(_ value: PropertyValue, as type: AttributeType) -> String? {
    switch value {
    case .null, .objectID: nil
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .double(let value): type == .float ? number(Float(value)) : number(value)
    case .decimal(let value): decimal(value)
    case .string(let value): string(value)
    case .date(let value):
      "Date(timeIntervalSinceReferenceDate: \(number(value.timeIntervalSinceReferenceDate)))"
    case .data(let value): "Data([\(value.map { String($0) }.joined(separator: ", "))])"
    case .uuid(let value):
      withUnsafeBytes(of: value.uuid) { bytes in
        "UUID(uuid: (\(bytes.map { String($0) }.joined(separator: ", "))))"
      }
    // It was made of this text, so that it can be made of it again.
    case .url(let value): "URL(string: \(string(value.absoluteString)))!"
    }
  }

  /// A value as a `PropertyValue`; `nil` for none.
  static func propertyValue(_ value: PropertyValue, as type: AttributeType) -> String? {
    let name =
      switch value {
      case .null, .objectID: ""
      case .boolean: "boolean"
      case .integer: "integer"
      case .double: "double"
      case .decimal: "decimal"
      case .string: "string"
      case .date: "date"
      case .data: "data"
      case .uuid: "uuid"
      case .url: "url"
      }
    return self.value(value, as: type).map { ".\(name)(\($0))" }
  }

  private static func number(_ value: some BinaryFloatingPoint) -> String {
    if value.isNaN { return ".nan" }
    if value.isInfinite { return value < 0 ? "-.infinity" : ".infinity" }
    return "\(value)"
  }

  private static func decimal(_ value: Decimal) -> String {
    let text = "\(value)"
    if let number = Int64(text) { return String(number) }
    return "Decimal(string: \(string(text))) ?? .nan"
  }
}
