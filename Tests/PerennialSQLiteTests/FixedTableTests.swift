// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Stores that another program, or a hand, has changed.
@Suite("Tables that every store has, damaged")
struct FixedTableTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    let store = try open()
    try store.save(store.model.insertion([("Post", [Row(1, ["slug": "a"])])]))
  }

  private func open() throws -> SQLiteStore {
    try SQLiteStore(url: folder.file(), model: TestModels.blog())
  }

  private func change(_ sql: String) throws {
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .zero
    )
    try connection.execute(sql)
  }

  private func problem(_ body: () throws -> Void) -> String? {
    let error = #expect(throws: PerennialError.self) { try body() }
    #expect(error?.code == .persistentStoreOpen)
    return error?.message
  }

  @Test func `an entity without its row is named`() throws {
    try change("DELETE FROM Z_PRIMARYKEY WHERE Z_NAME = 'Post'")
    let message = problem { _ = try open() }
    #expect(message?.contains("no row of 'Post' in 'Z_PRIMARYKEY'") == true)
  }

  @Test(arguments: ["Z_NAME", "Z_SUPER", "Z_MAX"])
  func `a missing column of the entities' table is named`(_ column: String) throws {
    try change("ALTER TABLE Z_PRIMARYKEY DROP COLUMN \(column)")
    #expect(problem { _ = try open() }?.contains("'Z_PRIMARYKEY.\(column)'") == true)
    #expect(
      problem { _ = try SQLiteInspector.inspect(folder.file()) }?
        .contains("'Z_PRIMARYKEY.\(column)'") == true
    )
  }

  @Test(arguments: ["Z_UUID", "Z_PLIST"])
  func `a missing column of the metadata is named`(_ column: String) throws {
    try change("ALTER TABLE Z_METADATA DROP COLUMN \(column)")
    let place = "'Z_METADATA' has no column '\(column)'"
    #expect(problem { _ = try open() }?.contains(place) == true)
    let files = SQLiteFiles(busyTimeout: .zero)
    #expect(problem { _ = try files.metadata(at: folder.file()) }?.contains(place) == true)
    #expect(try SQLiteInspector.inspect(folder.file()).metadata == nil)
  }

  @Test func `a table of another program that is called Z_MODELCACHE is no copy of the model`()
    throws
  {
    try change("CREATE TABLE Z_MODELCACHE (X); INSERT INTO Z_MODELCACHE VALUES (1)")
    #expect(try open().rows("Post").count == 1)
    #expect(try !SQLiteInspector.inspect(folder.file()).hasModelCache)
    #expect(problem { _ = try CachedModel(of: folder.file()) }?.contains("no copy") == true)
  }

  @Test func `a copy of the model does not outweigh what the store's own model tells`() throws {
    func model(_ derivation: String) throws -> ModelLayout {
      try ManagedObjectModel(
        EntityDescription(
          "Book",
          properties: [
            .attribute("title", .string),
            .attribute("key", .string, optional: true, derived: derivation),
          ]
        )
      ).layout
    }
    let url = folder.file("Derived.sqlite")
    _ = try SQLiteStore(url: url, model: model("title"))
    let connection = try SQLiteConnection(path: url.path, access: .write, busyTimeout: .zero)
    try connection.execute(
      "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB); INSERT INTO Z_MODELCACHE VALUES (x'00')"
    )
    let error = #expect(throws: PerennialError.self) {
      _ = try SQLiteStore(url: url, model: model("lowercase:(title)"))
    }
    #expect(error?.code == .incompatibleVersionHash)
    _ = try SQLiteStore(url: url, model: model("title"))
  }

  @Test func `a history without its rows in Z_PRIMARYKEY goes on`() throws {
    let on = HistoryOptions(isOn: true)
    func open() throws -> SQLiteStore {
      try SQLiteStore(url: folder.file(), model: TestModels.blog(), history: on)
    }
    func save(_ key: Int64) throws -> [Int64] {
      let store = try open()
      var changes = store.model.insertion([
        ("Post", [Row(key, ["slug": .init(stringLiteral: "\(key)")])])
      ])
      changes.author = .init(name: "me")
      try store.save(changes)
      return try store.history(HistoryQuery()).map(\.transactionNumber)
    }
    #expect(try save(2) == [1])
    try change("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT > 16000")
    #expect(try save(3) == [1, 2])
    #expect(try save(4) == [1, 2, 3])
    #expect(
      try open().texts(
        "SELECT Z_ENT || Z_NAME || Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT < 16003 AND Z_ENT > 16000"
      )
        == ["16001CHANGE3", "16002TRANSACTION3"]
    )
  }

  @Test(.timeLimit(.minutes(10)))
  func `entities one above the other without end, or in a circle, are told`() throws {
    try change(
      """
      WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 50000)
      INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)
      SELECT -x, 'E' || x, -x - 1, 0 FROM c;
      UPDATE Z_PRIMARYKEY SET Z_SUPER = -50000 WHERE Z_NAME = 'Author';
      INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX)
      VALUES (10, 'A', 11, 0), (11, 'B', 10, 0);
      CREATE TABLE ZE50000 (Z_ENT); INSERT INTO ZE50000 VALUES (-1), (-2), (-2)
      """
    )
    let entities = try SQLiteInspector.inspect(folder.file()).entities
    #expect(entities.count == 50_004)
    let counts = Dictionary(entities.map { ($0.name, $0.rowCount) }) { $1 }
    #expect(["E1", "E2", "E50000", "Post", "A", "B"].map { counts[$0] } == [1, 2, 0, 1, 0, 0])
    #expect(entities.first { $0.name == "Author" }?.table == "ZE50000")
  }

  @Test func `an index in an order that only another program knows is told, with the rest`() throws
  {
    try change("CREATE INDEX theirs ON ZPOST (ZSLUG COLLATE NOCASE)")
    var bytes = try Data(contentsOf: folder.file())
    let name = try #require(bytes.range(of: Data("COLLATE NOCASE".utf8)))
    bytes.replaceSubrange(name, with: Data("COLLATE THEIRS".utf8))
    try bytes.write(to: folder.file())
    let inspection = try SQLiteInspector.inspect(folder.file())
    #expect(inspection.tables.first { $0.name == "ZPOST" }?.rowCount == 1)
    #expect(inspection.entities.map(\.rowCount) == [0, 1])
    #expect(inspection.problems.count == 1)
    #expect(inspection.problems.first?.contains("THEIRS") == true)
  }
}
