// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
import PerennialPredicate

/// One side of a comparison, ready to be compared.
package enum SQLOperand: Sendable {
  /// A value that is the same for every row.
  case constant(PropertyValue)
  /// A value of a row.
  case value(SQLText, ValueKind)
}

/// What a column holds, as far as comparing goes: values of different kinds are never equal.
package enum ValueKind: Sendable, Hashable {
  case integer
  case double
  case decimal
  case date
  case string
  case url
  case uuid
  case data
  /// The key of an object whose entity has one of these places: an entity's and its subentities'.
  case object(family: Range<Int>)
  /// Something that only evaluation in memory understands, but whose absence SQL sees.
  case opaque

  /// The kind of a stored attribute.
  init(_ slot: SlotLayout, _ column: SlotColumn) {
    switch slot.attribute?.type {
    case .int16, .int32, .int64, .bool: self = .integer
    case .double, .float: self = .double
    case .decimal where column.kind == .decimal: self = .decimal
    case .date: self = .date
    case .string: self = .string
    case .url: self = .url
    case .uuid where column.kind == .blob: self = .uuid
    case .binaryData where column.kind == .blob: self = .data
    default: self = .opaque
    }
  }

  package var isNumber: Bool { self == .integer || self == .double || self == .decimal }

  /// Whether values of the kind have an order.
  package var isOrdered: Bool {
    switch self {
    case .object, .opaque: false
    default: true
    }
  }

  func isComparable(with other: ValueKind) -> Bool {
    if case .object(let family) = self, case .object(let others) = other {
      return family.overlaps(others)
    }
    return self == other || (isNumber && other.isNumber)
  }
}

/// A constant as a column of a kind is compared with it.
package enum SQLConstant: Sendable {
  /// A value to bind.
  case bound(SQLValue)
  /// No value of the column is equal to it or ordered with it.
  case incomparable
  /// SQL would compare it in another way than memory does.
  case untranslatable
}

extension ValueKind {
  /// A constant that is not null, as a value to compare a column of this kind with: an engine that compares
  /// integers with doubles exactly can take it as it is.
  package func constant(_ value: PropertyValue) -> SQLConstant {
    switch (self, value) {
    case (.opaque, _): .untranslatable
    // Memory compares them as doubles.
    case (.double, .decimal(let number)): Self.double(number.closestDouble)
    case (.integer, _), (.double, _), (.decimal, _): Self.number(value)
    case (.date, .date(let date)): Self.double(date.timeIntervalSinceReferenceDate)
    case (.string, .string(let text)): .bound(.text(text))
    case (.url, .url(let url)): .bound(.text(url.absoluteString))
    case (.data, .data(let data)): .bound(.blob(data))
    // Safe because the bytes are copied inside the call that lends them.
    case (.uuid, .uuid(let uuid)): .bound(.blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }))
    default: .incomparable
    }
  }

  private static func number(_ value: PropertyValue) -> SQLConstant {
    switch value {
    case .boolean(let flag): .bound(.integer(flag ? 1 : 0))
    case .integer(let number): .bound(.integer(number))
    case .double(let number): double(number)
    case .decimal(let number): decimal(number)
    default: .incomparable
    }
  }

  /// Stores keep no NaN, and it is equal to nothing.
  private static func double(_ number: Double) -> SQLConstant {
    number.isNaN ? .incomparable : .bound(.double(number))
  }

  /// Up to 15 digits survive in a double.
  private static func decimal(_ number: Decimal) -> SQLConstant {
    if number.isNaN { return .incomparable }
    let text = number.description
    if let whole = Int64(text) { return .bound(.integer(whole)) }
    return text.utf8.count { (0x30...0x39).contains($0) } <= 15
      ? .bound(.double(number.closestDouble)) : .untranslatable
  }
}
