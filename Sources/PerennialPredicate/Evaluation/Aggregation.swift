// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel

/// Collection operators and statistics.
///
/// Absent values are left out; only counts include them.
enum Aggregation {
  static func evaluate(
    _ operation: CollectionOperator,
    _ elements: [EvaluationValue]
  ) throws(PerennialError) -> EvaluationValue {
    switch operation {
    case .count: return .scalar(.integer(Int64(elements.count)))
    case .sum: return try statistic(.sum, elements)
    case .min: return try statistic(.min, elements)
    case .max: return try statistic(.max, elements)
    case .average: return try statistic(.average, elements)
    case .unionOfObjects: return .list(flattened(elements))
    case .distinctUnionOfObjects: return .list(distinct(flattened(elements)))
    }
  }

  static func statistic(
    _ function: PredicateFunction,
    _ elements: [EvaluationValue]
  ) throws(PerennialError) -> EvaluationValue {
    let values = flattened(elements)
    switch function {
    case .count: return .scalar(.integer(Int64(count(elements))))
    case .min: return try extreme(function, values) { $0 < 0 }
    case .max: return try extreme(function, values) { $0 > 0 }
    default: break
    }
    let numbers = try numbers(function, values)
    switch function {
    case .sum: return .scalar(try sum(numbers).propertyValue)
    case .mode: return mode(numbers)
    case .median where !numbers.isEmpty: return try median(numbers)
    case .average where !numbers.isEmpty:
      return .scalar(try mean(numbers).propertyValue)
    case .stddev where !numbers.isEmpty: return .scalar(.double(deviation(numbers.map(\.double))))
    default: return .null
    }
  }

  /// The number of values; a collection counts its elements, an absent argument is none.
  private static func count(_ elements: [EvaluationValue]) -> Int {
    elements.reduce(0) { count, element in
      if case .list(let inner) = element {
        count + inner.count
      } else {
        count + (element.isNull ? 0 : 1)
      }
    }
  }

  /// The present values, those of collections inside too.
  private static func flattened(_ elements: [EvaluationValue]) -> [EvaluationValue] {
    elements.flatMap { element in
      if case .list(let inner) = element {
        flattened(inner)
      } else {
        element.isNull ? [] : [element]
      }
    }
  }

  /// The first of the elements that are equal to each other.
  private static func distinct(_ elements: [EvaluationValue]) -> [EvaluationValue] {
    var numbers = DistinctNumbers()
    var seen: Set<PropertyValue> = []
    var kept: [EvaluationValue] = []
    for element in elements {
      if let scalar = element.scalar ?? element.identity {
        if let number = NumericValue(scalar) {
          guard numbers.insert(number).isNew else { continue }
        } else {
          guard seen.insert(scalar).inserted else { continue }
        }
      } else if kept.contains(where: { ValueComparison.isEqual($0, element) }) {
        continue
      }
      kept.append(element)
    }
    return kept
  }

  private static func extreme(
    _ function: PredicateFunction,
    _ values: [EvaluationValue],
    isBetter: (Int) -> Bool
  ) throws(PerennialError) -> EvaluationValue {
    guard var best = values.first?.scalar else { return .null }
    for value in values.dropFirst() {
      guard let scalar = value.scalar, let order = ValueComparison.order(scalar, best) else {
        throw EvaluationError.wrongArgument(function, expected: "comparable with the others")
      }
      if isBetter(order) { best = scalar }
    }
    return .scalar(best)
  }

  private static func numbers(
    _ function: PredicateFunction,
    _ values: [EvaluationValue]
  ) throws(PerennialError) -> [NumericValue] {
    var numbers: [NumericValue] = []
    for value in values {
      guard let scalar = value.scalar, let number = NumericValue(scalar) else {
        throw EvaluationError.wrongArgument(function, expected: "a number")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// Integers are added exactly: only their sum must fit, in whatever order they come.
  private static func sum(_ numbers: [NumericValue]) throws(PerennialError) -> NumericValue {
    if let sum = WideSum(numbers) {
      guard let integer = sum.integer else { throw EvaluationError.overflow(.sum) }
      return .integer(integer)
    }
    var sum = NumericValue.integer(0)
    for number in numbers { sum = try Arithmetic.evaluate(.add, sum, number) }
    return sum
  }

  /// The mean of integers is a number also where their sum is none.
  private static func mean(_ numbers: [NumericValue]) throws(PerennialError) -> NumericValue {
    if let sum = WideSum(numbers) { return .double(sum.double / Double(numbers.count)) }
    return try Arithmetic.divide(mean: sum(numbers), by: numbers.count)
  }

  private static func median(
    _ numbers: [NumericValue]
  ) throws(PerennialError) -> EvaluationValue {
    let sorted = numbers.sorted { (NumericValue.order($0, $1) ?? 0) < 0 }
    let middle = sorted.count / 2
    if sorted.count % 2 == 1 { return .scalar(sorted[middle].propertyValue) }
    return .scalar(try mean([sorted[middle - 1], sorted[middle]]).propertyValue)
  }

  /// The most frequent number; a list when there are several.
  private static func mode(_ numbers: [NumericValue]) -> EvaluationValue {
    var distinct = DistinctNumbers()
    var counts: [(number: NumericValue, count: Int)] = []
    for number in numbers {
      let (isNew, place) = distinct.insert(number)
      if isNew { counts.append((number, 0)) }
      counts[place].count += 1
    }
    let most = counts.map(\.count).max() ?? 0
    let modes = counts.filter { $0.count == most }
      .map { EvaluationValue.scalar($0.number.propertyValue) }
    return modes.isEmpty ? .null : modes.count == 1 ? modes[0] : .list(modes)
  }

  /// The standard deviation of a whole population.
  private static func deviation(_ numbers: [Double]) -> Double {
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(numbers.count)).squareRoot()
  }
}
