// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What was measured of the contestants of an operation: milliseconds, or bytes per object.
struct Samples {
  let contestants: [Contestant.Role]
  private var values: [[Double]]

  init(of contestants: [Contestant.Role]) {
    self.contestants = contestants
    values = contestants.map { _ in [] }
  }

  mutating func add(_ value: Double, to contestant: Int) {
    values[contestant].append(value)
  }

  /// The median of a contestant's values.
  func median(of contestant: Int) -> Double {
    let sorted = values[contestant].sorted()
    return sorted[sorted.count / 2]
  }
}
