// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// One aggregate of one group, kept up to date as values come and go.
///
/// Sums can take values back. An extreme cannot: when it goes, and when a decimal goes from a sum, the
/// accumulator is stale and must be filled anew.
struct Accumulator: Sendable {
  private let function: AggregateFunction
  /// The type of the values.
  private let type: AttributeType
  private(set) var isStale = false

  /// How many values there are.
  private var count = 0
  private var integers: Int128 = 0
  private var decimals: Decimal = 0
  private var doubles = ExactSum()
  private var extreme = PropertyValue.null

  init(_ function: AggregateFunction, of type: AttributeType) {
    self.function = function
    self.type = type
  }

  /// Forgets all values.
  mutating func clear() { self = Accumulator(function, of: type) }

  mutating func add(_ value: PropertyValue) {
    guard !value.isNull, function != .count else { return }
    count += 1
    if function.isOfNumbers {
      addNumber(value)
    } else if isBetter(value) {
      extreme = value
    }
  }

  mutating func remove(_ value: PropertyValue) {
    guard !value.isNull, function != .count else { return }
    count -= 1
    switch value {
    case _ where !function.isOfNumbers: isStale = isStale || Self.order(value, extreme) == 0
    case .boolean(let flag): integers -= flag ? 1 : 0
    case .integer(let number): integers -= Int128(number)
    case .double(let number): doubles.subtract(number)
    default: isStale = true
    }
  }

  private mutating func addNumber(_ value: PropertyValue) {
    switch value {
    case .boolean(let flag): integers += flag ? 1 : 0
    case .integer(let number): integers += Int128(number)
    case .double(let number): doubles.add(number)
    case .decimal(let number): decimals += number
    default: break
    }
  }

  private func isBetter(_ value: PropertyValue) -> Bool {
    if extreme.isNull { return true }
    let order = Self.order(value, extreme)
    return function == .min ? order < 0 : order > 0
  }

  private static func order(_ left: PropertyValue, _ right: PropertyValue) -> Int {
    FetchSort("").order(left, right)
  }

  /// The aggregate of the values; that of the objects' number is not known here.
  var value: PropertyValue {
    switch function {
    case .count: .null
    case .min, .max: extreme
    case .sum: sum
    case .average: count == 0 ? .null : average
    }
  }

  private var sum: PropertyValue {
    switch type {
    case .decimal: .decimal(decimals)
    case .double, .float: .double(doubles.value)
    default: Int64(exactly: integers).map { .integer($0) } ?? .double(Double(integers))
    }
  }

  private var average: PropertyValue {
    switch type {
    case .decimal: .decimal(decimals / Decimal(count))
    case .double, .float: .double(doubles.value / Double(count))
    default: .double(Double(integers) / Double(count))
    }
  }
}
