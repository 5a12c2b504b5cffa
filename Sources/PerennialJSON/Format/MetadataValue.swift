// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// A value of the application's metadata: an object of one member, which names its type.
///
/// Safe because the bytes of data are copied within the call that lends them.
enum MetadataValue {
  private enum Name {
    static let boolean = "boolean"
    static let integer = "integer"
    static let double = "double"
    static let decimal = "decimal"
    static let string = "string"
    static let date = "date"
    static let data = "data"
    static let uuid = "uuid"
    static let url = "url"
  }

  static func write(_ output: inout JSONOutput, _ value: PropertyValue) {
    output.write("{")
    output.write(quoted: name(of: value))
    output.write(":")
    switch value {
    case .null: output.write("null")
    case .boolean(let value): if value { output.write("true") } else { output.write("false") }
    case .integer(let value): output.write(value)
    case .double(let value): output.write(value)
    case .date(let value): output.write(date: value.timeIntervalSinceReferenceDate)
    case .data(let value): value.withUnsafeBytes { output.write(base64: $0) }
    case .decimal, .string, .uuid, .url, .objectID: output.write(quoted: text(of: value))
    }
    output.write("}")
  }

  static func read(_ scanner: inout JSONScanner) throws(JSONFault) -> PropertyValue {
    try scanner.expect(UInt8(ascii: "{"))
    let name = try scanner.string()
    try scanner.expect(UInt8(ascii: ":"))
    let value = try read(name, &scanner)
    try scanner.expect(UInt8(ascii: "}"))
    return value
  }

  private static func read(
    _ name: String,
    _ scanner: inout JSONScanner
  ) throws(JSONFault) -> PropertyValue {
    let position = scanner.position
    switch name {
    case Name.boolean: return .boolean(try scanner.boolean())
    case Name.integer: return .integer(try scanner.integer())
    case Name.double: return .double(try scanner.double())
    case Name.date: return .date(Date(timeIntervalSinceReferenceDate: try scanner.date()))
    case Name.data: return .data(Data(try scanner.base64()))
    default: break
    }
    let text = try scanner.string()
    let value: PropertyValue? =
      switch name {
      case Name.decimal: decimal(text).map { .decimal($0) }
      case Name.string: .string(text)
      case Name.uuid: UUID(uuidString: text).map { .uuid($0) }
      case Name.url: URL(string: text).map { .url($0) }
      default: nil
      }
    guard let value else {
      throw JSONFault("a value of the metadata cannot be read", at: position)
    }
    return value
  }

  private static func decimal(_ text: String) -> Decimal? {
    guard let usual = DecimalText.usual(text) else { return nil }
    let text = String(decoding: usual, as: UTF8.self)
    return text == "NaN" ? .nan : Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
  }

  private static func name(of value: PropertyValue) -> String {
    switch value {
    case .boolean: Name.boolean
    case .integer: Name.integer
    case .double: Name.double
    case .decimal: Name.decimal
    case .date: Name.date
    case .data: Name.data
    case .uuid: Name.uuid
    case .url: Name.url
    case .null, .string, .objectID: Name.string
    }
  }

  private static func text(of value: PropertyValue) -> String {
    switch value {
    case .decimal(let value): "\(value)"
    case .string(let value): value
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString
    case .objectID(let value): value.uriRepresentation.absoluteString
    default: ""
    }
  }
}
