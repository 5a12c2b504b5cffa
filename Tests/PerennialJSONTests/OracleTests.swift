// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RandomTesting
import RowTesting
import Testing

@testable import PerennialJSON

/// Random saves through two stores on one file, opened anew now and then, beside a store in memory.
@Suite("The oracle")
struct OracleTests {
  private let model: ModelLayout
  private let file = StoreFile(path: "/store.json")

  init() throws { model = try TestModels.people() }

  /// What a store holds, as text.
  private func dump(_ store: any StateStore) throws -> [String] {
    var lines: [String] = []
    for entity in ["Person", "Club"] {
      for row in try store.rows(entity) {
        let layout = model.entities[row.entity]
        let values = layout.slots.indices.map { slot in
          // Of an object that is gone, the entity is not known after opening.
          layout.slots[slot].storage == .reference
            ? "\(PackedRow.reference(row.pointer, slot).key)"
            : "\(PackedRow.value(row.pointer, slot, in: layout) { _ in preconditionFailure("A reference") })"
        }
        lines.append("\(layout.name) \(row.key) \(row.version) \(values)")
        for relationship in layout.toManys {
          let members = try store.members(layout.name, relationship.name, of: row.key)
          lines.append("  \(relationship.name) \(members)")
        }
      }
    }
    return lines
  }

  @Test(arguments: PropertyRuns.seeds(usually: 3))
  func `random saves give what they give in memory`(seed: UInt64) throws {
    var random = SplitMix(seed)
    let files = ModelFiles()
    let oracle = InMemoryStore(model: model)
    var stores = [
      try JSONStore(file, model: model, files: files),
      try JSONStore(file, model: model, files: files),
    ]
    for step in 0..<40 {
      let changes = try change(&random, in: oracle)
      let store = stores[Int(random.next() % 2)]
      let expected = outcome { try oracle.save(changes) }
      #expect(outcome { try store.save(changes) } == expected, "seed \(seed), step \(step)")
      if random.next() % 4 == 0 {
        stores[Int(random.next() % 2)] = try JSONStore(file, model: model, files: files)
      }
      let reader = stores[Int(random.next() % 2)]
      #expect(try dump(reader) == dump(oracle), "seed \(seed), step \(step)")
    }
  }

  /// "saved", or the conflicts.
  private func outcome(_ body: () throws -> Void) -> [String] {
    do {
      try body()
      return ["saved"]
    } catch SaveFailure.conflicts(let conflicts) {
      return conflicts.map { conflict in
        switch conflict {
        case .version(let root, let key, let stored):
          "version \(root) \(key) \(stored?.version ?? 0)"
        case .constraint(let entity, let number, let newcomer, let stored):
          "constraint \(entity) \(number) \(newcomer) \(stored.key)"
        }
      }
    } catch {
      return ["\(error)"]
    }
  }

  /// Some insertions, updates, deletions and pairs, of which some conflict.
  private func change(_ random: inout SplitMix, in oracle: InMemoryStore) throws -> ChangeSet {
    let stored = try oracle.rows("Person")
    func pick() -> PageRow? {
      stored.isEmpty ? nil : stored[Int(random.next() % UInt64(stored.count))]
    }
    func name() -> Row.Value { .value(.string("n\(random.next() % 30) \"\\é")) }
    let first = try oracle.reserveKeys(root: model.index("Person"), count: 3)
    var people: [Row] = []
    for number in 0..<Int64(random.next() % 3) {
      var row = Row(first + number, ["name": name()])
      if let boss = pick() {
        row.values["boss"] = .reference(model.entities[boss.entity].name, boss.key)
      }
      people.append(row)
    }
    let entity = random.next() % 2 == 0 ? "Person" : "Employee"
    var changes = model.insertion([(entity, people)])
    if let row = pick() {
      let version = row.version + (random.next() % 8 == 0 ? 2 : 1)
      let update = Row(row.key, version: version, ["name": name()])
      changes.updates = [model.update(model.entities[row.entity].name, ["name"], [update])]
    }
    if let one = pick(), let two = pick() {
      changes.links = [try model.link("Person", "friends", added: [(one.key, two.key)])]
    }
    if random.next() % 3 == 0 { deletion(of: pick(), &changes) }
    return changes
  }

  /// Deletes an object; who names it goes on naming it.
  private func deletion(of row: PageRow?, _ changes: inout ChangeSet) {
    guard let row, changes.updates.first?.pages.keys.first(where: { _ in true }) != row.key else {
      return
    }
    changes.links = []
    let name = model.entities[row.entity].name
    changes.deletions = [model.deletion(name, [(row.key, row.version)])]
  }
}
