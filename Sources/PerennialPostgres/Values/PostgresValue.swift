// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import Foundation

/// A value on its way to or from a server.
///
/// Texts are equal when their bytes are, and numbers when their bits are, as they are stored.
package enum PostgresValue: Sendable {
  case null
  case bool(Bool)
  /// `bigint`; shorter integers are read as this.
  case integer(Int64)
  /// `double precision`; `real` is read as this.
  case double(Double)
  case text(String)
  /// `bytea`.
  case bytes(Data)
  /// `timestamptz`: microseconds since 2000-01-01 00:00 UTC; the least and the greatest number are
  /// `-infinity` and `infinity`.
  case timestamp(microseconds: Int64)
  /// `numeric`.
  case numeric(PostgresNumeric)
  case uuid(UUID)
  /// An array of one dimension of a type.
  case array([PostgresValue], of: PostgresType)

  /// The type that the value is sent as.
  package var type: PostgresType {
    switch self {
    case .null: .inferred
    case .bool: .bool
    case .integer: .integer
    case .double: .double
    case .text: .text
    case .bytes: .bytes
    case .timestamp: .timestamp
    case .numeric: .numeric
    case .uuid: .uuid
    case .array(_, let type): type.array
    }
  }

  /// A point in time, rounded to microseconds; those too far away are `infinity`.
  package static func timestamp(_ date: Date) -> PostgresValue {
    let microseconds = ((date.timeIntervalSinceReferenceDate + epochDistance) * 1e6).rounded()
    return .timestamp(
      microseconds: Int64(exactly: microseconds) ?? (microseconds < 0 ? Int64.min : Int64.max)
    )
  }

  /// The point in time, if it is one; `infinity` is `Date.distantFuture`.
  package var date: Date? {
    switch self {
    case .timestamp(.min): .distantPast
    case .timestamp(.max): .distantFuture
    case .timestamp(let microseconds):
      Date(timeIntervalSinceReferenceDate: Double(microseconds) / 1e6 - Self.epochDistance)
    default: nil
    }
  }

  /// The seconds from PostgreSQL's epoch, the beginning of 2000, to Foundation's, that of 2001.
  private static let epochDistance: Double = 366 * 86_400
}

extension PostgresValue: Equatable {
  package static func == (left: PostgresValue, right: PostgresValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.bytes(let a), .bytes(let b)): a == b
    case (.timestamp(let a), .timestamp(let b)): a == b
    case (.numeric(let a), .numeric(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.array(let a, let type), .array(let b, let other)): a == b && type == other
    default: false
    }
  }
}
#endif
