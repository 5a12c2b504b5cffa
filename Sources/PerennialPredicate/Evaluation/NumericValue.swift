// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// A number of any type.
///
/// Booleans are 1 and 0.
package enum NumericValue {
  case integer(Int64)
  case double(Double)
  case decimal(Decimal)

  /// The number in a value, or `nil` when it is none.
  package init?(_ value: PropertyValue) {
    switch value {
    case .boolean(let flag): self = .integer(flag ? 1 : 0)
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .decimal(let number): self = .decimal(number)
    default: return nil
    }
  }

  /// The number as a value of a property.
  var propertyValue: PropertyValue {
    switch self {
    case .integer(let number): .integer(number)
    case .double(let number): .double(number)
    case .decimal(let number): .decimal(number)
    }
  }

  /// The nearest double.
  var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): number.closestDouble
    }
  }

  /// How two numbers are ordered: negative, zero or positive; `nil` when one is not a number.
  ///
  /// Integers are compared with doubles exactly, decimals with doubles as doubles.
  package static func order(_ left: NumericValue, _ right: NumericValue) -> Int? {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): order(a, b)
    case (.double(let a), .double(let b)): order(a, b)
    case (.integer(let a), .double(let b)): order(a, b)
    case (.double(let a), .integer(let b)): order(b, a).map { -$0 }
    case (.decimal(let a), .decimal(let b)): order(a, b)
    case (.decimal(let a), .integer(let b)): order(a, Decimal(b))
    case (.integer(let a), .decimal(let b)): order(Decimal(a), b)
    case (.decimal, .double), (.double, .decimal): order(left.double, right.double)
    }
  }

  private static func order(_ left: Int64, _ right: Int64) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func order(_ left: Double, _ right: Double) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }

  private static func order(_ left: Decimal, _ right: Decimal) -> Int? {
    if left.isNaN || right.isNaN { return nil }
    return left < right ? -1 : left > right ? 1 : 0
  }

  /// Compares without rounding the integer.
  private static func order(_ left: Int64, _ right: Double) -> Int? {
    if right.isNaN { return nil }
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = Int64(right.rounded(.towardZero))
    if left != whole { return left < whole ? -1 : 1 }
    let fraction = right - right.rounded(.towardZero)
    return fraction > 0 ? -1 : fraction < 0 ? 1 : 0
  }
}
