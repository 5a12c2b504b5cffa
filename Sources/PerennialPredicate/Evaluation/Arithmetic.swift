// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Operations on two numbers: integers stay integers, and nothing traps.
enum Arithmetic {
  static func evaluate(
    _ function: PredicateFunction,
    _ left: NumericValue,
    _ right: NumericValue
  ) throws(PerennialError) -> NumericValue {
    switch (left, right) {
    case (.integer(let a), .integer(let b)): return try integers(function, a, b)
    case (.decimal(let a), .decimal(let b)): return try decimals(function, a, b)
    case (.decimal(let a), .integer(let b)): return try decimals(function, a, Decimal(b))
    case (.integer(let a), .decimal(let b)): return try decimals(function, Decimal(a), b)
    default: return try doubles(function, left.double, right.double)
    }
  }

  /// A sum divided by a count; never an integer division.
  static func divide(
    mean sum: NumericValue,
    by count: Int
  ) throws(PerennialError) -> NumericValue {
    if case .decimal(let sum) = sum { return try decimals(.divide, sum, Decimal(count)) }
    return .double(sum.double / Double(count))
  }

  // MARK: Integers

  private static func integers(
    _ function: PredicateFunction,
    _ left: Int64,
    _ right: Int64
  ) throws(PerennialError) -> NumericValue {
    switch function {
    case .add: return try checked(function, left.addingReportingOverflow(right))
    case .subtract: return try checked(function, left.subtractingReportingOverflow(right))
    case .multiply: return try checked(function, left.multipliedReportingOverflow(by: right))
    case .divide:
      if right == 0 { throw EvaluationError.divisionByZero(function) }
      return try checked(function, left.dividedReportingOverflow(by: right))
    case .modulus:
      if right == 0 { throw EvaluationError.divisionByZero(function) }
      return .integer(right == -1 ? 0 : left % right)
    case .power: return try power(left, right)
    default: return try doubles(function, Double(left), Double(right))
    }
  }

  private static func checked(
    _ function: PredicateFunction,
    _ result: (partialValue: Int64, overflow: Bool)
  ) throws(PerennialError) -> NumericValue {
    if result.overflow { throw EvaluationError.overflow(function) }
    return .integer(result.partialValue)
  }

  private static func power(
    _ base: Int64,
    _ exponent: Int64
  ) throws(PerennialError) -> NumericValue {
    guard exponent >= 0 else { return try doubles(.power, Double(base), Double(exponent)) }
    if base == 0 || base == 1 { return .integer(exponent == 0 ? 1 : base) }
    if base == -1 { return .integer(exponent.isMultiple(of: 2) ? 1 : -1) }
    guard exponent < 64 else { throw EvaluationError.overflow(.power) }
    var result: Int64 = 1
    for _ in 0..<exponent {
      let product = result.multipliedReportingOverflow(by: base)
      if product.overflow { throw EvaluationError.overflow(.power) }
      result = product.partialValue
    }
    return .integer(result)
  }

  // MARK: Fractions

  private static func doubles(
    _ function: PredicateFunction,
    _ left: Double,
    _ right: Double
  ) throws(PerennialError) -> NumericValue {
    if right == 0, function == .divide || function == .modulus {
      throw EvaluationError.divisionByZero(function)
    }
    switch function {
    case .add: return .double(left + right)
    case .subtract: return .double(left - right)
    case .multiply: return .double(left * right)
    case .divide: return .double(left / right)
    case .modulus: return .double(left.truncatingRemainder(dividingBy: right))
    // The sign of zero decides nothing.
    case .power: return .double(pow(left + 0, right))
    default: throw EvaluationError.wrongArgument(function, expected: "a number")
    }
  }

  private static func decimals(
    _ function: PredicateFunction,
    _ left: Decimal,
    _ right: Decimal
  ) throws(PerennialError) -> NumericValue {
    var left = left
    var right = right
    var result = Decimal()
    let error: NSDecimalNumber.CalculationError
    switch function {
    case .add: error = NSDecimalAdd(&result, &left, &right, .plain)
    case .subtract: error = NSDecimalSubtract(&result, &left, &right, .plain)
    case .multiply: error = NSDecimalMultiply(&result, &left, &right, .plain)
    case .divide: error = NSDecimalDivide(&result, &left, &right, .plain)
    default: return try doubles(function, left.closestDouble, right.closestDouble)
    }
    switch error {
    case .overflow, .underflow:
      throw EvaluationError.overflow(function, of: "a decimal number")
    case .divideByZero: throw EvaluationError.divisionByZero(function)
    default: return .decimal(result)
    }
  }
}
