// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Conditions on what sister entities have by one name: to-many relationships, or properties of several
/// kinds.
@Suite("Properties of one name in sister entities")
struct SisterTests {
  private let folder: TemporaryFolder
  private let memory: InMemoryStore
  private let sqlite: SQLiteStore

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let spot = AttributeDescription(
      "spot",
      .composite,
      isOptional: true,
      elements: [AttributeDescription("x", .string, isOptional: true)]
    )
    let model = try ManagedObjectModel(
      EntityDescription(
        "Animal",
        properties: [
          .attribute("name", .string, optional: true), .toMany("owners", "Person"),
        ]
      ),
      EntityDescription(
        "Cat",
        parent: "Animal",
        properties: [.toMany("marks", "Person"), .toMany("tags", "Person"), .attribute(spot)]
      ),
      EntityDescription(
        "Dog",
        parent: "Animal",
        properties: [
          .toMany("marks", "Person"), .attribute("tags", .string, optional: true),
          .toOne("spot", "Person"), .toOne("friend", "Cat"),
        ]
      ),
      EntityDescription(
        "Person",
        properties: [
          .attribute("name", .string, optional: true), .attribute("x", .string, optional: true),
        ]
      )
    ).layout
    memory = InMemoryStore(model: model)
    sqlite = try SQLiteStore(url: folder.file(), model: model)
    var changes = model.insertion([
      ("Animal", [Row(1)]),
      ("Cat", [Row(2, ["spot.x": "a"]), Row(3, ["spot.x": "b"])]),
      (
        "Dog",
        [
          Row(
            4,
            [
              "tags": "black", "spot": .reference("Person", 1), "friend": .reference("Cat", 2),
            ]
          ),
          Row(5, ["tags": "white"]),
        ]
      ),
      ("Person", [Row(1, ["name": "Ada", "x": "a"]), Row(2, ["name": "Bob", "x": "b"])]),
    ])
    changes.links = [
      try model.link("Animal", "owners", added: [(1, 1), (3, 1), (5, 2)]),
      try model.link("Cat", "marks", added: [(2, 1)]),
      try model.link("Cat", "tags", added: [(2, 1)]),
      try model.link("Dog", "marks", added: [(4, 1), (5, 2)]),
    ]
    try memory.save(changes)
    try sqlite.save(changes)
  }

  private func query(_ entity: String, _ predicate: FetchPredicate) -> StoreQuery {
    StoreQuery(entity: sqlite.model.index(entity), predicate: predicate)
  }

  @Test(arguments: [
    ("ANY marks.name == 'Ada'", "[2, 4]"), ("NONE marks.name == 'Ada'", "[1, 3, 5]"),
    ("ALL marks.name == 'Ada'", "[1, 2, 3, 4]"), ("marks.@count == 1", "[2, 4, 5]"),
    ("SUBQUERY(marks, $m, $m.name == 'Ada').@count > 0", "[2, 4]"),
    ("tags CONTAINS 'black'", "[4]"), ("NOT tags CONTAINS 'black'", "[1, 2, 3, 5]"),
    ("spot.x == 'a'", "[2, 4]"), ("spot.x != 'a'", "[1, 3, 5]"), ("spot == nil", "[1, 5]"),
    ("ANY owners.name == 'Ada'", "[1, 3]"),
  ])
  func `both stores look at what each entity has by the name`(
    _ format: String,
    _ expected: String
  ) throws {
    let query = query("Animal", try FetchPredicate(parsing: format))
    #expect(throws: Never.self) { try QueryChecker(sqlite.model).check(query) }
    #expect(PredicateTwins.answer(memory, query) == expected, "in memory")
    #expect(PredicateTwins.answer(sqlite, query) == expected, "in SQLite")
  }

  @Test func `both stores find an object in the relationships of all entities`() {
    for store in [memory as any RowStore, sqlite] {
      let ada = ManagedObjectID(entityName: "Person", owner: store.identifier, key: 1)
      let query = query("Animal", FetchPredicate(format: "%@ IN marks", ada))
      #expect(PredicateTwins.answer(store, query) == "[2, 4]")
    }
  }

  @Test(arguments: [
    ("Animal", "ANY owners.name == 'Ada'"), ("Animal", "owners.@count == 0"),
    ("Cat", "NONE marks.name == 'Ada'"), ("Cat", "spot.x == 'a'"), ("Dog", "spot.x == 'a'"),
  ])
  func `a property of one entity, or one that others inherit, is asked for in SQL`(
    _ entity: String,
    _ format: String
  ) throws {
    let predicate = try FetchPredicate(parsing: format)
    var translator = PredicateTranslator(schema: sqlite.schema, store: sqlite.identifier)
    let condition = translator.translate(
      try predicate.checked(),
      entity: sqlite.model.index(entity)
    )
    #expect(condition.residual == nil)
    let query = query(entity, predicate)
    #expect(PredicateTwins.answer(sqlite, query) == PredicateTwins.answer(memory, query))
  }

  @Test(arguments: [
    ("Cat", "SELF == %@", "Cat", "[2]"), ("Cat", "SELF == %@", "Dog", "[]"),
    ("Cat", "SELF != %@", "Dog", "[2, 3]"), ("Cat", "SELF IN {%@}", "Dog", "[]"),
    ("Dog", "friend == %@", "Cat", "[4]"), ("Dog", "friend == %@", "Dog", "[]"),
  ])
  func `the ID of a sister entity's object is equal to nothing`(
    _ entity: String,
    _ format: String,
    _ entityOfID: String,
    _ expected: String
  ) throws {
    for store in [memory as any RowStore, sqlite] {
      let id = ManagedObjectID(entityName: entityOfID, owner: store.identifier, key: 2)
      let query = query(entity, try FetchPredicate(parsing: format, arguments: [id]))
      #expect(PredicateTwins.answer(store, query) == expected)
    }
  }
}
