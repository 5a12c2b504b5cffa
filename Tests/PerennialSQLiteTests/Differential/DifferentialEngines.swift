// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPostgres
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RowTesting
import ServerTesting

@testable import PerennialSQLite

/// Everything that answers predicates, filled with the same rows: evaluation on the rows themselves,
/// the store in memory, and an engine with its statements alone or with memory's help.
///
/// The engine is SQLite; with `PERENNIAL_STORES=postgres` a server of PostgreSQL, which takes no NUL in texts.
final class DifferentialEngines {
  private let folder: TemporaryFolder
  private let memory: InMemoryStore
  private let engine: any SQLRowStore
  let graph: WorldGraph

  /// What came of a predicate.
  struct Outcome {
    /// Who disagrees; `nil` when nobody does.
    var problem: String?
    /// Whether the predicate fits the model at all.
    var isLegal = true
    /// Whether some rows satisfied it and some did not.
    var isSelective = false
    /// Whether its evaluation failed for some row.
    var fails = false
    /// Whether the engine needed no help.
    var isPureSQL = false
  }

  init(_ world: DifferentialWorld) throws {
    folder = try TemporaryFolder(inMemory: true)
    memory = InMemoryStore(model: world.model)
    engine = try Self.open(world.model, in: folder)
    let changes = try world.changes()
    try memory.save(changes)
    try engine.save(changes)
    graph = WorldGraph(world)
  }

  /// Asks all engines.
  ///
  /// - Parameters:
  ///   - node: The predicate.
  ///   - entity: The place of the entity.
  ///   - turn: Chooses the further ways of asking SQLite: all of them when it is 0.
  /// - Returns: What came of it.
  func outcome(of node: PredicateNode, on entity: Int, turn: Int) -> Outcome {
    var outcome = Outcome()
    let predicate: FetchPredicate
    switch Self.readBack(node, turn) {
    case .success(let copy): predicate = copy
    case .failure(let problem):
      outcome.problem = problem.text
      return outcome
    }
    guard let node = try? predicate.checked(), isLegal(predicate, entity) else {
      outcome.isLegal = false
      return outcome
    }
    let expected = truths(of: node, entity)
    outcome.isSelective = expected.isSelective
    outcome.fails = expected.firstError != nil
    outcome.isPureSQL = isPureSQL(node, entity)
    if let problem = complaint(of: memory, node, entity, expected, isExact: true) {
      outcome.problem = "the store in memory \(problem)"
    } else if let problem = complaint(of: engine, node, entity, expected, isExact: false) {
      outcome.problem = "\(Self.name) \(problem)"
    } else {
      outcome.problem = furtherComplaint(node, entity, expected, turn)
    }
    return outcome
  }

  // MARK: Engines

  private static let name = ServerSchema.isWanted ? "PostgreSQL" : "SQLite"

  private static func open(
    _ model: ModelLayout,
    in folder: TemporaryFolder
  ) throws -> any SQLRowStore {
    #if PostgreSQL
    if ServerSchema.isWanted {
      return try PostgresStore(PostgresLocation(ServerSchema.empty()), model: model)
    }
    #endif
    return try SQLiteStore(url: folder.file(), model: model)
  }

  // MARK: Printing and coding

  struct Problem: Error { var text: String }

  /// The predicate after printing, parsing, coding, and giving its variables their values.
  private static func readBack(_ node: PredicateNode, _ turn: Int) -> Result<
    FetchPredicate, Problem
  > {
    let predicate = FetchPredicate(node)
    let text = predicate.description
    do {
      let parsed = try FetchPredicate(parsing: text)
      // NaN is equal to nothing, but is printed like itself.
      guard parsed == predicate || (parsed.description == text && text.contains("nan")) else {
        return .failure(Problem(text: "parsing gives another tree: \(parsed)"))
      }
      let data = try JSONEncoder().encode([predicate])
      let decoded = try JSONDecoder().decode([FetchPredicate].self, from: data)[0]
      guard decoded == predicate || decoded.description == text else {
        return .failure(Problem(text: "decoding gives another tree: \(decoded)"))
      }
      guard turn % 4 == 0 else { return .success(decoded) }
      let (template, values) = node.withVariables
      let bound = try FetchPredicate(parsing: FetchPredicate(template).description)
        .withSubstitutionVariables(values)
      guard bound == predicate || bound.description == text else {
        return .failure(Problem(text: "variables give another tree: \(bound)"))
      }
      return .success(decoded)
    } catch {
      return .failure(Problem(text: "the printed predicate is refused: \(error)"))
    }
  }

  private func isLegal(_ predicate: FetchPredicate, _ entity: Int) -> Bool {
    let query = StoreQuery(entity: entity, predicate: predicate)
    return (try? QueryChecker(graph.world.model).check(query)) != nil
  }

  // MARK: Answers

  /// What evaluation says of each row.
  private struct Truths {
    var selected: [Int64] = []
    var rejected: [Int64] = []
    var failed: [Int64] = []
    var firstError: PerennialError.Code?

    var isSelective: Bool { !selected.isEmpty && !rejected.isEmpty }
  }

  /// Whether evaluation gives true for some row and false for another.
  func isSelective(_ node: PredicateNode, _ entity: Int) -> Bool {
    truths(of: node, entity).isSelective
  }

  private func truths(of node: PredicateNode, _ entity: Int) -> Truths {
    var truths = Truths()
    for source in graph.sources(of: entity) {
      do {
        if try PredicateEvaluator(.object(source)).evaluate(node) {
          truths.selected.append(source.row.key)
        } else {
          truths.rejected.append(source.row.key)
        }
      } catch {
        truths.failed.append(source.row.key)
        if truths.firstError == nil { truths.firstError = error.code }
      }
    }
    return truths
  }

  /// What a store answers wrongly; `nil` when it does not.
  ///
  /// With `isExact` the store must fail when evaluation fails for some row. Otherwise it may also not
  /// have looked at that row; its answer for the others must be right.
  private func complaint(
    of store: any RowStore,
    _ node: PredicateNode,
    _ entity: Int,
    _ expected: Truths,
    isExact: Bool
  ) -> String? {
    let query = StoreQuery(
      entity: entity,
      predicate: FetchPredicate(node.asked(of: store.identifier))
    )
    do {
      let keys = try store.fetchReferences(query).map(\.key)
      return complaint(about: keys, expected, isExact)
    } catch {
      guard let code = expected.firstError else { return "fails: \(error.message)" }
      return !isExact || code == error.code ? nil : "fails otherwise: \(error.message)"
    }
  }

  private func complaint(about keys: [Int64], _ expected: Truths, _ isExact: Bool) -> String? {
    if expected.firstError == nil {
      return keys.sorted() == expected.selected
        ? nil : "selects \(keys.sorted()), not \(expected.selected)"
    }
    if isExact { return "selects \(keys.sorted()), but evaluation fails" }
    let known = Set(keys).subtracting(expected.failed)
    return known == Set(expected.selected)
      ? nil : "selects \(known.sorted()), not \(expected.selected), beside \(expected.failed)"
  }

  // MARK: Further ways of asking the engine

  /// A condition that always holds, and that SQL cannot say.
  private static let truth = PredicateNode.comparison(
    Comparison(.function(.random, []), .greaterOrEqual, .constant(.integer(0)))
  )

  private func isPureSQL(_ node: PredicateNode, _ entity: Int) -> Bool {
    let query = StoreQuery(
      entity: entity,
      predicate: FetchPredicate(node.asked(of: engine.identifier))
    )
    return (try? engine.translation(of: query).isComplete) == true
  }

  private func furtherComplaint(
    _ node: PredicateNode,
    _ entity: Int,
    _ expected: Truths,
    _ turn: Int
  ) -> String? {
    func complains(_ node: PredicateNode, _ how: String) -> String? {
      complaint(of: engine, node, entity, expected, isExact: false).map {
        "\(Self.name) \(how) \($0)"
      }
    }
    if turn % 16 == 0, let problem = complains(.conjunction([Self.truth, node]), "and memory") {
      return problem
    }
    if turn % 16 == 0 || turn % 16 == 1,
      let problem = complains(.disjunction([.not(Self.truth), node]), "with memory alone")
    {
      return problem
    }
    if turn % 16 == 0 || turn % 16 == 2,
      let problem = complains(.not(.not(node)), "of the double NOT")
    {
      return problem
    }
    if turn % 16 == 0 || turn % 16 == 3 { return rowComplaint(node, entity, expected) }
    return nil
  }

  /// Whether the rows themselves and their count are right too, and those of a look-up.
  private func rowComplaint(
    _ node: PredicateNode,
    _ entity: Int,
    _ expected: Truths
  ) -> String? {
    guard expected.firstError == nil else { return nil }
    var query = StoreQuery(
      entity: entity,
      predicate: FetchPredicate(node.asked(of: engine.identifier))
    )
    do {
      if let (lookUp, value) = try query.lookUp(in: engine.model) {
        var found: [Int64] = []
        try engine.fetchRows(lookUp, .one(value)) { page in
          found += (0..<page.count).map { PageRow(page: page, index: $0).key }
        }
        if let problem = complaint(about: found, expected, false) {
          return "\(Self.name)'s look-up: it \(problem)"
        }
      }
      let keys = try engine.allRows(query).map(\.key)
      if let problem = complaint(about: keys, expected, false) {
        return "\(Self.name)'s rows: it \(problem)"
      }
      let count = try engine.count(query)
      guard count == expected.selected.count else {
        return "\(Self.name) counts \(count), not \(expected.selected.count)"
      }
      for limit in 1...2 {
        query.limit = limit
        let some = try engine.allRows(query).map(\.key)
        let isRight = Set(some).isSubset(of: expected.selected)
        guard isRight, some.count == min(limit, expected.selected.count) else {
          return "\(Self.name)'s first \(limit): it selects \(some) of \(expected.selected)"
        }
      }
      return nil
    } catch {
      return "\(Self.name)'s rows: it fails: \(error)"
    }
  }
}
