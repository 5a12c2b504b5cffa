// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Stores whose names differ from those that we would choose: made by us and renamed by hand.
@Suite("Names of tables and columns that a store has kept")
struct NamingTests {
  private let folder: StoreFolder
  private let model: ModelLayout

  init() throws {
    folder = try StoreFolder()
    model = try ManagedObjectModel(
      EntityDescription(
        "Ant",
        properties: [
          .attribute("name", .string, optional: true), .toMany("cows", "Cow", inverse: "ants"),
          .toMany("riders", "Cow", inverse: "ant"), .toMany("friends", "Ant", inverse: "fans"),
          .toMany("fans", "Ant", inverse: "friends", ordered: true),
        ]
      ),
      EntityDescription("Bee", parent: "Ant", properties: []),
      EntityDescription(
        "Cow",
        properties: [
          .toOne("ant", "Ant", inverse: "riders"), .toMany("ants", "Ant", inverse: "cows"),
        ]
      )
    ).layout
    let store = try SQLiteStore(url: folder.store, model: model)
    var changes = model.insertion([
      ("Ant", [Row(1, ["name": "one"])]), ("Bee", [Row(2, ["name": "two"]), Row(3)]),
      ("Cow", [Row(1, ["ant": .reference("Bee", 2)]), Row(2)]),
    ])
    changes.links = [
      try model.link("Ant", "cows", added: [(1, 2), (2, 1), (2, 2)]),
      try model.link("Ant", "friends", added: [(1, 2), (3, 2)]),
    ]
    try store.save(changes)
  }

  /// Whether the store has just what `init` has written, and takes more.
  private func check() throws {
    let store = try SQLiteStore(url: folder.store, model: model)
    func names(_ entity: String) throws -> [Int64] {
      try store.rows(of: model.index(entity)).map(\.key).sorted()
    }
    #expect(try names("Ant") == [1])
    #expect(try names("Bee") == [2, 3])
    let cow = try #require(try store.rows(of: model.index("Cow")).first { $0.key == 1 })
    let slot = try #require(model.entities[cow.entity].slotsByName["ant"])
    let reference = PackedRow.reference(cow.pointer, slot)
    #expect(reference == ObjectReference(key: 2, entity: model.index("Bee")))
    func members(_ entity: String, _ name: String, _ owner: Int64) throws -> Set<Int64> {
      let relationship = try model.relationship(entity, name)
      let query = StoreQuery(
        entity: relationship.destination,
        scope: .related(relationship, owner: owner)
      )
      return Set(try store.fetchReferences(query).map(\.key))
    }
    #expect(try members("Ant", "cows", 1) == [2])
    #expect(try members("Ant", "cows", 2) == [1, 2])
    #expect(try members("Cow", "ants", 2) == [1, 2])
    #expect(try members("Ant", "riders", 2) == [1])
    #expect(try members("Ant", "friends", 1) == [2])
    #expect(try members("Ant", "fans", 2) == [1, 3])
    let key = try store.reserveKeys(root: model.index("Ant"), count: 1)
    #expect(key == 4)
    var changes = model.insertion([("Bee", [Row(key)])])
    changes.links = [
      try model.link("Cow", "ants", added: [(2, key)]),
      try model.link("Ant", "fans", added: [(2, key)]),
    ]
    try store.save(changes)
    #expect(try members("Cow", "ants", 2) == [1, 2, 4])
    #expect(try members("Ant", "fans", 2) == [1, 3, 4])
    #expect(try members("Ant", "friends", 4) == [2])
  }

  @Test func `nothing was renamed`() throws { try check() }

  private static let renumbering = [
    "UPDATE Z_PRIMARYKEY SET Z_ENT = Z_ENT + 20, Z_SUPER = IIF(Z_SUPER = 0, 0, Z_SUPER + 20)",
    "UPDATE ZANT SET Z_ENT = Z_ENT + 20",
    "UPDATE ZCOW SET Z_ENT = Z_ENT + 20, Z1_ANT = Z1_ANT + 20",
  ]

  @Test func `numbers are those of the store, and other entities' tables stay`() throws {
    try folder.execute(
      Self.renumbering[0],
      Self.renumbering[1],
      Self.renumbering[2],
      "ALTER TABLE ZCOW RENAME COLUMN Z1_ANT TO Z21_ANT",
      "ALTER TABLE Z_1COWS RENAME TO Z_21COWS",
      "ALTER TABLE Z_21COWS RENAME COLUMN Z_1ANTS TO Z_21ANTS",
      "ALTER TABLE Z_21COWS RENAME COLUMN Z_3COWS TO Z_23COWS1",
      "ALTER TABLE Z_1FRIENDS RENAME TO Z_21FRIENDS",
      "ALTER TABLE Z_21FRIENDS RENAME COLUMN Z_1FANS TO Z_21FANS",
      "ALTER TABLE Z_21FRIENDS RENAME COLUMN Z_1FRIENDS TO Z_21FRIENDS",
      "ALTER TABLE Z_21FRIENDS RENAME COLUMN Z_FOK_1FANS TO Z_FOK_21FANS",
      "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Zebra', 0, 7)",
      "CREATE TABLE ZZEBRA ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
      "INSERT INTO ZZEBRA VALUES (7, 1, 1)",
      "ALTER TABLE ZCOW ADD COLUMN ZEXTRA BLOB",
      "UPDATE ZCOW SET ZEXTRA = x'01'"
    )
    try check()
    let connection = try folder.connect()
    #expect(try connection.texts("SELECT Z_PK || Z_ENT || Z_OPT FROM ZZEBRA") == ["711"])
    #expect(try connection.texts("SELECT hex(ZEXTRA) FROM ZCOW") == ["01", "01"])
    #expect(try connection.integers("SELECT Z_ENT FROM ZANT WHERE Z_PK = 4") == [22])
  }

  @Test func `a table is found under the name of the other side`() throws {
    try folder.execute(
      "ALTER TABLE Z_1FRIENDS RENAME TO Z_1FANS",
      "ALTER TABLE Z_1COWS RENAME TO Z_3ANTS"
    )
    try check()
  }

  @Test func `columns of a table between an entity and itself are told by their names`() throws {
    // As Core Data lays it out when the other side names the table.
    try folder.execute(
      """
      CREATE TABLE Z_1FANS ( Z_1FRIENDS INTEGER, Z_1FANS INTEGER, Z_FOK_1FANS INTEGER,
      PRIMARY KEY (Z_1FRIENDS, Z_1FANS) )
      """,
      "INSERT INTO Z_1FANS SELECT Z_1FRIENDS, Z_1FANS, Z_FOK_1FANS FROM Z_1FRIENDS",
      "DROP TABLE Z_1FRIENDS"
    )
    try check()
  }

  @Test func `a column for entities' numbers may have the number of an earlier model`() throws {
    try folder.execute("ALTER TABLE ZCOW RENAME COLUMN Z1_ANT TO Z17_ANT")
    try check()
  }

  @Test func `tables with quoted names, as after a migration, are found`() throws {
    try folder.execute(
      """
      CREATE TABLE "NEW" ( "Z_PK" INTEGER PRIMARY KEY, "Z_ENT" INTEGER, "Z_OPT" INTEGER,
      "Z1_ANT" INTEGER, "ZANT" INTEGER )
      """,
      "INSERT INTO NEW (Z_PK, Z_ENT, Z_OPT, ZANT, Z1_ANT) SELECT Z_PK, Z_ENT, Z_OPT, ZANT, Z1_ANT FROM ZCOW",
      "DROP TABLE ZCOW",
      "ALTER TABLE \"NEW\" RENAME TO \"ZCOW\"",
      "CREATE INDEX \"Z_16OLD_INDEX\" ON \"ZCOW\" (\"ZANT\")"
    )
    try check()
  }
}
