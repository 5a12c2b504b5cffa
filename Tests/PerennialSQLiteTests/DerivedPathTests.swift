// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Derived paths")
struct DerivedPathTests {
  @Test func `a path may take one relationship twice`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Person",
        properties: [
          .attribute("name", .string, optional: true),
          .toOne("boss", "Person", inverse: "reports"),
          .toMany("reports", "Person", inverse: "boss"),
          .attribute("head", .string, optional: true, derived: "boss.boss.name"),
        ]
      )
    ).layout
    let store = try SQLiteStore(url: nil, model: model)
    try store.save(
      model.insertion([
        (
          "Person",
          [
            Row(1, ["name": "Ada"]), Row(2, ["boss": .reference("Person", 1)]),
            Row(3, ["boss": .reference("Person", 2)]),
            Row(4, ["boss": .reference("Person", 2), "head": "Eve"]),
            Row(5, ["boss": .reference("Person", 3), "head": "Eve"]),
          ]
        )
      ])
    )
    let boss = try model.relationship("Person", "boss")
    let slots = model.entities[0].slotsByName
    let name = try #require(slots["name"])
    var derivation = ChangeSet.Derivation(
      entity: 0,
      slot: try #require(slots["head"]),
      source: .path([boss, boss], member: name, nil),
      expression: .keyPath(.object, ["boss", "boss", "name"])
    )
    // The first has another name: those who are two steps away are computed.
    var changes = ChangeSet()
    changes.updates = [model.update("Person", ["name"], [Row(1, version: 2, ["name": "Ida"])])]
    derivation.targets = [[], [1]]
    changes.derivations = [derivation]
    try store.save(changes)
    #expect(try heads(store) == ["NULL", "NULL", "Ida", "Ida", "Eve"])
    // The third has another boss: those who are one step away are.
    changes = ChangeSet()
    changes.updates = [
      model.update("Person", ["boss"], [Row(3, version: 2, ["boss": .reference("Person", 1)])])
    ]
    derivation.targets = [[3], []]
    changes.derivations = [derivation]
    try store.save(changes)
    #expect(try heads(store) == ["NULL", "NULL", "Ida", "Ida", "Ida"])
  }

  private func heads(_ store: SQLiteStore) throws -> [String] {
    try store.texts("SELECT COALESCE(ZHEAD, 'NULL') FROM ZPERSON ORDER BY Z_PK")
  }
}
