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

@Suite("Stores with a schema that somebody has armed")
struct HostileSchemaTests {
  private let folder: TemporaryFolder
  private let model: ModelLayout

  init() throws {
    folder = try TemporaryFolder()
    model = try TestModels.blog()
    let store = try SQLiteStore(url: folder.file(), model: model)
    try store.save(model.insertion([("Post", [Row(1, ["slug": "a"]), Row(2, ["slug": "b"])])]))
  }

  private func open(readOnly isReadOnly: Bool = false) throws -> SQLiteStore {
    try SQLiteStore(url: folder.file(), model: model, isReadOnly: isReadOnly)
  }

  /// Changes the file as its author can, with everything allowed.
  private func change(_ sql: String) throws {
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .seconds(5)
    )
    SQLiteLibrary.allowNoJournal(connection.handle)
    SQLiteLibrary.trustSchema(connection.handle)
    try connection.execute("PRAGMA writable_schema = ON; \(sql)")
  }

  private static let endless =
    "(WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT MAX(x) FROM c)"

  @Test(arguments: [
    "CREATE TRIGGER e AFTER INSERT ON ZPOST BEGIN DELETE FROM ZAUTHOR; END",
    "CREATE TRIGGER e BEFORE UPDATE ON ZPOST BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER e AFTER INSERT ON Z_PRIMARYKEY BEGIN SELECT 1; END",
    "CREATE TRIGGER Z_DA_e AFTER INSERT ON ZPOST BEGIN SELECT \(endless); END",
    "CREATE TRIGGER Z_DA_e AFTER INSERT ON ZPOST BEGIN SELECT RAISE(IGNORE); END",
    "CREATE TRIGGER Z_DA_e AFTER INSERT ON ZPOST BEGIN DELETE FROM ZAUTHOR; END",
    "CREATE TRIGGER Z_DA_e AFTER INSERT ON ZPOST BEGIN SELECT \"hex\"(zeroblob(9)); END",
    "CREATE TRIGGER Z_DA_e AFTER INSERT ON ZPOST BEGIN SELECT hex/**/(zeroblob/**/(9)); END",
    "CREATE TRIGGER Z_DA_e AFTER INSERT ON ZPOST BEGIN "
      + "UPDATE ZPOST SET ZSCORE = (SELECT COUNT(a.Z_PK) FROM ZPOST a, ZPOST b); END",
    "CREATE TRIGGER ZPOST_ZSLUG_FTS_INSERT AFTER INSERT ON ZPOST BEGIN DELETE FROM ZAUTHOR; END",
    "CREATE INDEX e ON ZPOST (hex(ZSLUG))",
    "CREATE INDEX e ON ZPOST (ZSLUG) WHERE [replace](ZSLUG, 'a', 'b') > ''",
  ])
  func `code of somebody else keeps a store from being written, not from being read`(
    _ sql: String
  ) throws {
    try change(sql)
    let before = try Data(contentsOf: folder.file())
    let error = #expect(throws: PerennialError.self) { _ = try open() }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("code of another program") == true)
    #expect(error?.recovery.contains("isReadOnly") == true)
    #expect(try Data(contentsOf: folder.file()) == before)
    #expect(try open(readOnly: true).rows("Post").count == 2)
  }

  @Test
  func `an R-tree index of Core Data's keeps a store from being written, not from being read`()
    throws
  {
    try change("CREATE VIRTUAL TABLE Z_RT_Post_geo USING rtree(Z_PK, ZX_MIN, ZX_MAX)")
    let error = #expect(throws: PerennialError.self) { _ = try open() }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("the R-tree index 'Z_RT_Post_geo'") == true)
    #expect(error?.recovery == "open it with 'isReadOnly'")
    #expect(try open(readOnly: true).rows("Post").count == 2)
  }

  @Test(arguments: [
    "CHECK (length(hex(zeroblob(400000000))) > 1)", "EXTRA DEFAULT (randomblob(900000000))",
    "CHECK (load_extension('x') > 1)", "CHECK (1 /* ) */ < hex /* ( */ (zeroblob(9)))",
  ])
  func `so does what a table would compute with every row`(_ part: String) throws {
    let text = part.replacing("'", with: "''")
    try change(
      "UPDATE sqlite_master SET sql = replace(sql, ' )', ', \(text) )') WHERE name = 'ZPOST'"
    )
    let error = #expect(throws: PerennialError.self) { _ = try open() }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("the table 'ZPOST'") == true, "\(error?.message ?? "")")
  }

  @Test(arguments: [
    "ALTER TABLE ZPOST RENAME TO OLD; CREATE VIEW ZPOST AS SELECT * FROM OLD",
    "DROP TABLE ZPOST; CREATE VIRTUAL TABLE ZPOST USING fts5(ZSLUG, ZSCORE, ZAUTHOR)",
    "UPDATE sqlite_master SET sql = replace(sql, 'ZSCORE INTEGER', "
      + "'ZSCORE INTEGER GENERATED ALWAYS AS (1)') WHERE name = 'ZPOST'",
    "ALTER TABLE Z_METADATA RENAME TO OLD; CREATE VIEW Z_METADATA AS SELECT * FROM OLD",
    "ALTER TABLE Z_PRIMARYKEY RENAME TO OLD; CREATE VIEW Z_PRIMARYKEY AS "
      + "SELECT * FROM OLD WHERE Z_MAX < \(endless)",
    "DROP TABLE Z_METADATA; CREATE VIRTUAL TABLE Z_METADATA USING fts5(Z_UUID, Z_PLIST, Z_VERSION)",
  ])
  func `what is no table, or has no columns of its own, is none of a store's`(
    _ sql: String
  ) throws {
    try change(sql)
    for isReadOnly in [false, true] {
      #expect(code { _ = try open(readOnly: isReadOnly) } == .persistentStoreOpen)
    }
  }

  @Test(arguments: [
    "CREATE VIEW LOOK AS SELECT * FROM ZPOST", "CREATE TABLE OTHER (a DEFAULT (hex(1)))",
    "CREATE INDEX MINE ON ZPOST (ZSCORE DESC) WHERE ZSCORE IN (1, 2) OR (ZSLUG IS NOT NULL)",
    "CREATE INDEX MINE ON ZPOST (lower(ZSLUG))", "ANALYZE",
    "ALTER TABLE ZPOST ADD COLUMN ZMINE VARCHAR(20) DEFAULT 'x (1)'",
  ])
  func `what people add to a store without harm is left to them`(_ sql: String) throws {
    try change(sql)
    let store = try open()
    try store.save(model.insertion([("Post", [Row(3, ["slug": "c"])])]))
    #expect(try store.rows("Post").count == 3)
  }

  // MARK: Connections

  @Test(arguments: [SQLiteConnection.Access.create, .write, .read, .immutable, .spectator])
  func `every connection is on its guard`(_ access: SQLiteConnection.Access) throws {
    let connection = try SQLiteConnection(
      path: folder.file().path(percentEncoded: false),
      access: access,
      busyTimeout: .zero
    )
    #expect(try connection.integers("PRAGMA trusted_schema") == [0])
    #expect(try connection.integers("PRAGMA cell_size_check") == [1])
    #expect(try connection.integers("PRAGMA mmap_size") == [0])
    #expect(try connection.integers("SELECT fts3_tokenizer('simple') IS NULL") == [1])
    for statement in [
      "SELECT \"text\"", "SELECT load_extension('x')",
      "SELECT fts3_tokenizer('x', x'4141414141414141')", "SELECT zeroblob(536870913)",
      "ATTACH ':memory:' AS a; ATTACH ':memory:' AS b",
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET rootpage = 1",
      "SELECT 1 /*\(String(repeating: " ", count: 16 << 20))*/",
    ] {
      #expect(throws: SQLiteFailure.self, "\(statement.prefix(60))") {
        try connection.execute(statement)
      }
    }
  }

  @Test func `a schema cannot call what is not safe, nor our functions`() throws {
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .zero
    )
    for (name, call) in [("v1", "pn_equal('a', 'a', 0)"), ("v2", "fts3_tokenizer('simple')")] {
      #expect(throws: SQLiteFailure.self) {
        try connection.execute("CREATE VIEW \(name) AS SELECT \(call); SELECT * FROM \(name)")
      }
    }
    #expect(throws: SQLiteFailure.self) {
      try connection.execute(
        "CREATE TABLE t (a CHECK (pn_length(a, a, 0) > 1)); INSERT INTO t VALUES (1)"
      )
    }
  }

  // MARK: Rows

  @Test(arguments: [0, -1, -7, 1 << 47, 1 << 48 + 1, .max, .min] as [Int64])
  func `a row with a key that no object can have is an error, not another object`(
    _ key: Int64
  ) throws {
    try change("UPDATE ZPOST SET Z_PK = \(key) WHERE Z_PK = 2")
    let store = try open()
    #expect(code { _ = try store.rows("Post") } == .sqlite)
    let posts = StoreQuery(entity: model.index("Post"))
    #expect(code { _ = try store.fetchReferences(posts) } == .sqlite)
    #expect(try store.row("Post", 1) != nil)
  }

  @Test(arguments: [-1, -7, 1 << 47, 1 << 48 + 1, .max, .min] as [Int64])
  func `a relationship that leads to such a key is an error, not another object`(
    _ key: Int64
  ) throws {
    try change("UPDATE ZPOST SET ZAUTHOR = \(key) WHERE Z_PK = 2")
    let store = try open()
    #expect(code { _ = try store.rows("Post") } == .sqlite)
    #expect(try store.row("Post", 1) != nil)
    var request = ProjectionRequest()
    request.properties = ["author"]
    let posts = StoreQuery(entity: model.index("Post"))
    let query = try ProjectionPlanner.plan(request, of: posts, in: model)
    #expect(code { _ = try store.fetchValues(query) } == .sqlite)
  }

  @Test(arguments: [.max, .max - 1, 1 << 47 - 1, 1 << 62] as [Int64])
  func `counters without keys to give are an error, and nothing is written`(_ count: Int64) throws {
    try change("UPDATE Z_PRIMARYKEY SET Z_MAX = \(count)")
    let store = try open()
    let error = #expect(throws: PerennialError.self) {
      _ = try store.reserveKeys(root: model.index("Post"), count: 1)
    }
    #expect(error?.message.contains("no keys left") == true)
    #expect(try store.integers("SELECT MAX(Z_MAX) FROM Z_PRIMARYKEY") == [count])
  }

  @Test func `the last key can be given`() throws {
    try change("UPDATE Z_PRIMARYKEY SET Z_MAX = \((1 << 47) - 2)")
    #expect(try open().reserveKeys(root: model.index("Post"), count: 1) == (1 << 47) - 1)
  }

  @Test func `a history without numbers to give is an error of the save`() throws {
    do {
      _ = try SQLiteStore(url: folder.file(), model: model, history: HistoryOptions(isOn: true))
    }
    try change("UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_ENT > 16000")
    let store = try open()
    let changes = model.insertion([("Post", [Row(3, ["slug": "c"])])])
    #expect(code { try store.save(changes) } == .sqlite)
    #expect(try store.rows("Post").count == 2)
  }

  @Test(arguments: [
    "UPDATE Z_PRIMARYKEY SET Z_MAX = \(Int64.max) WHERE Z_ENT > 16000",
    "INSERT INTO ATRANSACTION (Z_PK) VALUES (\(Int64.min))",
    "INSERT INTO ATRANSACTION (Z_PK) VALUES (-1)",
    "INSERT INTO ATRANSACTION (Z_PK) VALUES (\(Int64.max))",
  ])
  func `a history with numbers that nobody gives is an error for those who ask`(
    _ sql: String
  ) throws {
    func openWithHistory() throws -> SQLiteStore {
      try SQLiteStore(url: folder.file(), model: model, history: HistoryOptions(isOn: true))
    }
    do {
      _ = try openWithHistory()
    }
    try change(sql)
    let store = try openWithHistory()
    let token = PersistentHistoryToken(storeID: store.identifier, transactionNumber: 0)
    #expect(code { _ = try store.historyToken() } == .sqlite)
    #expect(code { _ = try store.checkedHistory(HistoryQuery(after: .token(token))) } == .sqlite)
    #expect(try store.rows("Post").count == 2)
  }

  @Test func `what a history covers is told of any numbers`() {
    #expect(HistoryExtent(first: .min, last: 5).covers(.min))
    #expect(HistoryExtent(first: .max, last: .max).covers(.max - 1))
    #expect(!HistoryExtent(first: 3, last: 5).covers(1))
  }
}
