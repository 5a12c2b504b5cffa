// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The seeds of a random test, and the shortest sequence of a failure.
///
/// `PERENNIAL_PROPERTY_RUNS` says how many runs there are, `PERENNIAL_PROPERTY_SEED` the first seed;
/// without it, seeds are random.
package enum PropertyRuns {
  /// The variables of the process.
  package static let environment = ProcessInfo.processInfo.environment

  /// The seeds of a test that usually has so many runs.
  package static func seeds(usually count: Int) -> [UInt64] {
    seeds(environment["PERENNIAL_PROPERTY_RUNS"].flatMap(Int.init) ?? count)
  }

  /// The seeds of a test that usually has so many runs, always the same ones from a first on: for a test
  /// that finds known, rare defects by other seeds, which `make property` looks for.
  package static func seeds(usually count: Int, from first: UInt64) -> [UInt64] {
    let isLong = environment["PERENNIAL_PROPERTY_RUNS"] != nil
    let isChosen = environment["PERENNIAL_PROPERTY_SEED"] != nil
    return isLong || isChosen ? seeds(usually: count) : (0..<count).map { first + UInt64($0) }
  }

  /// So many seeds.
  package static func seeds(_ count: Int) -> [UInt64] {
    let first = environment["PERENNIAL_PROPERTY_SEED"].flatMap(UInt64.init)
    return (0..<count).map { run in
      first.map { $0 + UInt64(run) } ?? UInt64.random(in: 0..<1_000_000_000)
    }
  }

  /// A failing sequence without steps that the failure does not need: large parts are tried first.
  package static func shrink<Step>(_ steps: [Step], while fails: ([Step]) -> Bool) -> [Step] {
    var steps = steps
    var width = max(1, steps.count / 2)
    while width > 0 {
      var start = 0
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + width, steps.count))
        if fails(fewer) {
          steps = fewer
        } else {
          start += width
        }
      }
      width /= 2
    }
    return steps
  }
}
