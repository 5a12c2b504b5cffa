// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import RandomTesting
import RowTesting

/// Random predicates on the rows of one world, and the smallest counterexample of a failure.
struct DifferentialRun {
  /// How many predicates were of what kind.
  struct Tally {
    var predicates = 0
    var illegal = 0
    var selective = 0
    var failing = 0
    var pureSQL = 0

    static func + (left: Tally, right: Tally) -> Tally {
      Tally(
        predicates: left.predicates + right.predicates,
        illegal: left.illegal + right.illegal,
        selective: left.selective + right.selective,
        failing: left.failing + right.failing,
        pureSQL: left.pureSQL + right.pureSQL
      )
    }

    mutating func add(_ outcome: DifferentialEngines.Outcome) {
      guard outcome.isLegal else {
        illegal += 1
        return
      }
      predicates += 1
      if outcome.isSelective { selective += 1 }
      if outcome.fails { failing += 1 }
      if outcome.isPureSQL { pureSQL += 1 }
    }

    func share(_ number: Int) -> Double { Double(number) / Double(max(1, predicates)) }
  }

  let seed: UInt64
  let world: DifferentialWorld
  private(set) var tally = Tally()

  init(seed: UInt64) throws {
    self.seed = seed
    world = try RandomRows.make(RandomModel.make(seed: seed), seed: seed)
  }

  /// Tries so many predicates.
  ///
  /// - Returns: The first failure with everything that is needed to repeat it, made small; `nil` when
  ///   all engines agree.
  mutating func failure(count: Int) async throws -> String? {
    let engines = try DifferentialEngines(world)
    var generator = PredicateGenerator(engines.graph, seed: seed)
    while tally.predicates < count {
      // Other tests wait for their turn.
      if tally.predicates.isMultiple(of: 25) { await Task.yield() }
      let entity = generator.random.chance(world.model.entities.count)
      var node = generator.predicate(on: entity)
      // A second draw instead of many that say the same of every row.
      if !engines.isSelective(node, entity) { node = generator.predicate(on: entity) }
      let outcome = engines.outcome(of: node, on: entity, turn: tally.predicates)
      tally.add(outcome)
      if outcome.problem != nil { return Self.counterexample(node, entity, world, seed) }
    }
    return nil
  }

  // MARK: Shrinking

  private static func problem(
    _ node: PredicateNode,
    _ entity: Int,
    _ world: DifferentialWorld
  ) -> String? {
    guard let engines = try? DifferentialEngines(world) else { return nil }
    return engines.outcome(of: node, on: entity, turn: 0).problem
  }

  /// The failure with few rows, few values and a small predicate.
  private static func counterexample(
    _ node: PredicateNode,
    _ entity: Int,
    _ world: DifferentialWorld,
    _ seed: UInt64
  ) -> String {
    var world = world
    var node = shrink(node, entity, world)
    world = shrink(world, node, entity)
    node = shrink(node, entity, world)
    let reason = problem(node, entity, world) ?? "it does not happen again"
    return """
      seed \(seed): \(reason)
        \(world.model.entities[entity].name): \(FetchPredicate(node))
      \(world)
      """
  }

  private static func shrink(
    _ node: PredicateNode,
    _ entity: Int,
    _ world: DifferentialWorld
  ) -> PredicateNode {
    guard let engines = try? DifferentialEngines(world) else { return node }
    func fails(_ node: PredicateNode) -> Bool {
      engines.outcome(of: node, on: entity, turn: 0).problem != nil
    }
    var node = node
    while let smaller = node.simpler.first(where: fails) { node = smaller }
    return node
  }

  private static func shrink(
    _ world: DifferentialWorld,
    _ node: PredicateNode,
    _ entity: Int
  ) -> DifferentialWorld {
    let rows = PropertyRuns.shrink(world.rows) { problem(node, entity, world.keeping($0)) != nil }
    var world = world.keeping(rows)
    for place in world.rows.indices {
      func without(_ names: [String]) -> DifferentialWorld {
        var fewer = world
        fewer.rows[place].row.values = world.rows[place].row.values.filter {
          names.contains($0.key)
        }
        return fewer
      }
      let names = PropertyRuns.shrink(world.rows[place].row.values.keys.sorted()) {
        problem(node, entity, without($0)) != nil
      }
      world = without(names)
    }
    func with(_ links: [DifferentialWorld.Members]) -> DifferentialWorld {
      var fewer = world
      fewer.links = links
      return fewer
    }
    world = with(PropertyRuns.shrink(world.links) { problem(node, entity, with($0)) != nil })
    return world
  }
}
