// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Numbers, each once.
///
/// Equal ones are found by their hashes while all are integers, or all doubles. Other numbers are
/// compared with each other: equal ones of different types have different hashes.
struct DistinctNumbers {
  private var numbers: [NumericValue] = []
  private var places: [PropertyValue: Int] = [:]
  private var areHashed = true

  /// Adds a number unless an earlier one is equal to it, and says which place it has.
  mutating func insert(_ number: NumericValue) -> (isNew: Bool, place: Int) {
    if let place = place(of: number) { return (false, place) }
    numbers.append(number)
    return (true, numbers.count - 1)
  }

  /// The place of an equal number; if there is none, the number's hash gets the next place.
  private mutating func place(of number: NumericValue) -> Int? {
    // What is not a number is equal to nothing.
    guard NumericValue.order(number, number) == 0 else { return nil }
    let value = number.propertyValue
    let example = numbers.first?.propertyValue ?? value
    areHashed = areHashed && value.isHashed(as: example)
    guard areHashed else {
      return numbers.firstIndex { NumericValue.order($0, number) == 0 }
    }
    if let place = places[value] { return place }
    places[value] = numbers.count
    return nil
  }
}
