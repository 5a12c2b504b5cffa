// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Values as texts: a letter for the kind, a colon, the value.
///
/// Nothing is an empty text.
enum CSVValue {
  static func text(of value: PropertyValue) -> String {
    switch value {
    case .null: ""
    case .boolean(let value): "b:\(value)"
    case .integer(let value): "i:\(value)"
    case .double(let value): "d:\(value)"
    case .decimal(let value): "n:\(value)"
    case .string(let value): "s:\(value)"
    case .date(let value): "t:\(value.timeIntervalSinceReferenceDate)"
    case .data(let value): "x:\(value.base64EncodedString())"
    case .uuid(let value): "u:\(value.uuidString)"
    case .url(let value): "l:\(value.absoluteString)"
    case .objectID(let value): "o:\(value.uriRepresentation.absoluteString)"
    }
  }

  static func value(of text: String) throws -> PropertyValue {
    if text.isEmpty { return .null }
    let scalars = text.unicodeScalars
    let rest = String(scalars.dropFirst(2))
    let value: PropertyValue? =
      switch scalars.first {
      case "b": Bool(rest).map { .boolean($0) }
      case "i": Int64(rest).map { .integer($0) }
      case "d": Double(rest).map { .double($0) }
      case "n": Decimal(string: rest).map { .decimal($0) }
      case "s": .string(rest)
      case "t": Double(rest).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      case "x": Data(base64Encoded: rest).map { .data($0) }
      case "u": UUID(uuidString: rest).map { .uuid($0) }
      case "l": URL(string: rest).map { .url($0) }
      case "o": URL(string: rest).flatMap(ManagedObjectID.init).map { .objectID($0) }
      default: nil
      }
    guard let value else {
      throw StoreProblem(
        .unreadable,
        "A field of the store has no value that can be read.",
        recovery: "restore the store from a backup; everything has been left as it is"
      )
    }
    return value
  }
}
