// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Expectations are derived by hand from FORMAT 2.1 to 2.7.
@Suite("Schema")
struct SchemaTests {
  private func sql(_ model: ModelLayout) -> (tables: [String], indexes: [String]) {
    var builder = SchemaBuilder(model: model)
    let sql = SchemaSQL(builder.build())
    return (sql.tables, sql.indexes.map(\.sql))
  }

  @Test func `columns follow group, then name; transient ones have none`() throws {
    let tables = try sql(TestModels.types()).tables
    #expect(
      tables.first == """
        CREATE TABLE ZTHING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZABOOL INTEGER, ZANINT16 INTEGER, ZANINT32 INTEGER, ZANINT64 INTEGER, ZADATE TIMESTAMP, \
        ZADOUBLE FLOAT, ZAFLOAT FLOAT, ZADECIMAL DECIMAL, ZASTRING VARCHAR, ZAURL VARCHAR, \
        ZAUUID BLOB, ZAJSON BLOB, ZABLOB BLOB, ZAFILE BLOB )
        """
    )
  }

  @Test func `a family shares a table; names that collide get numbers`() throws {
    let tables = try sql(TestModels.family()).tables
    #expect(
      tables.prefix(2) == [
        """
        CREATE TABLE ZANIMAL ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZOWNER INTEGER, ZLIVES INTEGER, ZNAME VARCHAR, ZTEXT VARCHAR, ZTEXT1 VARCHAR )
        """,
        """
        CREATE TABLE ZPERSON ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZADDRESS_NUMBER INTEGER, ZFAVOURITE INTEGER, Z1_FAVOURITE INTEGER, ZADDRESS_CITY VARCHAR )
        """,
      ]
    )
  }

  @Test func `indexes cover references, entity numbers, fetch indexes and constraints`() throws {
    let indexes = try sql(TestModels.family()).indexes
    #expect(
      indexes == [
        "CREATE INDEX ZANIMAL_ZOWNER_INDEX ON ZANIMAL (ZOWNER)",
        "CREATE INDEX ZANIMAL_Z_ENT_INDEX ON ZANIMAL (Z_ENT)",
        "CREATE INDEX ZPERSON_ZFAVOURITE_INDEX ON ZPERSON (ZFAVOURITE)",
        "CREATE INDEX Z_Person_address_city ON ZPERSON (ZADDRESS_CITY COLLATE BINARY ASC)",
        "CREATE UNIQUE INDEX Z_Dog_UNIQUE_name ON ZANIMAL (ZNAME COLLATE BINARY ASC)",
      ]
    )
  }

  @Test(
    arguments: [
      ("x > 3 AND y != 'it\\'s'", " WHERE (ZA.ZX > 3 AND ZA.ZY IS NOT 'it''s')"),
      ("y == 'a\\'\u{301}'", " WHERE ZA.ZY IS 'a''\u{301}'"),
      ("y CONTAINS[c] 'a'", ""), ("SUBQUERY(b, $x, TRUEPREDICATE).@count > 0", ""), ("z == 1", ""),
    ]
  )
  func `1A.13 a partial index has a condition that SQLite may keep, or none`(
    _ condition: String,
    _ clause: String
  ) throws {
    var entity = EntityDescription(
      "A",
      properties: [.attribute("x", .int64), .attribute("y", .string, optional: true)]
    )
    entity.indexes = [
      FetchIndexDescription("i", elements: [.init("x")], partialIndexPredicate: condition)
    ]
    let model = try ManagedObjectModel(entity)
    #expect(
      sql(model.layout).indexes == [
        "CREATE INDEX Z_A_i ON ZA (ZX COLLATE BINARY ASC)\(clause)"
      ]
    )
    let folder = try TemporaryFolder()
    _ = try SQLiteStore(url: folder.file(), model: model.layout)
  }

  @Test func `links get tables; ordered sides get order columns`() throws {
    let (tables, indexes) = try sql(TestModels.links())
    #expect(
      tables == [
        "CREATE TABLE ZALBUM ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
        "CREATE TABLE Z_1TAGS ( Z_1ALBUMS INTEGER, Z_2TAGS INTEGER, PRIMARY KEY (Z_1ALBUMS, Z_2TAGS) )",
        """
        CREATE TABLE Z_1COVERS ( Z_1COVEROF INTEGER, Z_3COVERS INTEGER, Z_FOK_3COVERS INTEGER, \
        PRIMARY KEY (Z_1COVEROF, Z_3COVERS) )
        """,
        "CREATE TABLE ZTAG ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
        """
        CREATE TABLE ZTRACK ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZALBUM INTEGER, ZNEXT INTEGER, ZPREVIOUS INTEGER, Z_FOK_ALBUM INTEGER )
        """,
        """
        CREATE TABLE Z_3SIMILAR ( Z_3SIMILAR INTEGER, REFLEXIVE INTEGER, \
        PRIMARY KEY (Z_3SIMILAR, REFLEXIVE) )
        """,
        "CREATE TABLE ZZOO ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER )",
        "CREATE TABLE Z_4VISITS ( Z_4_VISITS INTEGER, Z_2VISITS INTEGER, PRIMARY KEY (Z_4_VISITS, Z_2VISITS) )",
      ] + SchemaSQL.fixedTables
    )
    #expect(indexes.contains("CREATE INDEX Z_1TAGS_Z_2TAGS_INDEX ON Z_1TAGS (Z_2TAGS, Z_1ALBUMS)"))
    #expect(
      indexes.contains(
        "CREATE INDEX Z_3SIMILAR_REFLEXIVE_INDEX ON Z_3SIMILAR (REFLEXIVE, Z_3SIMILAR)"
      )
    )
  }

  @Test func `a join column that an entity already has elsewhere gets a number`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Message", properties: [.toMany("users", "User", inverse: "messages")]),
      EntityDescription("Reaction", properties: [.toMany("users", "User", inverse: "likes")]),
      EntityDescription(
        "User",
        properties: [
          .toMany("messages", "Message", inverse: "users"),
          .toMany("likes", "Reaction", inverse: "users"),
        ]
      )
    ).layout
    var builder = SchemaBuilder(model: model)
    let tables = builder.build().joinTables
    #expect(tables.map(\.table) == ["Z_1USERS", "Z_2USERS"])
    #expect(tables.map(\.first.other) == ["Z_3USERS1", "Z_3USERS"])
  }

  @Test func `names that SQLite's fixed columns take get numbers`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Odd",
        properties: [.attribute("_pk", .int64), .attribute("_opt", .string)]
      )
    ).layout
    #expect(
      sql(model).tables.first == """
        CREATE TABLE ZODD ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        Z_PK1 INTEGER, Z_OPT1 VARCHAR )
        """
    )
  }

  @Test(arguments: ["Books", "Cars", "Bookmarks"])
  func `the schema equals that of a store of Core Data`(fixture: String) throws {
    let folder = try TemporaryFolder()
    let connection = try SQLiteConnection(
      path: folder.copy(ofFixture: fixture).path,
      access: .write,
      busyTimeout: .seconds(1)
    )
    let stored = Set(try connection.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"))
    let (tables, indexes) =
      switch fixture {
      case "Books": try sql(FixtureModels.books())
      case "Cars": try sql(FixtureModels.cars())
      default: try sql(FixtureModels.bookmarks())
      }
    // Subentities' copies of fetch indexes: not in a store that was migrated. The table of
    // Bookmarks' relationship to itself: Core Data named it after the other side.
    let ours = Set(tables + indexes).filter {
      !$0.contains("Z_SportCar_by") && !$0.contains("Z_LuxuryCar_by") && !$0.contains("Z_1FAVOR")
    }
    #expect(ours.subtracting(stored) == [])
  }

  @Test func `a relationship to itself is found under the name that Core Data chose`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(
      url: folder.copy(ofFixture: "Bookmarks"),
      model: FixtureModels.bookmarks()
    )
    #expect(store.schema.joinTables.map(\.table) == ["Z_1FAVORITES"])
    #expect(store.schema.joinTables.map(\.second.own) == ["Z_1FAVORITEFOLDERS"])
    #expect(store.schema.joinTables.map(\.second.order) == ["Z_FOK_1FAVORITES"])
    #expect(try store.rows("BookmarkEntity").count == 10)
    let folders = try store.integers("SELECT DISTINCT Z_1FAVORITEFOLDERS FROM Z_1FAVORITES")
    let expected = try store.integers(
      "SELECT Z_1FAVORITES FROM Z_1FAVORITES WHERE Z_1FAVORITEFOLDERS = \(folders[0]) ORDER BY Z_FOK_1FAVORITES"
    )
    #expect(try store.members("BookmarkEntity", "favorites", of: folders[0]) == expected)
  }

  @Test func `rows of a store of Core Data are read, and stay when others are saved`() throws {
    let folder = try TemporaryFolder()
    let store = try SQLiteStore(
      url: folder.copy(ofFixture: "Cars"),
      model: FixtureModels.cars()
    )
    #expect(try store.rows("Car").count == 125)
    #expect(try store.rows("Person").count == 20)
    let first = try store.reserveKeys(root: store.model.index("Car"), count: 1)
    #expect(first == 126)
    try store.save(
      store.model.insertion([("LuxuryCar", [Row(first, ["numberPlate": "NEW 1"])])])
    )
    #expect(try store.rows("Car").count == 126)
    #expect(try store.integers("SELECT Z_ENT FROM ZCAR WHERE Z_PK = 126") == [3])
  }
}
