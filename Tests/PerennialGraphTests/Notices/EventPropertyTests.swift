// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import RandomTesting
import Testing

/// SEMANTICS 1E.1: nothing changes that no event tells.
@Suite("Random operations against their events")
struct EventPropertyTests {
  /// The step after which the events have missed something, and what; `nil` for none.
  ///
  /// The copy is compared after every `process`, which ends an event.
  private func failure(_ kind: StoreKind, _ steps: [GraphStep]) -> String? {
    do {
      let world = try GraphWorld(kind)
      let driver = world.drivers[0]
      let mirror = EventMirror(driver.context)
      for (index, step) in steps.enumerated() {
        do {
          try driver.run(step)
          guard case .process = step else { continue }
          try mirror.check(driver.oracle.objects.keys.map { try driver.object($0) })
        } catch let mismatch as GraphMismatch {
          return "\(mismatch.text), at step \(index): \(step)"
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// Steps with the end of an event after every so many of them.
  private func randomSteps(using generator: inout SeededGenerator) -> [GraphStep] {
    let interval = [1, 3, 10][Int(generator.next() % 3)]
    var steps: [GraphStep] = []
    for number in 1...80 {
      let step = GraphStep.random(using: &generator)
      // After a reset there are other objects, of which no event tells.
      if case .reset = step { continue }
      steps.append(step)
      if number % interval == 0 { steps.append(.process) }
    }
    return steps
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a copy that is kept up by events is equal to the graph`(_ kind: StoreKind) {
    for seed in PropertyRuns.seeds(usually: 15) {
      var generator = SeededGenerator(seed: seed)
      let steps = randomSteps(using: &generator)
      guard failure(kind, steps) != nil else { continue }
      let short = PropertyRuns.shrink(steps) { failure(kind, $0) != nil }
      let lines = short.map { "  \($0)" }.joined(separator: "\n")
      let reason = failure(kind, short) ?? ""
      Issue.record("seed \(seed): \(reason)\n\(lines)")
      return
    }
  }
}
