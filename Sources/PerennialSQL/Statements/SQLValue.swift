// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation

/// A value that is bound to a parameter of a statement, or that a statement gives.
///
/// Texts are equal when their bytes are equal, as in SQLite. Swift's `==` of strings, in contrast, finds
/// composed and decomposed letters equal.
public enum SQLValue: Sendable {
  /// No value.
  case null
  /// A whole number.
  case integer(Int64)
  /// A floating-point number.
  case double(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case blob(Data)
}

extension SQLValue: Hashable {
  /// Whether two values have the same case and are equal; texts are compared byte by byte.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: Another one.
  /// - Returns: `true` when they are; a NaN is equal to nothing.
  public static func == (left: SQLValue, right: SQLValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.blob(let a), .blob(let b)): a == b
    default: false
    }
  }

  /// Feeds the value to the hasher.
  ///
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: break
    case .integer(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .text(let value): for byte in value.utf8 { hasher.combine(byte) }
    case .blob(let value): hasher.combine(value)
    }
  }
}

extension [SQLValue] {
  /// Integers or texts in about the order in which an index has them.
  ///
  /// SQLite sorts what stands in `IN (…)` as it comes: to add at the end is quicker than to look for the
  /// place of each. Texts that begin with the same eight bytes come in any order.
  package var inIndexOrder: [SQLValue] {
    let places = indices.map { (rank: self[$0].rank, index: $0) }
    return places.sorted { $0.rank < $1.rank }.map { self[$0.index] }
  }
}

extension SQLValue {
  /// A number that grows with the value, among integers or among texts.
  fileprivate var rank: UInt64 {
    switch self {
    case .integer(let value): return UInt64(bitPattern: value) ^ 1 << 63
    case .text(var text):
      // Safe because the bytes are read within the call only.
      return text.withUTF8 { bytes in
        (0..<8).reduce(UInt64(0)) { $0 << 8 | ($1 < bytes.count ? UInt64(bytes[$1]) : 0) }
      }
    case .null, .double, .blob: return 0
    }
  }
}

extension SQLValue: CustomStringConvertible {
  /// The value as SQL writes it; for bytes, their number.
  public var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): "'\(value)'"
    case .blob(let value): "\(value.count) bytes"
    }
  }
}
