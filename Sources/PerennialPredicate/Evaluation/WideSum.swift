// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The exact sum of integers, of which 64 bits may be too few.
struct WideSum {
  private var low: Int64 = 0
  /// How often 2⁶⁴ is to be added.
  private var carry: Int64 = 0

  /// The sum, or `nil` when there are other numbers than integers.
  init?(_ numbers: [NumericValue]) {
    for number in numbers {
      guard case .integer(let value) = number else { return nil }
      let (partial, overflow) = low.addingReportingOverflow(value)
      low = partial
      if overflow { carry += value < 0 ? -1 : 1 }
    }
  }

  /// The sum, if it fits.
  var integer: Int64? { carry == 0 ? low : nil }

  /// The nearest double; the same as SQLite makes of the halves of a sum that does not fit.
  var double: Double {
    guard carry != 0 else { return Double(low) }
    return Double(carry << 32 + low >> 32) * 4_294_967_296 + Double(low & 0xFFFF_FFFF)
  }
}
