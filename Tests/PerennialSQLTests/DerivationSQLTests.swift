// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Derived attributes in two dialects")
struct DerivationSQLTests {
  private let models: DialectModel
  private let sqlite: DerivationSQL
  private let postgres: DerivationSQL

  init() throws {
    models = try DialectModel()
    sqlite = DerivationSQL(models.sqlite)
    postgres = DerivationSQL(models.postgres)
  }

  private func slot(_ entity: String, _ name: String) throws -> Int {
    try #require(models.model.entities[models.entity(entity)].slotsByName[name])
  }

  private func members(
    _ entity: String,
    _ relationship: String,
    _ operation: CollectionOperator,
    _ member: String?,
    of destination: String,
    into slot: String
  ) throws -> ChangeSet.Derivation {
    ChangeSet.Derivation(
      entity: models.entity(entity),
      slot: try self.slot(entity, slot),
      source: .members(
        try models.model.relationship(entity, relationship),
        operation,
        member: try member.map { try self.slot(destination, $0) }
      ),
      expression: .object
    )
  }

  private func path(
    _ steps: [(String, String)],
    _ transform: TextTransform? = nil
  ) throws -> ChangeSet.Derivation {
    ChangeSet.Derivation(
      entity: models.entity("Post"),
      slot: try slot("Post", "title"),
      source: .path(
        try steps.map { try models.model.relationship($0.0, $0.1) },
        member: try slot("Author", "name"),
        transform
      ),
      expression: .object
    )
  }

  @Test func `members in a column of theirs`() throws {
    let count = try members("Author", "posts", .count, nil, of: "Post", into: "age")
    #expect(
      sqlite.update(count, of: sqlite.rows(of: count, depth: 0, keyCount: 2))
        == "UPDATE ZAUTHOR SET ZAGE = "
        + "(SELECT COUNT(*) FROM ZPOST AS m WHERE m.ZAUTHOR = ZAUTHOR.Z_PK) WHERE Z_PK IN (?, ?)"
    )
    #expect(
      postgres.update(count, of: postgres.rows(of: count, depth: 0, keyCount: 2))
        == "UPDATE zauthor SET zage = "
        + "(SELECT COUNT(*) FROM zpost AS m WHERE m.zauthor = zauthor.Z_PK) WHERE Z_PK = ANY (?)"
    )
  }

  @Test func `members in a join table`() throws {
    let names = try members("Post", "tags", .max, "name", of: "Tag", into: "title")
    let join = models.sqlite.joinTables[0]
    let side = try #require(models.sqlite.joinTable(of: models.model.relationship("Post", "tags")))
      .side
    #expect(
      sqlite.changedKeys(names, of: "Z_PK = 1")
        == "SELECT Z_PK FROM ZPOST WHERE Z_PK = 1 AND ZTITLE IS NOT (SELECT MAX(m.ZNAME) FROM "
        + "\(join.table) AS j JOIN ZTAG AS m ON m.Z_PK = j.\(side.other) WHERE j.\(side.own) = ZPOST.Z_PK)"
    )
    #expect(
      postgres.changedKeys(names, of: "Z_PK = 1")?
        .contains(" AND ztitle IS DISTINCT FROM (SELECT MAX(m.zname) FROM ") == true
    )
    #expect(
      postgres.changedKeys(names, of: "Z_PK = 1", includesAll: true)
        == "SELECT Z_PK FROM zpost WHERE Z_PK = 1"
    )
  }

  @Test func `sums and means`() throws {
    let sum = try members("Author", "posts", .sum, "bytes", of: "Post", into: "age")
    #expect(
      postgres.update(sum, of: "TRUE")
        == "UPDATE zauthor SET zage = (SELECT CASE WHEN COALESCE(SUM(m.zbytes), 0) BETWEEN "
        + "-9223372036854775808 AND 9223372036854775807 THEN COALESCE(SUM(m.zbytes), 0) END "
        + "FROM zpost AS m WHERE m.zauthor = zauthor.Z_PK) WHERE TRUE"
    )
    let mean = try members("Author", "posts", .average, "bytes", of: "Post", into: "score")
    #expect(
      postgres.update(mean, of: "TRUE")?.contains(
        "(SELECT CAST(SUM(m.zbytes) AS double precision) / COUNT(m.zbytes) FROM"
      ) == true
    )
    #expect(sqlite.update(mean, of: "1")?.contains("?") == false)
    let rate = try members("Author", "reports", .average, "rate", of: "Author", into: "score")
    #expect(
      postgres.update(rate, of: "TRUE")?.contains(
        "(SELECT CAST(SUM(m.zrate) AS DOUBLE PRECISION) / COUNT(m.zrate) FROM"
      ) == true
    )
    let total = try members("Author", "reports", .sum, "score", of: "Author", into: "score")
    #expect(
      postgres.update(total, of: "TRUE")?.contains("(SELECT COALESCE(SUM(m.zscore), 0) FROM")
        == true
    )
    let doubles = try members("Author", "reports", .average, "score", of: "Author", into: "score")
    #expect(postgres.update(doubles, of: "TRUE")?.contains("(SELECT AVG(m.zscore) FROM") == true)
  }

  @Test func `the value at the end of a path`() throws {
    let name = try path([("Post", "author"), ("Author", "boss"), ("Author", "boss")])
    #expect(
      postgres.update(name, of: postgres.rows(of: name, depth: 3, keyCount: 1))
        == "UPDATE zpost SET ztitle = (SELECT m3.zname FROM zauthor AS m1 "
        + "JOIN zauthor AS m2 ON m2.Z_PK = m1.zboss JOIN zauthor AS m3 ON m3.Z_PK = m2.zboss "
        + "WHERE m1.Z_PK = zpost.zauthor) WHERE zauthor IN (SELECT Z_PK FROM zauthor WHERE "
        + "zboss IN (SELECT Z_PK FROM zauthor WHERE zboss = ANY (?)))"
    )
    #expect(
      sqlite.rows(of: name, depth: 2, keyCount: 1)
        == "ZAUTHOR IN (SELECT Z_PK FROM ZAUTHOR WHERE ZBOSS IN (?))"
    )
    #expect(sqlite.rows(of: name, depth: 1, keyCount: 2) == "ZAUTHOR IN (?, ?)")
    #expect(sqlite.rows(of: name, depth: 0, keyCount: 1) == "Z_PK IN (?)")
    #expect(sqlite.untransformed(name, of: "1") == nil)
  }

  @Test func `an engine without the transformation gives the text as it is`() throws {
    let name = try path([("Post", "author")], .uppercase)
    #expect(
      sqlite.update(name, of: "1")
        == "UPDATE ZPOST SET ZTITLE = (SELECT pn_uppercase(m1.ZNAME) FROM ZAUTHOR AS m1 "
        + "WHERE m1.Z_PK = ZPOST.ZAUTHOR) WHERE 1"
    )
    #expect(postgres.update(name, of: "TRUE") == nil)
    #expect(postgres.changedKeys(name, of: "TRUE") == nil)
    #expect(
      postgres.untransformed(name, of: "TRUE")
        == "SELECT Z_PK, ztitle, (SELECT m1.zname FROM zauthor AS m1 "
        + "WHERE m1.Z_PK = zpost.zauthor) FROM zpost WHERE TRUE"
    )
    #expect(postgres.copy("zname", nil) == "zname")
    #expect(postgres.copy("zname", .lowercase) == nil)
  }

  @Test func `rows that others must not change meanwhile`() throws {
    let count = try members("Author", "posts", .count, nil, of: "Post", into: "age")
    let owners = postgres.guarded(count, by: "Z_PK = ANY (?)")
    #expect(owners.owners == "SELECT Z_PK FROM zauthor WHERE Z_PK = ANY (?) ORDER BY Z_PK")
    #expect(owners.path == nil)
    let name = try path([("Post", "author"), ("Author", "boss")])
    let posts = postgres.guarded(name, by: "Z_PK = ANY (?)")
    #expect(posts.owners == "SELECT Z_PK FROM zpost WHERE Z_PK = ANY (?) ORDER BY Z_PK")
    #expect(
      posts.path
        == "SELECT m1.Z_PK FROM zauthor AS m1 JOIN zauthor AS m2 ON m2.Z_PK = m1.zboss "
        + "WHERE m1.Z_PK IN (SELECT zauthor FROM zpost WHERE Z_PK = ANY (?)) ORDER BY m1.Z_PK"
    )
  }

  @Test func `keys are those of owners and of targets`() throws {
    var name = try path([("Post", "author"), ("Author", "boss")])
    name.owners = [4, 5]
    name.targets = [[], [7]]
    let lists = DerivationSQL.keys(of: name)
    #expect(lists.map(\.depth) == [0, 2])
    #expect(lists.map(\.keys) == [[4, 5], [7]])
    var count = try members("Author", "posts", .count, nil, of: "Post", into: "age")
    count.owners = [1]
    #expect(DerivationSQL.keys(of: count).map(\.keys) == [[1]])
  }

  @Test func `what is no value of members has no SQL`() throws {
    let model = try ManagedObjectModel(
      EntityDescription("Box", properties: [.toMany("items", "Item", inverse: "box")]),
      EntityDescription(
        "Item",
        properties: [
          .attribute("weight", .int64, optional: true),
          .attribute("draft", .int64, optional: true, transient: true),
          .toOne("box", "Box", inverse: "items"),
        ]
      )
    ).layout
    let sql = DerivationSQL(DialectModel.schema(of: model, SQLiteDialect()))
    let items = try model.relationship("Box", "items")
    let box = try model.relationship("Item", "box")
    let slots = model.entities[model.index("Item")].slotsByName
    func value(
      _ operation: CollectionOperator,
      _ member: String,
      as type: AttributeType = .double
    ) throws -> String? {
      let slot = try #require(slots[member])
      return sql.value(of: items, operation, slot, owner: "b", as: type)
    }
    let members = "FROM ZITEM AS m WHERE m.ZBOX = b)"
    // No part of the sum overflows, and one that the attribute cannot hold is absent.
    let low = "SUM(m.ZWEIGHT & 4294967295)"
    let sum =
      "IFNULL(((SUM(m.ZWEIGHT >> 32) + (\(low) >> 32)) * 4294967296 + (\(low) & 4294967295)), 0)"
    #expect(try value(.sum, "weight") == "(SELECT \(sum) \(members)")
    #expect(
      try value(.sum, "weight", as: .int16)
        == "(SELECT CASE WHEN \(sum) BETWEEN -32768 AND 32767 THEN \(sum) END \(members)"
    )
    #expect(
      try value(.sum, "weight", as: .int32)
        == "(SELECT CASE WHEN \(sum) BETWEEN -2147483648 AND 2147483647 THEN \(sum) END "
        + members
    )
    // The number of members does not depend on their values.
    #expect(try value(.count, "weight") == "(SELECT COUNT(*) \(members)")
    #expect(try value(.unionOfObjects, "weight") == nil)
    #expect(try value(.distinctUnionOfObjects, "weight") == nil)
    // A transient attribute is not stored, and a to-one relationship has no members.
    #expect(try value(.sum, "draft") == nil)
    #expect(sql.value(of: box, .count, nil, owner: "i", as: .int64) == nil)
  }
}
