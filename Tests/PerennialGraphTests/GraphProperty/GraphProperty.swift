// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import RandomTesting
import Testing

/// Random operations in contexts on one store, compared with the naive graph.
///
/// Driven are inserts, edits of attributes, to-ones, to-manys and orders, deletes with cascades,
/// saves, rollbacks, resets, refreshes, undo and redo with groups, fetches, and merges of what others
/// save: in one context, in a child of depth 1 to 3, in several contexts on the store, and in several
/// children of one parent. All of them may change relationships at once; what a context sees after
/// another one has saved, `GraphMerge` says. Besides, two contexts without a driver save changes of
/// one object against each other under every policy.
///
/// Not driven, and tested elsewhere:
/// - What does not go together in two contexts (`GraphEdits`): deleting an object that another
///   context has changed, deleted or linked anew, and two changes of one one-to-one relationship.
/// - Which order members have that two contexts have changed: the context's own is taken, and only
///   that it holds the right members, stays so and is what is stored in the end is checked.
/// - Relationships in conflicts of versions, uniqueness (`MergePropertyTests`), failing saves,
///   inheritance, hooks, and stores of other processes.
///
/// `PERENNIAL_PROPERTY_STEPS` says how many steps all the tests take together, 2,000 if it is not
/// set; `PERENNIAL_PROPERTY_SEED` where each begins: the seed of a failure repeats it in the first
/// run.
struct GraphProperty {
  /// A sequence that fails, without steps that the failure does not need.
  struct Failure: CustomStringConvertible {
    let seed: UInt64
    let reason: String
    let steps: [GraphTurn]

    var description: String {
      let lines = steps.map { "  \($0.context): \($0.step)" }.joined(separator: "\n")
      return "seed \(seed): \(reason)\n\(lines)"
    }
  }

  private static let runLength = 80
  /// How many test cases share the steps.
  private static let caseCount = 14

  let kind: StoreKind
  var contextCount = 1
  var depth = 0
  var undoesEverything = false
  /// Whether the driver leaves out an inverse, to see that it is noticed.
  var hasDefect = false

  func run() {
    if let failure = findFailure() { Issue.record("\(failure)") }
  }

  /// The first failure of the runs; `nil` when all is well.
  func findFailure() -> Failure? {
    let steps = PropertyRuns.environment["PERENNIAL_PROPERTY_STEPS"].flatMap(Int.init) ?? 2_000
    let runs = max(1, steps / Self.caseCount / Self.runLength)
    // The seeded defect is looked for on fixed seeds: it must be found, and shrunk, each time.
    for seed in hasDefect ? Array(1...40) : PropertyRuns.seeds(runs) {
      var generator = SeededGenerator(seed: seed)
      let steps = randomSteps(using: &generator)
      guard failure(steps) != nil else { continue }
      let short = PropertyRuns.shrink(steps) { self.failure($0) != nil }
      let reason = failure(short) ?? "nothing, the second time"
      return Failure(seed: seed, reason: reason, steps: short)
    }
    return nil
  }

  private func randomSteps(using generator: inout SeededGenerator) -> [GraphTurn] {
    let checkEvery = [1, 4, 15, 1000][Int(generator.next() % 4)]
    var steps: [GraphTurn] = []
    for number in 1...Self.runLength {
      let context = Int.random(in: 0..<contextCount, using: &generator)
      steps.append(GraphTurn(context: context, step: .random(using: &generator)))
      if number % checkEvery == 0 { steps.append(GraphTurn(context: 0, step: .checkAll)) }
    }
    let ending: [GraphStep] =
      undoesEverything ? [.undoAll, .checkAll, .redoAll, .checkAll, .undoAll, .redoAll] : []
    let last: [GraphStep] = [.checkAll, .save, .reread]
    return steps + (ending + last).map { GraphTurn(context: 0, step: $0) }
  }

  /// What a sequence does wrong; `nil` when nothing.
  private func failure(_ steps: [GraphTurn]) -> String? {
    do {
      let world = try GraphWorld(kind, contexts: contextCount, depth: depth)
      world.hasDefect = hasDefect
      for turn in steps {
        do {
          try world.run(turn)
        } catch let mismatch as GraphMismatch {
          return "\(mismatch.text), at \(turn.context): \(turn.step)"
        }
      }
      return nil
    } catch {
      return "\(error)"
    }
  }
}
