// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Follows keys from a value.
///
/// nil stays nil; a collection gives its elements' values, flattened.
enum KeyPathReader {
  static func value(
    at steps: [String],
    of root: EvaluationValue
  ) throws(PerennialError) -> EvaluationValue {
    var value = root
    for step in steps { value = try self.value(forKey: step, of: value) }
    return value
  }

  private static func value(
    forKey key: String,
    of value: EvaluationValue
  ) throws(PerennialError) -> EvaluationValue {
    switch value {
    case .null, .scalar(.null): return .null
    case .dictionary(let values): return values[key] ?? (key == "self" ? value : .null)
    case .object(let source):
      if key == "self" { return value }
      if key == "objectID", let id = source.identity { return .scalar(.objectID(id)) }
      return try source.value(forKey: key)
    case .list(let elements): return try values(forKey: key, of: elements)
    case .scalar(let scalar): return try self.value(forKey: key, of: scalar)
    }
  }

  private static func values(
    forKey key: String,
    of elements: [EvaluationValue]
  ) throws(PerennialError) -> EvaluationValue {
    var values: [EvaluationValue] = []
    values.reserveCapacity(elements.count)
    for element in elements {
      let value = try value(forKey: key, of: element)
      if case .list(let inner) = value { values += inner } else { values.append(value) }
    }
    return .list(values)
  }

  /// The few keys that plain values have.
  private static func value(
    forKey key: String,
    of scalar: PropertyValue
  ) throws(PerennialError) -> EvaluationValue {
    switch (key, scalar) {
    case ("self", _): return .scalar(scalar)
    case ("length", .string(let text)): return .scalar(.integer(Int64(text.utf16.count)))
    case ("length", .data(let data)): return .scalar(.integer(Int64(data.count)))
    case ("absoluteString", .url(let url)): return .scalar(.string(url.absoluteString))
    default: throw EvaluationError.noSuchKey(key, kind: scalar.kind)
    }
  }
}

extension PropertyValue {
  /// The name of the value's kind, for messages.
  var kind: String {
    switch self {
    case .null: "nil"
    case .boolean: "boolean"
    case .integer: "integer"
    case .double: "double"
    case .decimal: "decimal"
    case .string: "string"
    case .date: "date"
    case .data: "data"
    case .uuid: "UUID"
    case .url: "URL"
    case .objectID: "object ID"
    }
  }
}
