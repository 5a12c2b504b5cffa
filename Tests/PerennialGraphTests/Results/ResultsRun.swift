// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import RandomTesting

@testable import PerennialGraph

/// One random list, edited and reported again and again to replicas.
struct ResultsRun {
  let lists: SampleLists
  let isSectioned: Bool
  /// Spoils each change before it is looked at, to see that this would be found.
  var injectsDefect = false

  /// Random steps; `rounds` of them are reports.
  static func steps(rounds: Int, seed: UInt64) -> [ResultsWorld.Step] {
    var generator = SeededGenerator(seed: seed)
    // Mostly lists that the oracle can look at whole, some with many rows for few ranks.
    let isLarge = Int.random(in: 0..<8, using: &generator) == 0
    let ranks = isLarge ? 40 : 12
    var steps: [ResultsWorld.Step] = (0..<(isLarge ? 60 : 6)).map { _ in
      .insert(
        section: .random(in: 0..<4, using: &generator),
        rank: .random(in: 0..<ranks, using: &generator)
      )
    }
    for _ in 0..<rounds {
      for _ in 0..<Int.random(in: 0...(isLarge ? 12 : 5), using: &generator) {
        steps.append(.random(ranks: ranks, using: &generator))
      }
      steps.append(.report)
    }
    return steps
  }

  /// What is wrong with the first change that is; `nil` when all are right.
  func failure(_ steps: [ResultsWorld.Step]) -> String? {
    var world = ResultsWorld(lists, isSectioned: isSectioned)
    var last = world.list()
    var raw = ResultsReplica(ResultsSnapshot(last))
    var table = raw
    for step in steps {
      world.perform(step)
      guard case .report = step else { continue }
      let list = world.list()
      var change = ResultsDifference.change(from: last, to: list, changed: world.changed)
      if injectsDefect { change.injectDefect() }
      let oracle = ResultsOracle(
        change: change,
        changed: world.changed,
        isExplained: world.isExplained
      )
      if let failure = oracle.failure() ?? Self.failure(change, &raw, &table) {
        return "\(failure): \(Array(change.events)), from \(Self.text(last)) to \(Self.text(list))"
      }
      last = list
      world.reported()
    }
    return nil
  }

  private static func failure(
    _ change: ResultsChange,
    _ raw: inout ResultsReplica,
    _ table: inout ResultsReplica
  ) -> String? {
    do {
      try raw.apply(change)
      try table.apply(change.tableUpdates)
    } catch {
      return "\(error)"
    }
    if !raw.matches(change.after) { return "the events do not lead to the new list" }
    if !table.matches(change.after) { return "the updates for a table do not lead to the new list" }
    let ids = Array(change.before.objectIDs).applying(change.difference)
    return ids == Array(change.after.objectIDs)
      ? nil : "the difference does not lead to the new list"
  }

  private static func text(_ list: ResultsList) -> String {
    list.sections.map { section in
      let keys = list.references[section.range].map { String($0.key) }
      return "[\(section.name): \(keys.joined(separator: " "))]"
    }.joined(separator: " ")
  }
}

extension ResultsWorld.Step {
  fileprivate static func random(ranks: Int, using generator: inout SeededGenerator) -> Self {
    func number(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    switch number(40) {
    case 0..<8: return .insert(section: number(6), rank: number(ranks))
    case 8..<15: return .delete(number(1000))
    case 15..<26: return .rank(number(1000), number(ranks))
    case 26..<33: return .section(number(1000), number(6))
    case 33..<36: return .touch(number(1000))
    case 36..<38: return .renameSection(number(6), to: number(6))
    case 38: return .sortSections(multiplier: 1 + number(30))
    default: return .reverse
    }
  }
}

extension ResultsChange {
  /// Lets the first move that can end one row too early.
  fileprivate mutating func injectDefect() {
    guard let place = moves.firstIndex(where: { $0.to[1] > 0 }) else { return }
    let move = moves[place]
    moves[place] = RowChange(from: move.from, to: [move.to[0], move.to[1] - 1])
  }
}
