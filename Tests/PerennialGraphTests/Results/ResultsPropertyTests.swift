// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import RandomTesting
import Testing

/// Random edits of random lists: the old list and what is reported give the new one.
///
/// `PERENNIAL_CHAOS` says how many changes are looked at, `PERENNIAL_PROPERTY_SEED` which seed is first.
@Suite("Results: random changes")
struct ResultsPropertyTests {
  private static let rounds = PropertyRuns.environment["PERENNIAL_CHAOS"].flatMap(Int.init) ?? 5_000
  private static let roundsPerRun = 50
  private static let first = PropertyRuns.seeds(1)[0]

  private static func failure(
    seed: UInt64,
    isSectioned: Bool,
    injectsDefect: Bool = false
  ) throws -> (text: String, steps: [ResultsWorld.Step])? {
    let run = ResultsRun(
      lists: try SampleLists(),
      isSectioned: isSectioned,
      injectsDefect: injectsDefect
    )
    let steps = ResultsRun.steps(rounds: roundsPerRun, seed: seed)
    guard run.failure(steps) != nil else { return nil }
    var fewest = steps
    var count = 0
    repeat {
      count = fewest.count
      fewest = PropertyRuns.shrink(fewest) { run.failure($0) != nil }
    } while fewest.count < count
    return (run.failure(fewest) ?? "", fewest)
  }

  @Test(arguments: 0..<4)
  func `the old list and the reported change give the new list, with the fewest moves`(
    part: Int
  ) throws {
    for run in stride(from: part, to: Self.rounds / Self.roundsPerRun, by: 4) {
      let seed = Self.first + UInt64(run)
      guard let failure = try Self.failure(seed: seed, isSectioned: seed % 3 != 0) else { continue }
      Issue.record("seed \(seed): \(failure.text) after \(failure.steps)")
      return
    }
  }

  @Test(arguments: [false, true])
  func `a move that is off by one would be found, and shown with few steps`(
    isSectioned: Bool
  ) throws {
    for seed in 0..<20 as Range<UInt64> {
      let failure = try Self.failure(seed: seed, isSectioned: isSectioned, injectsDefect: true)
      if let failure {
        #expect(failure.steps.count <= 12, "\(failure.steps)")
        return
      }
    }
    Issue.record("the defect was not found")
  }
}
