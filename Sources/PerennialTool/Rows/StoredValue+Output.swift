// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import PerennialModel

extension PropertyValue {
  /// The value as JSON: dates as ISO 8601, data as base64, objects as URIs.
  ///
  /// What JSON has no number for is a text; a date beyond the years 0 to 9999 is its seconds since 2001.
  var json: JSONValue {
    switch self {
    case .null: .null
    case .boolean(let value): .bool(value)
    case .integer(let value): .integer(Int(value))
    case .double(let value):
      value.isFinite
        ? .number(value)
        : .string(value.isNaN ? "NaN" : value < 0 ? "-Infinity" : "Infinity")
    case .decimal(let value): .decimal(value)
    case .string(let value): .string(value)
    case .date(let value):
      value.exactISO8601.map(JSONValue.string)
        ?? PropertyValue.double(value.timeIntervalSinceReferenceDate).json
    case .data(let value): .string(value.base64EncodedString())
    case .uuid(let value): .string(value.uuidString)
    case .url(let value): .string(value.absoluteString)
    case .objectID(let value): .string(value.uriRepresentation.absoluteString)
    }
  }

  /// The value for people, on one line.
  var line: String {
    switch self {
    case .null: ""
    case .boolean(let value): value ? "true" : "false"
    case .integer(let value): String(value)
    case .double(let value): String(value)
    case .decimal(let value): value.description
    case .string(let value): value.escapedForTerminal
    case .date(let value):
      value.exactISO8601 ?? "\(value.timeIntervalSinceReferenceDate) s after 2001"
    case .data(let value): "<\(value.count.counted("byte"))>"
    case .uuid(let value): value.uuidString
    case .url(let value): value.absoluteString.escapedForTerminal
    case .objectID(let value): value.description.escapedForTerminal
    }
  }
}

extension StoredValue {
  var json: JSONValue {
    switch self {
    case .value(let value): value.json
    case .composite(let elements):
      .object(elements.map { JSONValue.Member($0.name, $0.value.json) })
    case .objects(let ids): .array(ids.map { PropertyValue.objectID($0).json })
    }
  }

  /// The value for people, on one line.
  var line: String {
    switch self {
    case .value(let value): return value.line
    case .composite(let elements):
      return elements.filter { !$0.value.isNull }
        .map { "\($0.name.escapedForTerminal): \($0.value.line)" }.joined(separator: ", ")
    case .objects(let ids):
      let shown = ids.prefix(Self.shownCount).map { $0.description.escapedForTerminal }
      let rest = ids.count - shown.count
      return shown.joined(separator: " ") + (rest > 0 ? " and \(rest.grouped) more" : "")
    }
  }

  /// How many objects of a relationship are named on a line.
  private static let shownCount = 20
}

extension StoredRow {
  /// The row with its URI and entity, `_id` and `_entity`; with more underscores if properties have these names.
  var json: JSONValue {
    let names = Set(values.map(\.name))
    func unused(_ name: String) -> String { names.contains(name) ? unused("_" + name) : name }
    let identity: [JSONValue.Member] = [
      .init(unused("_id"), PropertyValue.objectID(id).json),
      .init(unused("_entity"), .string(id.entityName)),
    ]
    return .object(identity + values.map { JSONValue.Member($0.name, $0.value.json) })
  }
}
