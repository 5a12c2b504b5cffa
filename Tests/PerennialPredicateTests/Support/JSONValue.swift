// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// JSON with the tagged values of the vectors: `$date`, `$uuid`, `$data`, `$set`.
enum JSONValue: Decodable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .boolean(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// The value as an argument or as something to test.
  var argument: (any Sendable)? {
    switch self {
    case .null: nil
    case .boolean(let value): value
    case .integer(let value): value
    case .double(let value): value
    case .string(let value): value
    case .array(let values): values.map(\.argument)
    case .object(let values): Self.tagged(values) ?? values.mapValues(\.argument)
    }
  }

  private static func tagged(_ values: [String: JSONValue]) -> (any Sendable)? {
    guard values.count == 1, let (tag, value) = values.first else { return nil }
    switch (tag, value) {
    case ("$date", .string(let text)): return try? Date(text, strategy: .iso8601)
    case ("$uuid", .string(let text)): return UUID(uuidString: text)
    case ("$data", .string(let text)): return Data(base64Encoded: text)
    case ("$set", .array(let values)): return values.map(\.argument)
    default: return nil
    }
  }
}
