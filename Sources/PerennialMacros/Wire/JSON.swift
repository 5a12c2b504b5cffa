// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A JSON value: what the compiler and the plug-in say to each other.
///
/// A type of our own: it keeps the order of members, and its reader is bounded and total.
enum JSON: Equatable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([Member])

  /// One name and value of an object, in the order of the text.
  struct Member: Equatable {
    var name: String
    var value: JSON
  }

  /// The value of an object's member; `nil` for other values and for unknown names.
  subscript(name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value
  }

  /// The text of a string value.
  var string: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  /// The value of an integer.
  var integer: Int? {
    guard case .integer(let value) = self else { return nil }
    return value
  }
}

extension JSON: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member(name: $0.0, value: $0.1) })
  }
}

extension JSON: ExpressibleByStringLiteral {
  init(stringLiteral value: String) {
    self = .string(value)
  }
}
