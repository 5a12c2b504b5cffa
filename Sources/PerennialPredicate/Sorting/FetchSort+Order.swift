// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel

extension FetchSort {
  /// How two values of the key are ordered under this sort: negative, zero or positive.
  ///
  /// The order is total: values of different kinds are ordered by kind, NaN before all numbers.
  package func order(_ left: PropertyValue, _ right: PropertyValue) -> Int {
    let order = ascendingOrder(left, right)
    return ascending ? order : -order
  }

  private func ascendingOrder(_ left: PropertyValue, _ right: PropertyValue) -> Int {
    let ranks = (left.sortRank, right.sortRank)
    if ranks.0 != ranks.1 { return ranks.0 < ranks.1 ? -1 : 1 }
    switch (left, right) {
    case (.string(let a), .string(let b)):
      return TextMatcher.withUTF8(a, b) { Self.order($0, $1, comparison) }
    case (.objectID(let a), .objectID(let b)): return Self.order(a, b)
    default: return ValueComparison.order(left, right) ?? left.isNaN.order(right.isNaN)
    }
  }

  private static func order(_ left: ManagedObjectID, _ right: ManagedObjectID) -> Int {
    if left.key != right.key { return left.key < right.key ? -1 : 1 }
    let texts = (left.uriRepresentation.absoluteString, right.uriRepresentation.absoluteString)
    return TextMatcher.withUTF8(texts.0, texts.1) { order($0, $1, .binary) }
  }
}

extension FetchSort {
  /// How two texts are ordered ascending: negative, zero or positive.
  ///
  /// What SQLite's collations call. Safe because the buffers are read only during the call.
  package static func order(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>,
    _ comparison: Comparison
  ) -> Int {
    switch comparison {
    case .binary: TextMatcher.order(left, right)
    case .caseInsensitive: TextMatcher.order(left, right, .caseInsensitive)
    case .localized: localizedOrder(left, right, [])
    case .localizedCaseInsensitive: localizedOrder(left, right, .caseInsensitive)
    case .localizedStandard:
      localizedOrder(left, right, [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering])
    }
  }

  private static func localizedOrder(
    _ left: UnsafeBufferPointer<UInt8>,
    _ right: UnsafeBufferPointer<UInt8>,
    _ options: String.CompareOptions
  ) -> Int {
    String(decoding: left, as: UTF8.self).compare(
      String(decoding: right, as: UTF8.self),
      options: options,
      range: nil,
      locale: .current
    ).rawValue
  }
}

extension PropertyValue {
  /// The place of the value's kind among the others.
  fileprivate var sortRank: Int {
    switch self {
    case .null: 0
    case .boolean, .integer, .double, .decimal: 1
    case .date: 2
    case .string: 3
    case .url: 4
    case .uuid: 5
    case .data: 6
    case .objectID: 7
    }
  }

  fileprivate var isNaN: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
    default: false
    }
  }
}

extension Bool {
  /// The order of two answers to "is it NaN": true first.
  fileprivate func order(_ other: Bool) -> Int { self == other ? 0 : self ? -1 : 1 }
}
