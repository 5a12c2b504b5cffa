// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// The value of one attribute or to-one relationship, as models, predicates and stores exchange it.
///
/// Strings compare and hash by their UTF-8 bytes, as a store compares them, never by Swift's
/// canonical equivalence. Numbers of different cases are different values here; predicates compare
/// them numerically.
public enum PropertyValue: Sendable {
  /// No value.
  case null
  /// True or false.
  case boolean(Bool)
  /// An integer of any width.
  case integer(Int64)
  /// A floating-point number of any width.
  case double(Double)
  /// A decimal number.
  case decimal(Decimal)
  /// Text.
  case string(String)
  /// A point in time.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// A universally unique identifier.
  case uuid(UUID)
  /// A URL.
  case url(URL)
  /// The ID of another object.
  case objectID(ManagedObjectID)

  /// Whether there is no value.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }
}

extension PropertyValue: Hashable {
  /// Whether two values are of the same case and equal; strings are compared byte by byte.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: Another one.
  /// - Returns: `true` when they are; a `double` that is NaN is equal to nothing.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.url(let a), .url(let b)): a.absoluteString.utf8.elementsEqual(b.absoluteString.utf8)
    case (.objectID(let a), .objectID(let b)): a == b
    default: false
    }
  }

  /// Feeds the value's bytes to the hasher.
  ///
  /// - Parameter hasher: The hasher that takes them.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .boolean(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .string(let value): Self.hash(value, into: &hasher)
    case .date(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .url(let value): Self.hash(value.absoluteString, into: &hasher)
    case .objectID(let value): hasher.combine(value)
    }
  }

  // Safe because the bytes are hashed inside the call that lends them.
  private static func hash(_ text: String, into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

extension PropertyValue: Codable {}
