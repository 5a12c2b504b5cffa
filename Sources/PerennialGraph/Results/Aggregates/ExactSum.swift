// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A sum of floating-point numbers without any error: what was added can be taken away again.
///
/// The sum does not depend on the order of its numbers, and is rounded once, when it is asked for.
///
/// Invariants:
/// 1. The finite numbers' sum is the sum of `digits[i] * 2 ** (32 * (first + i) - 1074)`.
/// 2. No digit is so large that `untidied` more additions could overflow it.
struct ExactSum: Sendable {
  /// Digits of 32 bits each, with signs of their own and room for carries.
  private var digits: [Int64] = []
  /// The power of 2 ** 32 that the first digit counts.
  private var first = 0
  /// How many additions there were since carries were last passed on.
  private var untidied = 0
  /// How many infinite numbers and how many that are none were added.
  private var positiveInfinities = 0
  private var negativeInfinities = 0
  private var nans = 0

  /// The least exponent of a number's last bit.
  private static let leastExponent = -1074

  mutating func add(_ number: Double) { add(number, times: 1) }

  mutating func subtract(_ number: Double) { add(number, times: -1) }

  private mutating func add(_ number: Double, times count: Int64) {
    guard number.isFinite else { return addSpecial(number, Int(count)) }
    guard number != 0 else { return }
    let fraction = number.significandBitPattern
    let isNormal = number.isNormal
    let significand = isNormal ? fraction | 1 << 52 : fraction
    // How far the significand's last bit is above the least one.
    let offset = isNormal ? Int(number.exponentBitPattern) - 1 : 0
    let shifted = UInt128(significand) << UInt128(offset % 32)
    let sign = number.sign == .minus ? -count : count
    makeRoom(for: offset / 32)
    let place = offset / 32 - first
    for index in 0..<3 {
      let digit = Int64(truncatingIfNeeded: shifted >> UInt128(32 * index)) & 0xFFFF_FFFF
      digits[place + index] += sign * digit
    }
    untidied += 1
    if untidied == 1 << 30 { tidy() }
  }

  private mutating func addSpecial(_ number: Double, _ count: Int) {
    if number.isNaN {
      nans += count
    } else if number > 0 {
      positiveInfinities += count
    } else {
      negativeInfinities += count
    }
  }

  /// Makes digits for the three powers from one on, and one for carries.
  private mutating func makeRoom(for power: Int) {
    if digits.isEmpty { first = power }
    if power < first {
      digits.insert(contentsOf: repeatElement(0, count: first - power), at: 0)
      first = power
    }
    let missing = power + 4 - first - digits.count
    if missing > 0 { digits.append(contentsOf: repeatElement(0, count: missing)) }
  }

  /// Passes carries on, so that every digit but the last is from 0 to 2 ** 32 - 1.
  private mutating func tidy() {
    untidied = 0
    guard !digits.isEmpty else { return }
    if abs(digits[digits.count - 1]) >= 1 << 31 { digits.append(0) }
    for index in 0..<(digits.count - 1) {
      digits[index + 1] += digits[index] >> 32
      digits[index] &= 0xFFFF_FFFF
    }
  }

  /// The sum, rounded to the nearest number.
  var value: Double {
    if nans > 0 || positiveInfinities > 0 && negativeInfinities > 0 { return .nan }
    if positiveInfinities > 0 { return .infinity }
    if negativeInfinities > 0 { return -.infinity }
    var sum = self
    sum.tidy()
    guard let last = sum.digits.last else { return 0 }
    guard last < 0 else { return sum.magnitude }
    for index in sum.digits.indices { sum.digits[index].negate() }
    sum.tidy()
    return -sum.magnitude
  }

  /// The value of tidy digits, none of which is negative.
  private var magnitude: Double {
    guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    var leading: UInt128 = 0
    for index in stride(from: top, to: top - 3, by: -1) {
      leading = leading << 32 | UInt128(index >= 0 ? digits[index] : 0)
    }
    // The rest decides only between two numbers that are equally near.
    if top > 2, digits[..<(top - 2)].contains(where: { $0 != 0 }) { leading |= 1 }
    return Double(
      sign: .plus,
      exponent: 32 * (first + top - 2) + Self.leastExponent,
      significand: Double(leading)
    )
  }
}
