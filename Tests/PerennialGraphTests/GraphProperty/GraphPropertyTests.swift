// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import Testing

@Suite("SEMANTICS 1C, 1D: random operations against a naive graph")
struct GraphPropertyTests {
  /// What a sequence does wrong; `nil` when nothing.
  private func failure(
    _ kind: StoreKind,
    depth: Int,
    _ steps: [GraphStep],
    checkEvery: Int
  ) -> String? {
    do {
      let driver = try GraphDriver(kind, depth: depth)
      for (index, step) in steps.enumerated() {
        do {
          try driver.run(step)
          if index % checkEvery == checkEvery - 1 { try driver.check() }
        } catch let mismatch as GraphMismatch {
          return "\(mismatch.text), at \(step)"
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// The sequence without steps that the failure does not need.
  private func shrink(
    _ kind: StoreKind,
    depth: Int,
    _ steps: [GraphStep],
    checkEvery: Int
  ) -> [GraphStep] {
    var steps = steps
    var width = max(1, steps.count / 2)
    while width > 0 {
      var start = 0
      while start < steps.count {
        var fewer = steps
        fewer.removeSubrange(start..<min(start + width, steps.count))
        if failure(kind, depth: depth, fewer, checkEvery: checkEvery) != nil {
          steps = fewer
        } else {
          start += width
        }
      }
      width /= 2
    }
    return steps
  }

  @Test(arguments: StoreKind.allCases)
  func `the graph is what the naive graph is`(_ kind: StoreKind) {
    run(kind, depth: 0)
  }

  @Test(arguments: StoreKind.allCases, 1...3)
  func `1D.2 the graph of a child of any depth is what the naive graph is`(
    _ kind: StoreKind,
    _ depth: Int
  ) {
    run(kind, depth: depth)
  }

  private func run(_ kind: StoreKind, depth: Int) {
    let environment = ProcessInfo.processInfo.environment
    let runs = environment["PERENNIAL_PROPERTY_RUNS"].flatMap(Int.init) ?? 25
    let first = environment["PERENNIAL_PROPERTY_SEED"].flatMap(UInt64.init)
    for run in 0..<runs {
      let seed = first.map { $0 + UInt64(run) } ?? UInt64.random(in: 0..<1_000_000_000)
      var generator = SplitMix(state: seed)
      let checkEvery = [1, 4, 15, 1000][Int(generator.next() % 4)]
      let steps =
        (0..<80).map { _ in GraphStep.random(using: &generator) } + [.check, .save, .reread]
      guard let failure = failure(kind, depth: depth, steps, checkEvery: checkEvery) else {
        continue
      }
      let short = shrink(kind, depth: depth, steps, checkEvery: checkEvery)
      let lines = short.map { "  \($0)" }.joined(separator: "\n")
      let reason = self.failure(kind, depth: depth, short, checkEvery: checkEvery) ?? failure
      Issue.record("seed \(seed), checks every \(checkEvery): \(reason)\n\(lines)")
      return
    }
  }
}
