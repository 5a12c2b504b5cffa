// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import Testing

/// SEMANTICS 1E.1: nothing changes that no event tells.
@Suite("Random operations against their events")
struct EventPropertyTests {
  /// A step and whether an event ends after it; both stay when steps before it are left out.
  private struct Turn {
    let step: GraphStep
    let endsEvent: Bool
  }

  /// The step after which the events have missed something, and what; `nil` for none.
  private func failure(_ kind: StoreKind, _ turns: [Turn]) -> String? {
    do {
      let world = try GraphWorld(kind)
      let driver = world.drivers[0]
      let mirror = EventMirror(driver.context)
      for (index, turn) in turns.enumerated() {
        do {
          try driver.run(turn.step)
          guard turn.endsEvent else { continue }
          try driver.run(.process)
          try mirror.check(driver.oracle.objects.keys.map { try driver.object($0) })
        } catch let mismatch as GraphMismatch {
          return "\(mismatch.text), at step \(index): \(turn.step)"
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// The sequence without steps that the failure does not need.
  private func shrink(_ kind: StoreKind, _ turns: [Turn]) -> [Turn] {
    var turns = turns
    var index = turns.count - 1
    while index >= 0 {
      var fewer = turns
      fewer.remove(at: index)
      if failure(kind, fewer) != nil { turns = fewer }
      index -= 1
    }
    return turns
  }

  @Test(arguments: StoreKind.allCases)
  func `1E.1 a copy that is kept up by events is equal to the graph`(_ kind: StoreKind) {
    let environment = ProcessInfo.processInfo.environment
    let runs = environment["PERENNIAL_PROPERTY_RUNS"].flatMap(Int.init) ?? 15
    let first = environment["PERENNIAL_PROPERTY_SEED"].flatMap(UInt64.init)
    for run in 0..<runs {
      let seed = first.map { $0 + UInt64(run) } ?? UInt64.random(in: 0..<1_000_000_000)
      var generator = SplitMix(state: seed)
      let interval = [1, 3, 10][Int(generator.next() % 3)]
      // After a reset there are other objects, of which no event tells.
      let steps = (0..<80).map { _ in GraphStep.random(using: &generator) }.filter {
        if case .reset = $0 { false } else { true }
      }
      let turns = steps.enumerated().map { index, step in
        Turn(step: step, endsEvent: index % interval == interval - 1)
      }
      guard failure(kind, turns) != nil else { continue }
      let short = shrink(kind, turns)
      let lines = short.map { "  \($0.step)\($0.endsEvent ? ", end of event" : "")" }
        .joined(separator: "\n")
      let reason = failure(kind, short) ?? ""
      Issue.record("seed \(seed): \(reason)\n\(lines)")
      return
    }
  }
}
