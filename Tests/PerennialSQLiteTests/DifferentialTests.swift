// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RandomTesting
import RowTesting
import Testing

@testable import PerennialSQLite

/// Random change sets, legal and illegal, on both stores: they must agree on what conflicts and on
/// what is stored.
@Suite("Both stores")
struct DifferentialTests {
  private struct Stored {
    var version: UInt32
    var slug: String?
  }

  @Test(arguments: 0..<20)
  func `random saves end alike in SQLite and in memory`(run: Int) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let model = try TestModels.blog()
    let store = try SQLiteStore(url: folder.file(), model: model)
    let oracle = InMemoryStore(model: model)
    var rows: [Int64: Stored] = [:]
    var nextKey: Int64 = 1
    for step in 0..<25 {
      let (changes, after) = Self.changes(
        model,
        rows: rows,
        nextKey: &nextKey,
        using: &random
      )
      let expected = Self.outcome { try oracle.save(changes) }
      #expect(Self.outcome { try store.save(changes) } == expected, "seed \(seed), step \(step)")
      if expected.isEmpty { rows = after }
      try Self.compare(store, oracle, "seed \(seed), step \(step)")
    }
  }

  /// A change set over the rows, now and then with a version that is out of date.
  private static func changes(
    _ model: ModelLayout,
    rows: [Int64: Stored],
    nextKey: inout Int64,
    using random: inout SeededGenerator
  ) -> (ChangeSet, [Int64: Stored]) {
    var after = rows
    var deleted: [(Int64, UInt32)] = []
    var updated: [Row] = []
    var inserted: [Row] = []
    // Pending objects never share a value: the graph sees to that before it saves.
    var taken: Set<String> = []
    func slug(_ random: inout SeededGenerator) -> String? {
      let text = "s\(Int.random(in: 0..<12, using: &random))"
      return taken.insert(text).inserted ? text : nil
    }
    for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
      let isStale = Int.random(in: 0..<60, using: &random) == 0
      let version = row.version + (isStale ? 1 : 0)
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        deleted.append((key, version))
        after[key] = nil
      case 1, 2:
        let text = slug(&random)
        let value = Row.Value.value(text.map { .string($0) } ?? .null)
        let values = ["slug": value, "score": Row.Value.value(.integer(key))]
        updated.append(Row(key, version: version + 1, values))
        after[key] = Stored(version: row.version + 1, slug: text)
      default: break
      }
    }
    for _ in 0..<Int.random(in: 0..<4, using: &random) {
      let text = slug(&random)
      let value = Row.Value.value(text.map { .string($0) } ?? .null)
      inserted.append(Row(nextKey, ["slug": value, "score": .value(.integer(nextKey))]))
      after[nextKey] = Stored(version: 1, slug: text)
      nextKey += 1
    }
    var changes = ChangeSet()
    if !inserted.isEmpty { changes = model.insertion([("Post", inserted)]) }
    if !updated.isEmpty { changes.updates = [model.update("Post", ["slug"], updated)] }
    if !deleted.isEmpty { changes.deletions = [model.deletion("Post", deleted)] }
    return (changes, after)
  }

  /// The conflicts of a save in a form that can be compared.
  private static func outcome(of save: () throws -> Void) -> Set<String> {
    do {
      try save()
      return []
    } catch SaveFailure.conflicts(let conflicts) {
      return Set(
        conflicts.map { conflict in
          switch conflict {
          case .version(let root, let key, let stored):
            "version \(root) \(key) \(stored?.version ?? 0)"
          case .constraint(let entity, let constraint, let newcomer, let stored):
            "constraint \(entity) \(constraint) \(newcomer) \(stored.key)"
          }
        }
      )
    } catch {
      return ["\(error)"]
    }
  }

  private static func compare(
    _ store: SQLiteStore,
    _ oracle: InMemoryStore,
    _ comment: Comment
  ) throws {
    let query = StoreQuery(entity: store.model.index("Post"))
    func contents(_ store: any RowStore) throws -> [Int64: [PropertyValue]] {
      var contents: [Int64: [PropertyValue]] = [:]
      let entity = store.model.entities[query.entity]
      try store.fetchRows(query) { page in
        for row in (0..<page.count).map({ page.row($0) }) {
          let slots = entity.slots.indices.map {
            PackedRow.value(row, $0, in: entity) {
              store.model.objectID(of: $0, owner: store.identifier)
            }
          }
          contents[PackedRow.key(row)] = slots + [.integer(Int64(PackedRow.version(row)))]
        }
      }
      return contents
    }
    #expect(try contents(store) == contents(oracle), comment)
  }
}
