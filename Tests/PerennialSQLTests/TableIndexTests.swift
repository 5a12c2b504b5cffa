// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPostgres
import PerennialSQL
import PerennialStore
import Testing

@testable import PerennialSQLite

@Suite("Indexes and metadata that all engines have")
struct TableIndexTests {
  private func schema(
    _ dialect: any SQLDialect = PostgresDialect(),
    _ entities: EntityDescription...
  ) throws -> StoreSchema {
    DialectModel.schema(of: try ManagedObjectModel(entities: entities).layout, dialect)
  }

  private func person(_ indexes: FetchIndexDescription...) -> EntityDescription {
    var entity = EntityDescription(
      "Person",
      uniqueness: [["name", "age"]],
      properties: [
        .attribute("name", .string, optional: true), .attribute("age", .int64, optional: true),
        .toOne("boss", "Person", inverse: "reports"),
        .toMany("reports", "Person", inverse: "boss"),
        .toMany("tags", "Tag", inverse: "people"),
      ]
    )
    entity.indexes = indexes
    return entity
  }

  private let tag = EntityDescription(
    "Tag",
    properties: [.toMany("people", "Person", inverse: "tags")]
  )

  @Test func `names, columns, directions and conditions`() throws {
    let byAge = FetchIndexDescription(
      "byAge",
      elements: [.init("age", isAscending: false), .init("name")],
      partialIndexPredicate: #"age > 17 AND name != "it's""#
    )
    let schema = try schema(PostgresDialect(), person(byAge), tag)
    let join = schema.joinTables[0]
    #expect(
      TableIndexes(schema).all == [
        TableIndex(.relationship, "zperson_zboss_index", on: "zperson", [.init("zboss")]),
        TableIndex(
          .relationship,
          "\(join.table)_\(join.first.other)_index",
          on: join.table,
          [.init(join.first.other), .init(join.first.own)]
        ),
        TableIndex(
          .fetch,
          "z_person_byage",
          on: "zperson",
          [.init("zage", isAscending: false), .init("zname")],
          condition: "(zperson.zage > 17 AND zperson.zname IS DISTINCT FROM 'it''s')"
        ),
        TableIndex(
          .uniqueness,
          "z_person_unique_name_age",
          on: "zperson",
          [.init("zname"), .init("zage")]
        ),
      ]
    )
    #expect(
      SchemaSQL(try self.schema(SQLiteDialect(), person(byAge), tag)).fetchIndexes.map(\.sql) == [
        "CREATE INDEX Z_Person_byAge ON ZPERSON (ZAGE COLLATE BINARY DESC, ZNAME COLLATE BINARY ASC) "
          + "WHERE (ZPERSON.ZAGE > 17 AND ZPERSON.ZNAME IS NOT 'it''s')"
      ]
    )
  }

  @Test func `a condition that needs what an index may not have is left out`() throws {
    for text in ["name CONTAINS[c] 'a'", "boss.age > 1", "reports.@count > 1"] {
      let index = FetchIndexDescription(
        "byAge",
        elements: [.init("age")],
        partialIndexPredicate: text
      )
      for dialect in [SQLiteDialect(), PostgresDialect()] as [any SQLDialect] {
        let indexes = TableIndexes(try schema(dialect, person(index), tag)).fetches
        #expect(indexes.map(\.condition) == [nil], "\(text)")
      }
    }
  }

  @Test(
    arguments: [
      ("name == 'it''s'".replacing("''", with: "\\'"), "ZTHING.ZNAME IS 'it''s'"),
      ("name == 'what?'", "ZTHING.ZNAME IS 'what?'"), ("name == nil", "ZTHING.ZNAME IS NULL"),
      ("score > -0.5", "ZTHING.ZSCORE > -0.5"), ("score == 2", "ZTHING.ZSCORE IS 2"),
      ("score < CAST('inf', 'NSNumber')", nil), ("name == 'a\\x00'", nil),
      ("photo == CAST('AQ==', 'NSData')", nil),
    ] as [(String, String?)]
  )
  func `values of a condition are written into it, or it is left out`(
    _ predicate: String,
    _ condition: String?
  ) throws {
    var thing = EntityDescription(
      "Thing",
      properties: [
        .attribute("name", .string, optional: true), .attribute("score", .double, optional: true),
        .attribute("photo", .binaryData, optional: true),
      ]
    )
    thing.indexes = [
      FetchIndexDescription(
        "byName",
        elements: [.init("name")],
        partialIndexPredicate: predicate
      )
    ]
    let indexes = TableIndexes(try schema(SQLiteDialect(), thing)).fetches
    #expect(indexes.map(\.condition) == [condition])
  }

  @Test func `an index of a subentity takes the place of one of the same name`() throws {
    func entity(_ name: String, parent: String?, index column: String?) -> EntityDescription {
      var entity = EntityDescription(
        name,
        parent: parent,
        properties: parent == nil
          ? [.attribute("a", .int64, optional: true), .attribute("b", .int64, optional: true)] : []
      )
      if let column {
        entity.indexes = [FetchIndexDescription("by", elements: [.init(column)])]
      }
      return entity
    }
    let schema = try schema(
      SQLiteDialect(),
      entity("Top", parent: nil, index: "a"),
      entity("Middle", parent: "Top", index: "b"),
      entity("Bottom", parent: "Middle", index: nil),
      entity("Other", parent: "Top", index: nil)
    )
    let indexes = TableIndexes(schema).fetches.map { [$0.name] + $0.columns.map(\.name) }
    #expect(
      Set(indexes) == [
        ["Z_Top_by", "ZA"], ["Z_Other_by", "ZA"], ["Z_Middle_by", "ZB"], ["Z_Bottom_by", "ZB"],
      ]
    )
  }

  @Test func `names that a server cuts off stay different`() throws {
    let long = String(repeating: "long", count: 20)
    let indexes = ["a", "b", "A"].map {
      FetchIndexDescription(long + $0, elements: [.init("age")])
    }
    let schema = try schema(
      PostgresDialect(),
      person(indexes[0], indexes[1], indexes[2]),
      tag
    )
    let names = TableIndexes(schema).all.map(\.name)
    #expect(names.allSatisfy { $0.utf8.count <= 63 })
    #expect(Set(names).count == names.count)
    // The first and the third differ in case only: they are one index.
    #expect(names.filter { $0.hasPrefix("z_person_long") }.count == 2)
  }

  @Test func `metadata say what kind of store it is`() throws {
    let model = try ManagedObjectModel(person(), tag).layout
    let new = StoreMetadata(identifier: UUID(), model: model, storeType: "PostgreSQL")
    #expect(new.shown.storeType == "PostgreSQL")
    let read = try #require(
      StoreMetadata(identifier: new.identifier.uuidString, propertyList: new.propertyList())
    )
    #expect(read.shown.storeType == "PostgreSQL")
    #expect(read.identifier == new.identifier)
    #expect(read.hashes == model.versionHashes)
    #expect(read.values.isEmpty)
    let list = try PropertyListSerialization.propertyList(from: new.propertyList(), format: nil)
    #expect((list as? [String: Any])?["_NSAutoVacuumLevel"] == nil)
    let sqlite = StoreMetadata(identifier: UUID(), model: model)
    let entries = try PropertyListSerialization.propertyList(
      from: sqlite.propertyList(),
      format: nil
    )
    #expect((entries as? [String: Any])?["_NSAutoVacuumLevel"] as? String == "2")
    #expect(sqlite.shown.storeType == "SQLite")
  }
}
