// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialSQL
import RandomTesting
import Testing

@testable import PerennialSQLite

/// All engines give the same rows for any predicate of the language.
///
/// `PERENNIAL_DIFFERENTIAL` says how many predicates are tried, and has the shares printed;
/// `PERENNIAL_PROPERTY_SEED` begins with another seed: with that of a failure and 250 predicates it is
/// found again at once.
@Suite("Random predicates in all engines")
struct PredicateDifferentialTests {
  private static let wanted = PropertyRuns.environment["PERENNIAL_DIFFERENTIAL"].flatMap(Int.init)
  private static let count = wanted ?? 20_000
  /// Small ones, so that other tests are not kept waiting.
  private static let parts = 16
  /// How many predicates share a world.
  private static let size = 250
  private static let first =
    PropertyRuns.environment["PERENNIAL_PROPERTY_SEED"].flatMap(UInt64.init)
    ?? UInt64.random(in: 0..<1_000_000_000)

  @Test(arguments: 0..<parts)
  func `memory and SQLite, alone or together, select the same rows`(part: Int) async throws {
    var tally = DifferentialRun.Tally()
    let worlds = max(1, Self.count / Self.size)
    for number in stride(from: part, to: worlds, by: Self.parts) {
      var run = try DifferentialRun(seed: Self.first + UInt64(number))
      let failure = try await run.failure(count: Self.size)
      tally = tally + run.tally
      if let failure {
        Issue.record("\(failure)")
        return
      }
    }
    guard tally.predicates > 0 else { return }
    if Self.wanted != nil { print("part \(part): \(tally)") }
    // The shares of few predicates, of one or two worlds, vary by chance.
    let slack = tally.predicates < 1000 ? 0.1 : 0
    // Predicates that are false or true for all rows, or fail, show little.
    #expect(tally.share(tally.selective) > 0.65 - slack)
    #expect(tally.share(tally.failing) < 0.1)
    #expect(tally.share(tally.pureSQL) > 0.5 - slack)
    #expect(tally.illegal < tally.predicates / 10)
  }

  @Test func `a wrong NONE would be found, and shown with few rows`() async throws {
    let failure = try await PredicateTranslator.$negatesNoneInsideJoin.withValue(true) {
      try await Self.firstFailure(worlds: 20)
    }
    let text = try #require(failure)
    #expect(text.contains("NONE "), "\(text)")
    #expect(text.count { $0 == "\n" } < 10, "\(text)")
  }

  /// The first failure in so many worlds, always the same ones.
  private static func firstFailure(worlds: Int) async throws -> String? {
    for number in 0..<worlds {
      var run = try DifferentialRun(seed: UInt64(number))
      if let failure = try await run.failure(count: size) { return failure }
    }
    return nil
  }
}
