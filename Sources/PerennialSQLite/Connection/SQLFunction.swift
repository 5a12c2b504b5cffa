// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

#if canImport(SQLite3)
import SQLite3
#else
import CSQLite
#endif

/// The functions that predicates call in SQL: text, text, options; NULL when a text is NULL.
enum SQLFunction: String, CaseIterable {
  case equal = "pn_equal"
  /// Negative, zero or positive.
  case order = "pn_order"
  case contains = "pn_contains"
  case begins = "pn_begins"
  case ends = "pn_ends"
  case like = "pn_like"
  case matches = "pn_matches"
  /// The number of UTF-16 units of the first text.
  case length = "pn_length"

  /// A call of the function.
  func call(_ left: String, _ right: String, _ options: StringComparisonOptions) -> String {
    "\(rawValue)(\(left), \(right), \(options.rawValue))"
  }

  /// Registers all functions and collations on a connection.
  ///
  /// They may only be called by statements, never by a schema, and never keep state.
  ///
  /// - Parameter connection: The connection.
  /// - Throws: Why SQLite cannot: statements would not find them.
  static func register(on connection: SQLiteConnection) throws(SQLiteFailure) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    for function in allCases {
      try connection.add(function.rawValue, arguments: 3, flags, function.callback)
    }
    for comparison in FetchSort.Comparison.allCases {
      guard let name = comparison.collation else { continue }
      try register(comparison, named: name, on: connection)
    }
    // Files that Core Data wrote may have indexes with its collation.
    try register(.localized, named: "NSCollateLocaleSensitive", on: connection)
    try register(.caseInsensitive, named: "NSCollateNoCase", on: connection)
  }

  private static func register(
    _ comparison: FetchSort.Comparison,
    named name: String,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) {
    try connection.check(
      sqlite3_create_collation_v2(
        connection.handle,
        name,
        SQLITE_UTF8,
        nil,
        comparison.collationCallback,
        nil
      )
    )
  }
}

/// What SQLite calls.
///
/// Safe because the bytes of arguments are read only while the call runs, and C callbacks capture
/// nothing.
extension SQLFunction {
  private typealias Bytes = UnsafeBufferPointer<UInt8>
  fileprivate typealias Callback =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  fileprivate var callback: Callback {
    switch self {
    case .equal:
      { context, _, values in
        SQLFunction.answer(context, values) { TextMatcher.isEqual($0, $1, $2) ? 1 : 0 }
      }
    case .order:
      { context, _, values in
        SQLFunction.answer(context, values) { TextMatcher.order($0, $1, $2) }
      }
    case .contains:
      { context, _, values in
        SQLFunction.answer(context, values) { TextMatcher.contains($0, $1, $2) ? 1 : 0 }
      }
    case .begins:
      { context, _, values in
        SQLFunction.answer(context, values) { TextMatcher.hasPrefix($0, $1, $2) ? 1 : 0 }
      }
    case .ends:
      { context, _, values in
        SQLFunction.answer(context, values) { TextMatcher.hasSuffix($0, $1, $2) ? 1 : 0 }
      }
    case .like:
      { context, _, values in
        SQLFunction.answer(context, values) { TextMatcher.isLike($0, $1, $2) ? 1 : 0 }
      }
    case .matches:
      { context, _, values in
        SQLFunction.answer(context, values) { left, right, options throws(PerennialError) in
          try SQLFunction.matches(left, right, options)
        }
      }
    case .length:
      { context, _, values in
        SQLFunction.answer(context, values) { text, _, _ in SQLFunction.length(text) }
      }
    }
  }

  /// Bytes that continue a character count nothing, those that begin one of four bytes twice.
  private static func length(_ text: Bytes) -> Int {
    text.reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : $1 >= 0xF0 ? 2 : 1) }
  }

  private static func matches(
    _ text: Bytes,
    _ pattern: Bytes,
    _ options: StringComparisonOptions
  ) throws(PerennialError) -> Int {
    let pattern = String(decoding: pattern, as: UTF8.self)
    let matcher = try PatternMatcher.matcher(for: pattern, options)
    return try matcher.matches(String(decoding: text, as: UTF8.self)) ? 1 : 0
  }

  private static func answer(
    _ context: OpaquePointer?,
    _ values: UnsafeMutablePointer<OpaquePointer?>?,
    _ body: (Bytes, Bytes, StringComparisonOptions) throws(PerennialError) -> Int
  ) {
    guard let values, let left = bytes(values[0]), let right = bytes(values[1]) else {
      return sqlite3_result_null(context)
    }
    let options = StringComparisonOptions(
      rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(values[2]))
    )
    do throws(PerennialError) {
      sqlite3_result_int(context, Int32(try body(left, right, options)))
    } catch {
      sqlite3_result_error(context, FunctionFailure.text(of: error), -1)
    }
  }

  /// The bytes of a text; `nil` for anything else.
  private static func bytes(_ value: OpaquePointer?) -> Bytes? {
    guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value) else {
      return nil
    }
    return Bytes(start: start, count: Int(sqlite3_value_bytes(value)))
  }
}

extension FetchSort.Comparison {
  fileprivate typealias Callback =
    @convention(c) (
      UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
    ) -> Int32

  fileprivate var collationCallback: Callback {
    switch self {
    case .binary: { _, n, a, m, b in FetchSort.Comparison.order(a, n, b, m, .binary) }
    case .caseInsensitive:
      { _, n, a, m, b in FetchSort.Comparison.order(a, n, b, m, .caseInsensitive) }
    case .localized: { _, n, a, m, b in FetchSort.Comparison.order(a, n, b, m, .localized) }
    case .localizedCaseInsensitive:
      { _, n, a, m, b in FetchSort.Comparison.order(a, n, b, m, .localizedCaseInsensitive) }
    case .localizedStandard:
      { _, n, a, m, b in FetchSort.Comparison.order(a, n, b, m, .localizedStandard) }
    }
  }

  private static func order(
    _ left: UnsafeRawPointer?,
    _ leftCount: Int32,
    _ right: UnsafeRawPointer?,
    _ rightCount: Int32,
    _ comparison: FetchSort.Comparison
  ) -> Int32 {
    let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
    let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
    return left.withMemoryRebound(to: UInt8.self) { left in
      right.withMemoryRebound(to: UInt8.self) { right in
        Int32(FetchSort.order(left, right, comparison))
      }
    }
  }
}
