// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Names of indexes that SQL cannot read as they are, or that SQLite takes for the same")
struct SchemaIndexTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func entity(_ name: String = "A", indexes: [FetchIndexDescription] = [])
    -> EntityDescription
  {
    var entity = EntityDescription(
      name,
      properties: [
        .attribute("x", .int64, optional: true), .attribute("y", .int64, optional: true),
      ]
    )
    entity.indexes = indexes
    return entity
  }

  private func open(_ entities: EntityDescription...) throws -> SQLiteStore {
    try SQLiteStore(url: folder.file(), model: ManagedObjectModel(entities: entities).layout)
  }

  private func names(_ store: SQLiteStore) throws -> [String] {
    try store.texts("SELECT name FROM sqlite_master WHERE type = 'index' ORDER BY rowid")
  }

  @Test(
    arguments: [
      "by name-x", "i ON ZA(ZX); CREATE TABLE HACKED(a); --", "a\"b", "a\"\u{301}b", "it's",
      "été$1",
    ]
  )
  func `1A.13 any name is a name`(_ name: String) throws {
    let description = entity(indexes: [.init(name, elements: [.init("x")])])
    for _ in 1...2 {
      let store = try open(description)
      #expect(try names(store) == ["Z_A_\(name)"])
      #expect(try store.texts("SELECT name FROM sqlite_master WHERE name = 'HACKED'") == [])
      #expect(
        try store.texts(
          "SELECT name FROM pragma_index_info('Z_A_' || '\(name.replacing("'", with: "''"))')"
        )
          == ["ZX"]
      )
    }
    // The index is taken away and made again when many rows come at once.
    let store = try open(description)
    let rows = (1...2_500).map { Row(Int64($0), ["x": .value(.integer(Int64($0)))]) }
    try store.save(store.model.insertion([("A", rows)]))
    #expect(try names(store) == ["Z_A_\(name)"])
    #expect(try store.texts("PRAGMA integrity_check") == ["ok"])
  }

  @Test func `1A.13 plain names have no quotes, others have them`() throws {
    func index(_ name: String, _ kind: TableIndex.Kind = .relationship) -> SchemaIndex {
      SchemaIndex(TableIndex(kind, name, on: "ZA", [.init("ZX")]))
    }
    #expect(index("Z_A_byX").sql == "CREATE INDEX Z_A_byX ON ZA (ZX)")
    let odd = index("Z_A_a \"b", .uniqueness)
    #expect(odd.sql == "CREATE UNIQUE INDEX \"Z_A_a \"\"b\" ON ZA (ZX COLLATE BINARY ASC)")
    #expect(index("Z_A_b ON ZB (ZY)").target == "ZA (ZX)")
    #expect(SchemaIndex.target(ofStatement: "CREATE INDEX \"i\" ON \"ZA\" (ZX ASC)") == "ZA (ZX)")
  }

  @Test func `1A.13 names that differ in case only get numbers`() throws {
    let description = entity(indexes: [
      .init("byX", elements: [.init("x")]), .init("byx", elements: [.init("y")]),
      .init("BYX", elements: [.init("x"), .init("y")]),
    ])
    for _ in 1...2 {
      #expect(try names(open(description)) == ["Z_A_byX", "Z_A_byx1", "Z_A_BYX2"])
    }
  }

  @Test func `1A.13 an attribute that is indexed twice under one name has one index`() throws {
    let description = entity(indexes: [
      .init("x", elements: [.init("x")]), .init("x", elements: [.init("x")]),
    ])
    #expect(try names(open(description)) == ["Z_A_x"])
  }

  @Test func `1A.13 names that two entities and two constraints make the same get numbers`() throws
  {
    var first = entity("A", indexes: [.init("b_c", elements: [.init("x")])])
    first.properties.append(.attribute("x_y", .int64, optional: true))
    first.uniquenessConstraints = [["x", "y"], ["x_y"]]
    let second = entity("A_b", indexes: [.init("c", elements: [.init("y")])])
    #expect(
      try names(open(first, second))
        == ["Z_A_b_c", "Z_A_b_c1", "Z_A_UNIQUE_x_y", "Z_A_UNIQUE_x_y1"]
    )
  }

  @Test func `1A.13 an index that the model has gained does not fall away for its name`() throws {
    _ = try open(entity(indexes: [.init("by", elements: [.init("x")])]))
    let other = entity(indexes: [.init("BY", elements: [.init("y")])])
    for _ in 1...2 { #expect(try names(open(other)) == ["Z_A_by", "Z_A_BY1"]) }
  }
}
