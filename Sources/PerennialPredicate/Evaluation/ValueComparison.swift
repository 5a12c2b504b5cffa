// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Compares two values with an operator, in two-valued logic.
///
/// - nil equals nil, and only nil; ordered, two nils are equal, one is false.
/// - Numbers compare by value, whatever their types; strings by their bytes.
/// - Values of different kinds are not equal and not ordered.
enum ValueComparison {
  static func evaluate(
    _ left: EvaluationValue,
    _ comparator: Comparison.Operator,
    _ right: EvaluationValue,
    _ options: StringComparisonOptions
  ) throws(PerennialError) -> Bool {
    switch comparator {
    case .equal: isEqual(left, right, options)
    case .notEqual: !isEqual(left, right, options)
    case .less: order(left, right, options).map { $0 < 0 } ?? false
    case .lessOrEqual: order(left, right, options).map { $0 <= 0 } ?? false
    case .greater: order(left, right, options).map { $0 > 0 } ?? false
    case .greaterOrEqual: order(left, right, options).map { $0 >= 0 } ?? false
    case .between: try isBetween(left, right, options)
    case .isIn: try isElement(left, of: right, options)
    case .contains: try isElement(right, of: left, options)
    case .beginsWith, .endsWith, .like: matchesText(left, comparator, right, options)
    case .matches: try matchesPattern(left, right, options)
    }
  }

  // MARK: Equality and order

  static func isEqual(
    _ left: EvaluationValue,
    _ right: EvaluationValue,
    _ options: StringComparisonOptions = []
  ) -> Bool {
    if left.isNull || right.isNull { return left.isNull && right.isNull }
    switch (left, right) {
    case (.scalar(let a), .scalar(let b)): return isEqual(a, b, options)
    case (.object(let a), .object(let b)): return a.identity != nil && a.identity == b.identity
    case (.object(let a), .scalar(.objectID(let b))), (.scalar(.objectID(let b)), .object(let a)):
      return a.identity == b
    case (.list(let a), .list(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { isEqual($0, $1, options) }
    case (.dictionary(let a), .dictionary(let b)):
      return a.count == b.count
        && a.allSatisfy { key, value in b[key].map { isEqual(value, $0, options) } ?? false }
    default: return false
    }
  }

  private static func isEqual(
    _ left: PropertyValue,
    _ right: PropertyValue,
    _ options: StringComparisonOptions
  ) -> Bool {
    if case .string(let a) = left, case .string(let b) = right {
      return TextMatcher.withUTF8(a, b) { TextMatcher.isEqual($0, $1, options) }
    }
    guard let a = NumericValue(left), let b = NumericValue(right) else { return left == right }
    return NumericValue.order(a, b) == 0
  }

  /// Negative, zero or positive; `nil` when the values have no order.
  private static func order(
    _ left: EvaluationValue,
    _ right: EvaluationValue,
    _ options: StringComparisonOptions
  ) -> Int? {
    if left.isNull || right.isNull { return left.isNull && right.isNull ? 0 : nil }
    guard let a = left.scalar, let b = right.scalar else { return nil }
    return order(a, b, options)
  }

  static func order(
    _ left: PropertyValue,
    _ right: PropertyValue,
    _ options: StringComparisonOptions = []
  ) -> Int? {
    switch (left, right) {
    case (.string(let a), .string(let b)):
      return TextMatcher.withUTF8(a, b) { TextMatcher.order($0, $1, options) }
    case (.date(let a), .date(let b)):
      return NumericValue.order(
        .double(a.timeIntervalSinceReferenceDate),
        .double(b.timeIntervalSinceReferenceDate)
      )
    case (.data(let a), .data(let b)): return bytesOrder(a, b)
    case (.uuid(let a), .uuid(let b)):
      // Safe because the bytes are compared inside the calls that lend them.
      return withUnsafeBytes(of: a.uuid) { a in
        withUnsafeBytes(of: b.uuid) { b in bytesOrder(a, b) }
      }
    case (.url(let a), .url(let b)):
      return TextMatcher.withUTF8(a.absoluteString, b.absoluteString) {
        TextMatcher.order($0, $1, [])
      }
    default:
      guard let a = NumericValue(left), let b = NumericValue(right) else { return nil }
      return NumericValue.order(a, b)
    }
  }

  private static func bytesOrder(_ left: some Sequence<UInt8>, _ right: some Sequence<UInt8>) -> Int
  {
    left.elementsEqual(right) ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  // MARK: Ranges and collections

  private static func isBetween(
    _ value: EvaluationValue,
    _ range: EvaluationValue,
    _ options: StringComparisonOptions
  ) throws(PerennialError) -> Bool {
    guard case .list(let bounds) = range, bounds.count == 2 else {
      throw EvaluationError.rangeIsNoPair
    }
    guard try evaluate(value, .greaterOrEqual, bounds[0], options) else { return false }
    return try evaluate(value, .lessOrEqual, bounds[1], options)
  }

  private static func isElement(
    _ value: EvaluationValue,
    of collection: EvaluationValue,
    _ options: StringComparisonOptions
  ) throws(PerennialError) -> Bool {
    switch collection {
    case .null, .scalar(.null): return false
    case .list(let elements): return elements.contains { isEqual(value, $0, options) }
    case .dictionary(let values): return values.values.contains { isEqual(value, $0, options) }
    case .scalar(.string(let text)):
      guard case .string(let part)? = value.scalar else { return false }
      return TextMatcher.withUTF8(text, part) { TextMatcher.contains($0, $1, options) }
    case .scalar(.data(let data)):
      guard case .data(let part)? = value.scalar else { return false }
      return !part.isEmpty && data.range(of: part) != nil
    default: throw EvaluationError.notACollection(for: "IN or CONTAINS")
    }
  }

  // MARK: Text

  private static func matchesText(
    _ left: EvaluationValue,
    _ comparator: Comparison.Operator,
    _ right: EvaluationValue,
    _ options: StringComparisonOptions
  ) -> Bool {
    if left.isNull, right.isNull { return comparator == .like }
    switch (left.scalar, right.scalar) {
    case (.string(let text), .string(let pattern)):
      return TextMatcher.withUTF8(text, pattern) { text, pattern in
        switch comparator {
        case .beginsWith: TextMatcher.hasPrefix(text, pattern, options)
        case .endsWith: TextMatcher.hasSuffix(text, pattern, options)
        default: TextMatcher.isLike(text, pattern, options)
        }
      }
    case (.data(let data), .data(let part)) where comparator != .like && !part.isEmpty:
      return comparator == .beginsWith
        ? data.starts(with: part) : data.suffix(part.count).elementsEqual(part)
    default: return false
    }
  }

  private static func matchesPattern(
    _ left: EvaluationValue,
    _ right: EvaluationValue,
    _ options: StringComparisonOptions
  ) throws(PerennialError) -> Bool {
    guard case .string(let pattern)? = right.scalar else { return false }
    let expression = try PatternMatcher.matcher(for: pattern, options)
    guard case .string(let text)? = left.scalar else { return false }
    return try expression.matches(text)
  }
}
