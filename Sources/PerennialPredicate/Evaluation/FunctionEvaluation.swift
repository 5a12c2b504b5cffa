// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Calls the functions of the fixed table.
///
/// An absent argument makes the result absent.
enum FunctionEvaluation {
  static func evaluate(
    _ function: PredicateFunction,
    _ arguments: [EvaluationValue]
  ) throws(PerennialError) -> EvaluationValue {
    switch function {
    case .sum, .count, .min, .max, .average, .median, .mode, .stddev:
      return try Aggregation.statistic(function, arguments)
    case .now: return .scalar(.date(Date()))
    case .random: return .scalar(.integer(Int64.random(in: 0...Int64(Int32.max))))
    case .noindex: return arguments.first ?? .null
    default: break
    }
    var scalars: [PropertyValue] = []
    for argument in arguments {
      if argument.isNull { return .null }
      guard let scalar = argument.scalar else {
        throw EvaluationError.wrongArgument(function, expected: "a single value")
      }
      scalars.append(scalar)
    }
    switch scalars.count {
    case 1: return .scalar(try unary(function, scalars[0]))
    case 2: return .scalar(try binary(function, scalars[0], scalars[1]))
    default: throw EvaluationError.wrongArgument(function, expected: "there")
    }
  }

  // MARK: One argument

  private static func unary(
    _ function: PredicateFunction,
    _ argument: PropertyValue
  ) throws(PerennialError) -> PropertyValue {
    switch function {
    case .uppercase: return .string(try text(function, argument).uppercased())
    case .lowercase: return .string(try text(function, argument).lowercased())
    case .length:
      if case .data(let data) = argument { return .integer(Int64(data.count)) }
      return .integer(Int64(try text(function, argument).utf16.count))
    case .onesComplement: return .integer(~(try integer(function, argument)))
    case .randomn:
      let bound = try integer(function, argument)
      guard bound > 0 else {
        throw EvaluationError.wrongArgument(function, expected: "greater than zero")
      }
      return .integer(Int64.random(in: 0..<bound))
    default: break
    }
    let number = try number(function, argument)
    switch function {
    case .negate: return try Arithmetic.evaluate(.subtract, .integer(0), number).propertyValue
    case .abs: return try magnitude(number)
    case .sqrt: return .double(number.double.squareRoot())
    case .log: return .double(log10(number.double))
    case .ln: return .double(Foundation.log(number.double))
    case .exp: return .double(Foundation.exp(number.double))
    case .floor: return rounded(number, .down)
    case .ceiling: return rounded(number, .up)
    case .trunc: return rounded(number, .towardZero)
    default: throw EvaluationError.wrongArgument(function, expected: "there")
    }
  }

  private static func magnitude(_ number: NumericValue) throws(PerennialError) -> PropertyValue {
    switch number {
    case .integer(let value):
      if value == .min { throw EvaluationError.overflow(.abs) }
      return .integer(Swift.abs(value))
    case .double(let value): return .double(value.magnitude)
    case .decimal(let value): return .decimal(value.magnitude)
    }
  }

  private static func rounded(
    _ number: NumericValue,
    _ rule: FloatingPointRoundingRule
  ) -> PropertyValue {
    switch number {
    case .integer(let value): return .integer(value)
    case .double(let value): return .double(value.rounded(rule))
    case .decimal(var value):
      let isDown = rule == .down || (rule == .towardZero && value >= 0)
      var result = Decimal()
      NSDecimalRound(&result, &value, 0, isDown ? .down : .up)
      return .decimal(result)
    }
  }

  // MARK: Two arguments

  private static func binary(
    _ function: PredicateFunction,
    _ left: PropertyValue,
    _ right: PropertyValue
  ) throws(PerennialError) -> PropertyValue {
    switch function {
    case .bitwiseAnd: .integer(try integer(function, left) & integer(function, right))
    case .bitwiseOr: .integer(try integer(function, left) | integer(function, right))
    case .bitwiseXor: .integer(try integer(function, left) ^ integer(function, right))
    case .leftShift: .integer(try integer(function, left) << integer(function, right))
    case .rightShift: .integer(try integer(function, left) >> integer(function, right))
    default:
      try Arithmetic.evaluate(function, number(function, left), number(function, right))
        .propertyValue
    }
  }

  // MARK: Types

  private static func number(
    _ function: PredicateFunction,
    _ value: PropertyValue
  ) throws(PerennialError) -> NumericValue {
    guard let number = NumericValue(value) else {
      throw EvaluationError.wrongArgument(function, expected: "a number")
    }
    return number
  }

  private static func integer(
    _ function: PredicateFunction,
    _ value: PropertyValue
  ) throws(PerennialError) -> Int64 {
    switch NumericValue(value) {
    case .integer(let number): return number
    case .double(let number):
      if let whole = Int64(exactly: number) { return whole }
    case .decimal(let number):
      if let whole = Int64(number.description) { return whole }
    case nil: break
    }
    throw EvaluationError.wrongArgument(function, expected: "a whole number")
  }

  private static func text(
    _ function: PredicateFunction,
    _ value: PropertyValue
  ) throws(PerennialError) -> String {
    guard case .string(let text) = value else {
      throw EvaluationError.wrongArgument(function, expected: "a string")
    }
    return text
  }
}
