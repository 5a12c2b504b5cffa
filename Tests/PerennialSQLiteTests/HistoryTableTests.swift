// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("SEMANTICS 1H.4: the tables of the history (FORMAT 2.10)")
struct HistoryTableTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(isOn: Bool = true) throws -> SQLiteStore {
    try SQLiteStore(
      url: folder.file(),
      model: TestModels.blog(),
      history: HistoryOptions(isOn: isOn)
    )
  }

  @Test func `1H.4 the tables are word for word those of Core Data`() throws {
    let store = try open()
    let condition = "name LIKE 'ACHANGE%' OR name LIKE 'ATRANS%' OR name LIKE 'Z_TRANS%'"
    #expect(
      Set(try store.texts("SELECT sql FROM sqlite_master WHERE \(condition)")) == [
        """
        CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
        ZCOLUMNS BLOB )
        """,
        """
        CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER, ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, \
        ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
        ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
        """,
        """
        CREATE TABLE ATRANSACTIONSTRING ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
        ZNAME VARCHAR )
        """,
        "CREATE INDEX ACHANGE_ZTRANSACTIONID_INDEX ON ACHANGE (ZTRANSACTIONID)",
        "CREATE INDEX ATRANSACTION_ZAUTHORTS_INDEX ON ATRANSACTION (ZAUTHORTS)",
        "CREATE INDEX ATRANSACTION_ZBUNDLEIDTS_INDEX ON ATRANSACTION (ZBUNDLEIDTS)",
        "CREATE INDEX ATRANSACTION_ZCONTEXTNAMETS_INDEX ON ATRANSACTION (ZCONTEXTNAMETS)",
        "CREATE INDEX ATRANSACTION_ZPROCESSIDTS_INDEX ON ATRANSACTION (ZPROCESSIDTS)",
        """
        CREATE INDEX Z_TRANSACTION_TransactionAuthorIndex ON ATRANSACTION \
        (ZAUTHOR COLLATE BINARY ASC)
        """,
        """
        CREATE INDEX Z_TRANSACTION_TransactionTimestampIndex ON ATRANSACTION \
        (ZTIMESTAMP COLLATE BINARY ASC)
        """,
        """
        CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING \
        (ZNAME COLLATE BINARY ASC)
        """,
      ]
    )
    #expect(
      try store.texts("SELECT Z_ENT || Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT > 16000") == [
        "16001CHANGE", "16002TRANSACTION", "16003TRANSACTIONSTRING",
      ]
    )
  }

  @Test func `1H.4 rows have the numbers of Core Data, and the counters go on`() throws {
    let store = try open()
    let rows = (1...10).map { Row(Int64($0), ["slug": .init(stringLiteral: "\($0)")]) }
    var changes = store.model.insertion([("Post", rows)])
    changes.author = .init(name: "me")
    try store.save(changes)
    changes = store.model.insertion([("Author", [Row(1, ["first": "Ada"])])])
    changes.author = .init(name: "me")
    try store.save(changes)
    let post = try store.integers("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Post'")
    let query = "SELECT DISTINCT ZENTITY FROM ACHANGE WHERE ZTRANSACTIONID = 1"
    #expect(try store.integers(query) == post)
    #expect(
      try store.integers("SELECT ZENTITYPK FROM ACHANGE ORDER BY Z_PK") == Array(1...10) + [1]
    )
    #expect(try store.integers("SELECT Z_PK FROM ACHANGE ORDER BY Z_PK") == Array(1...11))
    let counters = "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT > 16000 ORDER BY Z_ENT"
    let names = try store.integers("SELECT COUNT(*) FROM ATRANSACTIONSTRING")
    #expect(try store.integers(counters) == [11, 2] + names)
    #expect(try store.texts("SELECT ZAUTHOR FROM ATRANSACTION WHERE ZAUTHOR NOT NULL") == [])
    #expect(try store.history(HistoryQuery()).map(\.author) == ["me", "me"])
  }

  @Test func `1H.4 a set that grows after it was written adds what is new only`() throws {
    let store = try open()
    let row = Row(1, ["slug": "a"])
    let changes = store.model.insertion([("Post", [row])])
    try store.save(changes)
    var again = store.model.insertion([("Post", [row, Row(2, ["slug": "b"])])])
    again.identifier = changes.identifier
    try store.save(again)
    let history = try store.history(HistoryQuery())
    #expect(history.map { $0.changes.map(\.changedObjectID.key) } == [[1], [2]])
  }

  @Test func `1H.4 replaced values are kept from the moment when another process asks for it`()
    throws
  {
    let store = try open()
    try store.save(store.model.insertion([("Post", [Row(1, ["slug": "a"])])]))
    _ = try SQLiteStore(
      url: folder.file(),
      model: TestModels.blog(),
      history: HistoryOptions(isOn: true, keepsOldValues: true)
    )
    var changes = ChangeSet()
    changes.updates = [store.model.update("Post", ["slug"], [Row(1, version: 2, ["slug": "b"])])]
    try store.save(changes)
    let change = try #require(try store.history(HistoryQuery()).last?.changes.first)
    #expect(change.oldValues["slug"] == .string("a"))
  }

  @Test func `1H.4 a batch statement that is not committed leaves no own number`() throws {
    let store = try open()
    try store.save(store.model.insertion([("Post", [Row(1, ["slug": "a"])])]))
    // A key that leads nowhere is found when the transaction ends.
    try store.write { connection throws(SQLiteFailure) in
      try connection.execute(
        """
        PRAGMA foreign_keys = ON;
        CREATE TABLE HELD (ID INTEGER PRIMARY KEY);
        CREATE TABLE HOLDER (ID REFERENCES HELD DEFERRABLE INITIALLY DEFERRED);
        CREATE TRIGGER HOLDS AFTER DELETE ON ZPOST BEGIN INSERT INTO HOLDER VALUES (old.Z_PK); END
        """
      )
    }
    store.noteOwnTransactions()
    let query = StoreQuery(entity: store.model.index("Post"))
    let deletion = BatchStatement(query: query, action: .delete)
    #expect(throws: PerennialError.self) { try store.execute(deletion) }
    #expect(try store.rows("Post").count == 1)
    #expect(!store.isOwn(transaction: 2))
    try store.write { connection throws(SQLiteFailure) in
      try connection.execute("DROP TRIGGER HOLDS")
    }
    #expect(try store.execute(deletion)?.count == 1)
    #expect(try store.history(HistoryQuery()).map(\.transactionNumber) == [1, 2])
    #expect(store.isOwn(transaction: 2))
  }

  @Test func `1H.4 an older history, without a table of names, goes on`() throws {
    _ = try open(isOn: false)
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .seconds(1)
    )
    for statement in [
      """
      CREATE TABLE ACHANGE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZCHANGETYPE INTEGER, ZENTITY INTEGER, ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, \
      ZCOLUMNS BLOB )
      """,
      """
      CREATE TABLE ATRANSACTION ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, \
      ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR, \
      ZPROCESSID VARCHAR, ZQUERYGEN BLOB )
      """,
      "INSERT INTO Z_PRIMARYKEY VALUES (16001, 'CHANGE', 0, 5), (16002, 'TRANSACTION', 0, 4)",
      "INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZTIMESTAMP, ZAUTHOR) VALUES (4, 16002, 7.5, 'old')",
      "INSERT INTO ACHANGE VALUES (5, 16001, NULL, 0, 1, 3, 4, NULL)",
    ] { try connection.execute(statement) }
    let store = try open(isOn: false)
    var changes = store.model.insertion([("Post", [Row(9, ["slug": "a"])])])
    changes.author = .init(name: "new")
    try store.save(changes)
    let history = try store.history(HistoryQuery())
    #expect(history.map(\.transactionNumber) == [4, 5])
    #expect(history.map(\.author) == ["old", "new"])
    #expect(history[0].timestamp == Date(timeIntervalSinceReferenceDate: 7.5))
    #expect(history.map { $0.changes.map(\.changeID) } == [[5], [6]])
  }

  @Test func `1H.4 a row that a damaged file gives to another entity has no old values`() throws {
    let store = try SQLiteStore(
      url: folder.file("Family.sqlite"),
      model: TestModels.family(),
      history: HistoryOptions(isOn: true, keepsOldValues: true)
    )
    let model = store.model
    try store.save(model.insertion([("Cat", [Row(1, ["lives": 9]), Row(2, ["lives": 9])])]))
    let dog = try #require(store.texts("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = 'Dog'").first)
    try store.write { connection throws(SQLiteFailure) in
      try connection.execute("UPDATE ZANIMAL SET Z_ENT = \(dog) WHERE Z_PK = 1")
    }
    var changes = ChangeSet()
    changes.updates = [
      model.update(
        "Cat",
        ["lives"],
        [Row(1, version: 2, ["lives": 8]), Row(2, version: 2, ["lives": 8])]
      )
    ]
    try store.save(changes)
    let last = try #require(try store.history(HistoryQuery()).last)
    let values = Dictionary(
      uniqueKeysWithValues: last.changes.map { ($0.changedObjectID.key, $0.oldValues) }
    )
    #expect(values[1]?.isEmpty == true)
    #expect(values[2]?["lives"] == .integer(9))
  }
}
