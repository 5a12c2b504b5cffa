// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPostgres
import PerennialPredicate
import PerennialSQL
import PerennialStore
import Testing

@testable import PerennialSQLite

@Suite("Statements in two dialects")
struct StatementDialectTests {
  private let models: DialectModel

  init() throws { models = try DialectModel() }

  private func select(
    _ query: StoreQuery,
    _ schema: StoreSchema,
    _ output: SelectOutput = .rows,
    keyCount: Int? = nil
  ) throws -> SelectStatement {
    var translation = QueryTranslation()
    if let node = try query.predicate?.checked() {
      var translator = PredicateTranslator(schema: schema, store: UUID())
      translation.condition = translator.translate(node, entity: query.entity)
    }
    if !query.sorts.isEmpty {
      translation.order = SortTranslator(schema: schema, store: UUID())
        .terms(for: query.sorts, entity: query.entity)
    }
    var builder = SelectBuilder(query, output: output, schema: schema, translation: translation)
    return builder.build(columns: "t0.Z_PK", keyCount: keyCount)
  }

  @Test func `a query with sort and window`() throws {
    var query = StoreQuery(entity: models.entity("Author"))
    query.predicate = try FetchPredicate(parsing: "age > 5 AND name != 'x'")
    query.sorts = [FetchSort("name", ascending: false), FetchSort("age")]
    query.offset = 20
    #expect(
      try select(query, models.sqlite).sql
        == "SELECT t0.Z_PK FROM ZAUTHOR AS t0 WHERE (t0.ZAGE > ? AND t0.ZNAME IS NOT ?) "
        + "ORDER BY t0.ZNAME DESC, t0.ZAGE, t0.Z_PK LIMIT -1 OFFSET 20"
    )
    let postgres = try select(query, models.postgres).sql
    #expect(
      postgres
        == "SELECT t0.Z_PK FROM zauthor AS t0 WHERE (t0.zage > ? AND t0.zname IS DISTINCT FROM ?) "
        + "ORDER BY t0.zname DESC NULLS LAST, t0.zage NULLS FIRST, t0.Z_PK OFFSET 20"
    )
    let finished = PostgresDialect().finished(postgres)
    #expect(finished.contains("t0.zage > $1 AND t0.zname IS DISTINCT FROM $2"))
    #expect(!finished.contains("?"))
    query.limit = 10
    #expect(try select(query, models.postgres).sql.hasSuffix(" LIMIT 10 OFFSET 20"))
    #expect(try select(query, models.sqlite).sql.hasSuffix(" LIMIT 10 OFFSET 20"))
  }

  @Test func `orders of Foundation's are left to memory by PostgreSQL`() throws {
    let sorts = [FetchSort("name", comparison: .localizedStandard)]
    let author = models.entity("Author")
    let sqlite = SortTranslator(schema: models.sqlite, store: UUID())
    let postgres = SortTranslator(schema: models.postgres, store: UUID())
    #expect(
      sqlite.terms(for: sorts, entity: author)
        == ["t0.ZNAME COLLATE PN_LOCALIZED_STANDARD", "t0.Z_PK"]
    )
    #expect(postgres.terms(for: sorts, entity: author) == nil)
  }

  @Test func `keys are one parameter, or as many as are asked for`() throws {
    let query = StoreQuery(entity: models.entity("Author"), scope: .keys([3, 5]))
    let list = try select(query, models.sqlite, .keys)
    #expect(
      list.sql
        == "SELECT t0.Z_PK FROM ZAUTHOR AS t0 WHERE t0.Z_PK IN (SELECT value FROM json_each(?))"
    )
    #expect(list.bindings == [.text("[3,5]")])
    let array = try select(query, models.postgres, .keys)
    #expect(
      array.sql
        == "SELECT t0.Z_PK FROM zauthor AS t0 WHERE t0.Z_PK = ANY (CAST(? AS bigint[]))"
    )
    #expect(array.bindings == [.text("{3,5}")])
    #expect(try select(query, models.sqlite, .keys, keyCount: 2).sql.hasSuffix("t0.Z_PK IN (?, ?)"))
    #expect(
      try select(query, models.postgres, .keys, keyCount: 2).sql.hasSuffix("t0.Z_PK = ANY (?)")
    )
    for schema in [models.sqlite, models.postgres] {
      #expect(try select(query, schema, .keys, keyCount: 1).sql.hasSuffix("t0.Z_PK = ?"))
    }
  }

  @Test func `members of many-to-many relationships, owner by owner`() throws {
    let tags = try #require(
      models.model.entities[models.entity("Post")].toManys.first { $0.name == "tags" }
    )
    let query = StoreQuery(entity: models.entity("Tag"), scope: .related(tags, owner: 0))
    let (table, side) = try #require(models.postgres.joinTable(of: tags))
    #expect(table == table.lowercased() && side.own == side.own.lowercased())
    #expect(
      try select(query, models.postgres, .membersByOwner, keyCount: 16).sql
        == "SELECT t0.Z_PK, j0.\(side.own) FROM \(table) AS j0 JOIN ztag AS t0 "
        + "ON t0.Z_PK = j0.\(side.other) WHERE j0.\(side.own) = ANY (?) ORDER BY j0.\(side.own)"
    )
    let (name, columns) = try #require(models.sqlite.joinTable(of: tags))
    #expect(table == name.lowercased())
    #expect(side.own == columns.own.lowercased())
  }

  @Test func `insertions say what becomes of rows that are there`() {
    let sqlite = SQLiteDialect()
    let postgres = PostgresDialect()
    func both(_ rows: Int, _ conflict: InsertionConflict) -> [String] {
      [
        sqlite.insertion(into: "t", columns: ["a", "b"], rows: rows, conflict: conflict),
        postgres.insertion(into: "t", columns: ["a", "b"], rows: rows, conflict: conflict),
      ]
    }
    #expect(
      sqlite.insertion(
        into: "t",
        columns: ["a", "b"],
        constants: [("c", 7), ("d", -1)],
        rows: 2,
        conflict: .fails
      ) == "INSERT OR ROLLBACK INTO t (c, d, a, b) VALUES (7, -1, ?, ?), (7, -1, ?, ?)"
    )
    #expect(
      both(2, .fails) == [
        "INSERT OR ROLLBACK INTO t (a, b) VALUES (?, ?), (?, ?)",
        "INSERT INTO t (a, b) VALUES (?, ?), (?, ?)",
      ]
    )
    #expect(
      both(1, .keepsOld) == [
        "INSERT OR IGNORE INTO t (a, b) VALUES (?, ?)",
        "INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING",
      ]
    )
    #expect(
      both(1, .replaces(key: ["a"])) == [
        "INSERT OR REPLACE INTO t (a, b) VALUES (?, ?)",
        "INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET b = EXCLUDED.b",
      ]
    )
    #expect(both(1, .replaces(key: ["a", "b"]))[1].hasSuffix(" ON CONFLICT DO NOTHING"))
  }

  @Test(arguments: [
    ("a = ? AND b IN (?, ?)", "a = $1 AND b IN ($2, $3)"),
    ("a = '?' AND \"b?\" = ?", "a = '?' AND \"b?\" = $1"),
    ("a <> 'it''s ?' AND b = ?", "a <> 'it''s ?' AND b = $1"), ("é = ?", "é = $1"), ("", ""),
    (String(repeating: "?,", count: 11), "$1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,"),
  ])
  func `parameters are numbered, but not in quotes`(_ sql: String, _ numbered: String) {
    #expect(PostgresDialect().finished(sql) == numbered)
    #expect(SQLiteDialect().finished(sql) == sql)
  }

  @Test func `columns have the types of their engine`() throws {
    func types(_ schema: StoreSchema) throws -> [String: String] {
      let table = try #require(schema.definitions.first { $0.root == models.entity("Author") })
      return Dictionary(uniqueKeysWithValues: table.columns.map { ($0.name, $0.type) })
    }
    #expect(
      try types(models.sqlite) == [
        "ZNAME": "VARCHAR", "ZAGE": "INTEGER", "ZBORN": "TIMESTAMP", "ZSCORE": "FLOAT",
        "ZRATE": "DECIMAL", "ZFLAG": "INTEGER", "ZUID": "BLOB", "ZPHOTO": "BLOB",
        "ZBOSS": "INTEGER",
      ]
    )
    #expect(
      try types(models.postgres) == [
        "zname": "text COLLATE \"C\"", "zage": "bigint", "zborn": "double precision",
        "zscore": "double precision", "zrate": "numeric", "zflag": "bigint", "zuid": "bytea",
        "zphoto": "bytea", "zboss": "bigint",
      ]
    )
  }

  @Test func `names that are too long for PostgreSQL are cut, and stay different`() throws {
    let long = String(repeating: "x", count: 60)
    let model = try ManagedObjectModel(
      EntityDescription(
        "A" + long,
        properties: [
          .attribute("b" + long + "1", .string, optional: true),
          .attribute("b" + long + "2", .string, optional: true),
        ]
      ),
      EntityDescription(
        "A" + long + "B",
        properties: [.attribute("c", .string, optional: true)]
      )
    ).layout
    let schema = DialectModel.schema(of: model, PostgresDialect())
    let tables = schema.definitions.map(\.name)
    let columns = schema.definitions.flatMap(\.columns).map(\.name)
    #expect(Set(tables).count == 2 && Set(columns).count == 3)
    for name in tables + columns { #expect(name.utf8.count <= 63, "\(name)") }
    #expect(DialectModel.schema(of: model, PostgresDialect()).definitions.map(\.name) == tables)
  }

  @Test func `a text with NUL is looked up by memory where no row can have it`() throws {
    let author = models.entity("Author")
    var query = StoreQuery(entity: author)
    query.predicate = "name IN \(["a", "b\0"])"
    #expect(try KeyLookUp(query, schema: models.sqlite)?.values.count == 2)
    #expect(try KeyLookUp(query, schema: models.postgres) == nil)
    query.predicate = "name IN \(["a", "b"])"
    #expect(try KeyLookUp(query, schema: models.postgres)?.values.count == 2)
  }

  @Test(
    arguments: [
      ("count(SELF)", nil, [], nil), ("max(age)", "max(age) > 5", [FetchSort("n")], nil),
      ("min(boss.age)", nil, [], "a value beside the groups comes from another table"),
      (
        "count(SELF)", "min(boss.age) > 5", [],
        "a value beside the groups comes from another table"
      ),
      (
        "count(SELF)", nil, [FetchSort("name", comparison: .caseInsensitive)],
        "the sort by 'name' has no column with an order"
      ),
    ] as [(String, String?, [FetchSort], String?)]
  )
  func `groups by a value of another table stand alone where an engine wants it`(
    _ format: String,
    _ having: String?,
    _ sorts: [FetchSort],
    _ obstacle: String?
  ) throws {
    var request = ProjectionRequest()
    request.properties = ["name", .expression(try ExpressionDescription("n", parsing: format))]
    request.groups = ["name", "age"]
    request.having = try having.map { try FetchPredicate(parsing: $0) }
    request.sorts = sorts
    let query = try ProjectionPlanner.plan(
      request,
      of: StoreQuery(entity: models.entity("Author")),
      in: models.model
    )
    var sqlite = ProjectionTranslator(query, schema: models.sqlite, store: UUID())
    #expect(sqlite.statement(QueryTranslation()) != nil)
    var postgres = ProjectionTranslator(query, schema: models.postgres, store: UUID())
    let statement = postgres.statement(QueryTranslation())
    #expect(postgres.obstacle == obstacle ?? "")
    #expect((statement == nil) == (obstacle != nil))
  }

  /// To PostgreSQL, `age & $1` and `age & $2` are two values: only one of them is grouped.
  @Test(
    arguments: [
      ("count(SELF)", nil, true), ("count(SELF)", "count(SELF) > 1", true),
      ("count(SELF)", "low > 1", false), ("(age & 3) | 4", nil, false), ("age & 3", nil, false),
    ] as [(String, String?, Bool)]
  )
  func `a grouped value with a parameter stands alone where an engine wants it`(
    _ format: String,
    _ having: String?,
    _ isInPostgres: Bool
  ) throws {
    var request = ProjectionRequest()
    request.properties = [
      .expression(try ExpressionDescription("low", parsing: "age & 3")),
      .expression(try ExpressionDescription("n", parsing: format)),
    ]
    request.groups = ["low"]
    request.having = try having.map { try FetchPredicate(parsing: $0) }
    let query = try ProjectionPlanner.plan(
      request,
      of: StoreQuery(entity: models.entity("Author")),
      in: models.model
    )
    var sqlite = ProjectionTranslator(query, schema: models.sqlite, store: UUID())
    #expect(sqlite.statement(QueryTranslation()) != nil)
    var postgres = ProjectionTranslator(query, schema: models.postgres, store: UUID())
    #expect((postgres.statement(QueryTranslation()) != nil) == isInPostgres)
    #expect(postgres.obstacle.contains("parameter") == !isInPostgres)
  }

  @Test func `the rest of what engines are told`() {
    let sqlite = SQLiteDialect()
    let postgres = PostgresDialect()
    #expect(sqlite.explanation(of: "SELECT 1") == "EXPLAIN QUERY PLAN SELECT 1")
    #expect(postgres.explanation(of: "SELECT 1") == "EXPLAIN SELECT 1")
    #expect(sqlite.changeQuestion == "PRAGMA data_version")
    #expect(postgres.changeQuestion == "SELECT number FROM perennial_clock")
    for dialect in [sqlite, postgres] as [any SQLDialect] {
      let reservation = dialect.keyReservation(
        of: "t",
        key: CoreDataNames.rows.key,
        number: 3,
        in: CoreDataNames().counters
      )
      #expect(reservation.hasPrefix("UPDATE Z_PRIMARYKEY SET Z_MAX = ? + "))
      #expect(reservation.hasSuffix("WHERE Z_ENT = 3 RETURNING Z_MAX"))
      #expect(reservation.contains("(SELECT MAX(Z_PK) FROM t)"))
    }
  }
}
