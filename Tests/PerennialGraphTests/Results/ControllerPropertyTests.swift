// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import RandomTesting
import Testing

/// Several lists follow random changes of every kind; after each, every list is what a fetch gives, and
/// what its delegate has made of the reports.
@Suite("SEMANTICS 1K: results controllers against fetches")
struct ControllerPropertyTests {
  /// One change, chosen by numbers that always mean something.
  struct Step: CustomStringConvertible {
    let kind: Int
    let first: Int
    let second: Int

    var description: String { "(\(kind), \(first), \(second))" }
  }

  static func steps(seed: UInt64, count: Int) -> [Step] {
    var generator = SeededGenerator(seed: seed)
    return (0..<count).map { _ in
      Step(
        kind: Int.random(in: 0..<40, using: &generator),
        first: Int.random(in: 0..<1000, using: &generator),
        second: Int.random(in: 0..<1000, using: &generator)
      )
    }
  }

  @Test(arguments: StoreKind.allCases, PropertyRuns.seeds(usually: 12, from: 1))
  func `1K lists are what a fetch gives, and reports add up`(
    kind: StoreKind,
    seed: UInt64
  ) throws {
    let steps = Self.steps(seed: seed, count: 40)
    guard let failure = try ResultsWorldRun(kind).failure(of: steps) else { return }
    let fewer = PropertyRuns.shrink(steps) {
      (try? ResultsWorldRun(kind).failure(of: $0)) != .some(nil)
    }
    let least = try ResultsWorldRun(kind).failure(of: fewer)
    Issue.record("seed \(seed), \(kind): \(failure); \(fewer.count) steps \(fewer): \(least ?? "")")
  }
}
