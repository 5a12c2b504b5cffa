// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// The indexes of migrated SQLite stores, against those of stores that were made with the new model.
@Suite("Indexes of migrated stores")
struct IndexMigrationTests {
  /// Every index with its table and columns, as they are whatever was renamed.
  private func indexes(_ url: URL) throws -> [String] {
    let connection = try SQLiteConnection(
      path: url.path(percentEncoded: false),
      access: .read,
      busyTimeout: .zero
    )
    let statement = try connection.prepare(
      """
      SELECT i.name, i.tbl_name, l."unique", (SELECT group_concat(x.name || x.desc || x.coll) \
      FROM pragma_index_xinfo(i.name) AS x WHERE x.key), i.sql LIKE '% WHERE %' \
      FROM sqlite_master AS i JOIN pragma_index_list(i.tbl_name) AS l ON l.name = i.name \
      WHERE i.type = 'index' AND i.sql IS NOT NULL ORDER BY i.name
      """
    )
    defer { statement.finalize() }
    var lines: [String] = []
    while try statement.step() {
      lines.append((0..<5).map { statement.text($0) }.joined(separator: " "))
    }
    return lines
  }

  @Test(arguments: MigrationCase.all)
  func `a migrated store has the indexes of a new one`(change: MigrationCase) throws {
    let (old, new) = try change.models
    let folder = try TemporaryFolder()
    let (url, other) = (folder.file("Store.sqlite"), folder.file("New.sqlite"))
    func make(_ url: URL, _ model: ManagedObjectModel, _ objects: [StoredObject]) throws {
      try SQLiteStore(url: url, model: model.layout).insert(objects)
    }
    try make(url, old, change.before)
    try make(other, new, change.after)
    try SQLiteFiles(busyTimeout: .zero).migrate(
      url,
      along: MigrationPlan(from: old, to: new).mapping,
      backup: nil,
      MigrationMonitor(nil, stepCount: 1)
    )
    #expect(try indexes(url) == indexes(other))
  }

  @Test func `indexes of tables that the model does not have stay`() throws {
    let old = try ManagedObjectModel(
      EntityDescription("Item", indexes: [["size"]], properties: [.optional("size", .int32)])
    )
    let new = try ManagedObjectModel(
      EntityDescription("Item", properties: [.optional("size", .double)])
    )
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    try SQLiteStore(url: url, model: old.layout).insert([StoredObject("Item", 1, ["size": 1])])
    func connect() throws -> SQLiteConnection {
      try SQLiteConnection(
        path: url.path(percentEncoded: false),
        access: .write,
        busyTimeout: .zero
      )
    }
    try connect().execute(
      """
      CREATE TABLE notes (id INTEGER PRIMARY KEY, key TEXT); \
      CREATE UNIQUE INDEX notes_key ON notes (key)
      """
    )
    try SQLiteFiles(busyTimeout: .zero).migrate(
      url,
      along: MigrationPlan(from: old, to: new).mapping,
      backup: nil,
      MigrationMonitor(nil, stepCount: 1)
    )
    let names = try connect().texts(
      "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    )
    #expect(names == ["notes_key"])
  }

  @Test func `views stay as they were made, whatever becomes of their tables`() throws {
    func item(_ type: AttributeType) -> EntityDescription {
      EntityDescription("Item", properties: [.optional("size", type)])
    }
    let old = try ManagedObjectModel(
      item(.int32),
      EntityDescription("Gone", properties: [.optional("size", .int32)])
    )
    let new = try ManagedObjectModel(item(.double))
    let folder = try TemporaryFolder()
    let url = folder.file("Store.sqlite")
    try SQLiteStore(url: url, model: old.layout).insert([StoredObject("Item", 1, ["size": 1])])
    func connect() throws -> SQLiteConnection {
      try SQLiteConnection(
        path: url.path(percentEncoded: false),
        access: .write,
        busyTimeout: .zero
      )
    }
    try connect().execute(
      """
      CREATE VIEW "all sizes" AS SELECT ZSIZE FROM ZITEM; \
      CREATE VIEW more AS SELECT * FROM "all sizes"; CREATE VIEW gone AS SELECT ZSIZE FROM ZGONE
      """
    )
    let sql = "SELECT sql FROM sqlite_master WHERE type = 'view' ORDER BY name"
    let before = try connect().texts(sql)
    try SQLiteFiles(busyTimeout: .zero).migrate(
      url,
      along: MigrationPlan(from: old, to: new).mapping,
      backup: nil,
      MigrationMonitor(nil, stepCount: 1)
    )
    #expect(before.count == 3)
    #expect(try connect().texts(sql) == before)
    #expect(try connect().texts("SELECT typeof(ZSIZE) FROM more") == ["real"])
  }
}
