// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialSQL
import TablesStore
import Testing

private func statements(for model: ManagedObjectModel) throws -> [SQLStatement] {
  let tables = SQLTables(model, engine: DuckDB())
  let large = StoreRequest(table: "Commit", entityNames: ["Commit"], predicate: "lines > 100")
  return tables.definitions + [try tables.fetch(large)]
}

@Suite("SQL for databases of others")
struct SQLTablesTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        indexes: [["createdAt"]],
        properties: [
          .attribute("createdAt", .date), .attribute("sha", .string),
          .attribute("price", .decimal, optional: true),
          .attribute("lines", .int64, optional: true),
          .toOne("author", "Person", inverse: "commits"),
          .toMany("tags", "Tag", inverse: "commits"),
        ]
      ),
      EntityDescription(
        "Person",
        properties: [
          .attribute("name", .string), .attribute("order", .int64, optional: true),
          .toMany("commits", "Commit", inverse: "author", ordered: true),
        ]
      ),
      EntityDescription("Bot", parent: "Person", properties: [.attribute("uid", .uuid)]),
      EntityDescription(
        "Tag",
        properties: [.attribute("name", .string), .toMany("commits", "Commit", inverse: "tags")]
      )
    )
  }

  private func tables(_ engine: any SQLEngine = MySQL()) throws -> SQLTables {
    var tables = SQLTables(try Self.model(), engine: engine)
    tables.storeID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    return tables
  }

  private func commits(
    _ predicate: FetchPredicate? = nil,
    _ sorts: [FetchSort] = []
  ) -> StoreRequest {
    StoreRequest(table: "Commit", entityNames: ["Commit"], predicate: predicate, sorts: sorts)
  }

  @Test func `keys are set aside for entities of the model, a subentity's in its root's counter`()
    throws
  {
    let tables = try tables()
    let person = try tables.reservation(of: 3, keysOf: "Person")
    #expect(try tables.reservation(of: 3, keysOf: "Bot") == person)
    #expect(try tables.reservation(of: 3, keysOf: "Tag") != person)
    let error = #expect(throws: PerennialError.self) {
      try tables.reservation(of: 3, keysOf: "Persn")
    }
    #expect(error?.code == .unknownName)
    #expect(error?.recovery.contains("Person") == true)
  }

  @Test func `tables are made in the engine's words`() throws {
    let tables = try tables()
    let text = "LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin"
    #expect(
      tables.definitions.map(\.text).filter { $0.hasPrefix("CREATE") } == [
        "CREATE TABLE `perennial_metadata` (`version` BIGINT NOT NULL PRIMARY KEY, `property_list` LONGBLOB)",
        "CREATE TABLE `perennial_keys` (`type` BIGINT NOT NULL PRIMARY KEY, `name` \(text) NOT NULL, `last_id` BIGINT NOT NULL)",
        "CREATE TABLE `commit` (`id` BIGINT NOT NULL PRIMARY KEY, `version` BIGINT NOT NULL, "
          + "`lines` BIGINT, `author_id` BIGINT, `author_type` BIGINT, `created_at` DOUBLE, "
          + "`price` \(text), `sha` \(text))",
        "CREATE TABLE `person` (`id` BIGINT NOT NULL PRIMARY KEY, `type` BIGINT NOT NULL, "
          + "`version` BIGINT NOT NULL, `order` BIGINT, `name` \(text), `uid` LONGBLOB)",
        "CREATE TABLE `tag` (`id` BIGINT NOT NULL PRIMARY KEY, `version` BIGINT NOT NULL, `name` \(text))",
        "CREATE TABLE `commit_tags` (`owner_id` BIGINT NOT NULL, `member_id` BIGINT NOT NULL, "
          + "`position` BIGINT NOT NULL, PRIMARY KEY (`owner_id`, `member_id`))",
        "CREATE TABLE `person_commits` (`owner_id` BIGINT NOT NULL, `member_id` BIGINT NOT NULL, "
          + "`position` BIGINT NOT NULL, PRIMARY KEY (`owner_id`, `member_id`))",
        "CREATE TABLE `tag_commits` (`owner_id` BIGINT NOT NULL, `member_id` BIGINT NOT NULL, "
          + "`position` BIGINT NOT NULL, PRIMARY KEY (`owner_id`, `member_id`))",
      ]
    )
    #expect(
      Set(tables.definitions.filter { !$0.parameters.isEmpty }.map { $0.parameters[1] })
        == [.text("Bot"), .text("Commit"), .text("Person"), .text("Tag")]
    )
    #expect(
      tables.indexes.map(\.text) == [
        "CREATE INDEX `commit_author_id_idx` ON `commit` (`author_id`)",
        "CREATE INDEX `person_type_idx` ON `person` (`type`)",
        "CREATE INDEX `commit_created_at_idx` ON `commit` (`created_at`)",
        "CREATE INDEX `commit_sha_key` ON `commit` (`sha`)",
      ]
    )
  }

  /// The columns of a commit, as every query has them.
  private static let columns =
    "SELECT t0.`id`, t0.`version`, t0.`created_at`, t0.`sha`, t0.`price`, t0.`lines`, "
    + "t0.`author_id`, t0.`author_type` FROM `commit` AS t0"

  @Test(
    arguments: [
      ("sha == 'a'", "t0.`sha` = ?", [.text("a")]),
      ("sha != 'a'", "NOT (t0.`sha` <=> ?)", [.text("a")]),
      ("sha CONTAINS 'b'", "LOCATE(?, t0.`sha`) > 0", [.text("b")]),
      ("NOT sha CONTAINS 'b'", "(LOCATE(?, t0.`sha`) > 0) IS NOT TRUE", [.text("b")]),
      (
        "sha CONTAINS author.name",
        "((SELECT t1.`name` FROM `person` AS t1 WHERE t1.`id` = t0.`author_id`) <> '' AND "
          + "LOCATE((SELECT t1.`name` FROM `person` AS t1 WHERE t1.`id` = t0.`author_id`), t0.`sha`) > 0)",
        []
      ),
      ("noindex:(sha) == 'a'", "t0.`sha` = ?", [.text("a")]),
      ("sha CONTAINS ''", "1 = 0", []), ("price == nil", "t0.`price` IS NULL", []),
      ("lines == 2.0", "t0.`lines` = ?", [.integer(2)]),
      ("lines IN {1, 2}", "t0.`lines` IN (?, ?)", [.integer(1), .integer(2)]),
      (
        "author.name == 'Ada' OR lines > 3",
        "(t0.`author_id` IN (SELECT t1.`id` FROM `person` AS t1 WHERE t1.`name` = ?) OR t0.`lines` > ?)",
        [.text("Ada"), .integer(3)]
      ),
      (
        "ANY tags.name == 'v1'",
        "EXISTS (SELECT 1 FROM `commit_tags` AS j1 JOIN `tag` AS t1 ON t1.`id` = j1.`member_id` "
          + "WHERE j1.`owner_id` = t0.`id` AND t1.`name` = ?)", [.text("v1")]
      ),
      (
        "author.order == lines",
        "(SELECT t1.`order` FROM `person` AS t1 WHERE t1.`id` = t0.`author_id`) <=> t0.`lines`", []
      ),
    ] as [(String, String, [SQLValue])]
  )
  func `a predicate becomes a condition`(
    _ format: String,
    _ condition: String,
    _ parameters: [SQLValue]
  ) throws {
    let statement = try tables().fetch(commits(FetchPredicate(parsing: format)))
    #expect(statement.text == Self.columns + " WHERE (\(condition))")
    #expect(statement.parameters == parameters)
  }

  @Test(
    arguments: [
      "sha CONTAINS[c] 'b'", "sha LIKE '*a*b'", "sha MATCHES 'a+'", "sha ENDSWITH 'b'",
      "price > 1.5", "price == lines", "lines == 2.5", "lines & 1 == 1", "sha.length == 2",
      "tags.@avg.name == 2", "sha == 'a\u{0}b'",
    ]
  )
  func `what the engine does not say is left to memory`(_ format: String) throws {
    let tables = try tables()
    #expect(throws: PreferInMemory.filter) {
      try tables.fetch(commits(FetchPredicate(parsing: format)))
    }
  }

  @Test func `orders and windows are the engine's`() throws {
    let tables = try tables()
    var request = commits(nil, [FetchSort("sha"), FetchSort("lines", ascending: false)])
    request.limit = 5
    request.offset = 2
    #expect(
      try tables.fetch(request).text
        == Self.columns + " ORDER BY t0.`sha`, t0.`lines` DESC, t0.`id` DESC LIMIT 5 OFFSET 2"
    )
    (request.limit, request.sorts) = (0, [])
    #expect(
      try tables.fetch(request).text
        == Self.columns + " ORDER BY t0.`id` LIMIT 9223372036854775807 OFFSET 2"
    )
    #expect(try tables.count(request).text == "SELECT COUNT(*) FROM `commit` AS t0")
    request.sorts = [FetchSort("price")]
    #expect(throws: PreferInMemory.sort) { try tables.fetch(request) }
    request = StoreRequest(table: "Person", entityNames: ["Bot"])
    #expect(
      try tables.count(request).text == "SELECT COUNT(*) FROM `person` AS t0 WHERE t0.`type` = 3"
    )
    request.entityNames = []
    #expect(try tables.count(request).text == "SELECT COUNT(*) FROM `person` AS t0 WHERE (1 = 0)")
    request.entityNames = ["Person", "Nobody"]
    let count = try tables.count(request).text
    #expect(count == "SELECT COUNT(*) FROM `person` AS t0 WHERE (t0.`type` IN (2))")
    request.table = "Commit"
    request.entityNames = ["Commit", "Nobody"]
    #expect(
      try tables.count(request).text == "SELECT COUNT(*) FROM `commit` AS t0 WHERE (1 IN (1))"
    )
    request.table = "Person"
    request.entityNames = ["Bot", "Person"]
    #expect(try tables.count(request).text == "SELECT COUNT(*) FROM `person` AS t0")
  }

  @Test func `parameters are numbered, and as many as the engine takes`() throws {
    let tables = try tables(Numbered())
    let statement = try tables.fetch(commits("sha == 'a?' AND lines BETWEEN {1, 2}"))
    #expect(
      statement.text.hasSuffix(
        #"WHERE (t0."sha" = :p1 AND (t0."lines" >= :p2 AND t0."lines" <= :p3))"#
      )
    )
    let many = Array(Int64(1)...20)
    #expect(throws: PreferInMemory.filter) {
      try tables.fetch(commits(FetchPredicate("lines IN \(many)")))
    }
    let lists = tables.rows(of: "Commit", keys: many)
    #expect(lists.count > 1)
    #expect(lists.allSatisfy { $0.parameters.count <= 20 })
    #expect(lists.flatMap(\.parameters) == many.map { .integer($0) })
    #expect(tables.rows(of: "Commit", keys: []).isEmpty)
    let names = tables.definitions.compactMap { $0.text.split(separator: "\"").dropFirst().first }
    #expect(names.allSatisfy { $0.utf8.count <= 20 })
  }

  @Test func `what an engine does not say is standard SQL`() throws {
    let statement = try #require(try statements(for: Self.model()).last)
    #expect(statement.text.hasSuffix(#" FROM "commit" AS t0 WHERE (t0."lines" > ?)"#))
    #expect(statement.parameters == [.integer(100)])
    let tables = try tables(DuckDB())
    #expect(
      try tables.fetch(commits("sha != 'a'", [FetchSort("lines")])).text.hasSuffix(
        #"WHERE (NOT (t0."sha" IS NOT DISTINCT FROM ?)) ORDER BY t0."lines" NULLS FIRST, t0."id""#
      )
    )
  }

  @Test func `a row is what its columns hold`() throws {
    let tables = try tables()
    let person = try tables.row(
      [.integer(7), .integer(4), .integer(3), .text("R2"), .null, .blob(Data(0..<16))],
      of: "Person"
    )
    #expect(person.id == StoreRowID(table: "Person", key: 7))
    #expect(person.entityName == "Bot")
    #expect(person.version == 4)
    #expect(person.values["name"] == .string("R2"))
    #expect(person.values["order"] == nil)
    let uuid = UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    #expect(person.values["uid"] == .uuid(uuid))
    let commit = try tables.row(
      [
        .integer(1), .integer(1), .integer(5), .text("a"), .text("0.10"), .integer(9), .integer(7),
        .integer(3),
      ],
      of: "Commit"
    )
    #expect(commit.values["createdAt"] == .date(Date(timeIntervalSinceReferenceDate: 5)))
    #expect(commit.values["price"] == .decimal(Decimal(string: "0.1") ?? 0))
    guard case .objectID(let author)? = commit.values["author"] else {
      Issue.record("the author is no ID")
      return
    }
    #expect(author.entityName == "Bot")
  }

  @Test(
    arguments: [
      [], [.integer(1)], [.text("1"), .integer(1), .text("a")],
      [.integer(1), .integer(1), .integer(1)], [.integer(1), .integer(1), .blob(Data())],
      [.integer(1), .double(1), .text("a")],
    ] as [[SQLValue]]
  )
  func `values that are none of the columns' are errors`(_ values: [SQLValue]) throws {
    let tables = try tables()
    let error = #expect(throws: PerennialError.self) { try tables.row(values, of: "Tag") }
    #expect(error?.code == .persistentStoreOpen)
    #expect(throws: PerennialError.self) { try tables.row(values, of: "Nobody") }
    #expect(throws: PerennialError.self) { try tables.metadata(values.first ?? .null) }
  }

  @Test(
    arguments: [
      (.double, .integer(3), .double(3)), (.float, .integer(2), .double(2)),
      (.double, .text("3"), nil), (.bool, .integer(0), .boolean(false)),
      (.decimal, .text("0.50"), .decimal(Decimal(1) / 2)), (.decimal, .text("dear"), nil),
      (.url, .text("https://e.org/1"), .string("https://e.org/1")), (.url, .text(""), nil),
      (.uuid, .blob(Data([1])), nil), (.date, .double(0.5), .double(0.5)), (.date, .text(""), nil),
    ] as [(AttributeType, SQLValue, PropertyValue?)]
  )
  func `a value is read as one of its attribute's type, or is an error`(
    _ type: AttributeType,
    _ stored: SQLValue,
    _ expected: PropertyValue?
  ) throws {
    let model = try ManagedObjectModel(
      EntityDescription("Thing", properties: [.attribute("x", type, optional: true)])
    )
    let tables = SQLTables(model, engine: MySQL())
    guard let expected else {
      #expect(throws: PerennialError.self) {
        try tables.row([.integer(1), .integer(1), stored], of: "Thing")
      }
      return
    }
    let value = try tables.row([.integer(1), .integer(1), stored], of: "Thing").values["x"]
    switch value {
    case .url(let url)?: #expect(.string(url.absoluteString) == expected)
    case .date(let date)?: #expect(.double(date.timeIntervalSinceReferenceDate) == expected)
    default: #expect(value == expected)
    }
    #expect(throws: PerennialError.self, "a column is missing") {
      try tables.row([.integer(1), .integer(1)], of: "Thing")
    }
  }

  @Test func `rows of entities and stores that nobody knows are errors`() throws {
    var tables = try tables()
    for type in [SQLValue.text("3"), .integer(99), .null] {
      #expect(throws: PerennialError.self) {
        try tables.row([.integer(7), type, .integer(1), .text("Ada"), .null, .null], of: "Person")
      }
    }
    let commit: [SQLValue] = [
      .integer(1), .integer(1), .integer(5), .text("a"), .null, .null, .integer(7), .null,
    ]
    #expect(try tables.row(commit, of: "Commit").values["author"] != nil)
    tables.storeID = nil
    #expect(throws: PerennialError.self) { try tables.row(commit, of: "Commit") }
    #expect(throws: PreferInMemory.filter) {
      try tables.fetch(StoreRequest(table: "Nobody", entityNames: ["Nobody"]))
    }
    #expect(throws: PreferInMemory.filter) { try tables.fetch(commits("sha ==")) }
    #expect(tables.rows(of: "Nobody", keys: [1]).isEmpty)
    let some = StoreRequest(
      table: "Person",
      entityNames: ["Person", "Nobody"],
      predicate: "order == 2"
    )
    #expect(
      try tables.count(some).text
        == "SELECT COUNT(*) FROM `person` AS t0 WHERE (t0.`type` IN (2) AND (t0.`order` = ?))"
    )
  }

  @Test func `a store of these statements asks SQL, and memory for the rest`() throws {
    let file = try Scratch.shared.folder().appending(path: "store.db")
    let store = try TablesStore(file)
    let container = try PersistentContainer(
      name: "Commits",
      model: Self.model(),
      store: .custom { store }
    )
    let context = container.newBackgroundContext()
    for (number, name) in ["Ada", "Bob", "Cyd"].enumerated() {
      let person = try context.insert(entityNamed: "Person")
      try person.setValue(name, forKey: "name")
      try person.setValue(Int64(number), forKey: "order")
    }
    try context.save()
    func names(_ predicate: FetchPredicate) throws -> [String?] {
      var request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = predicate
      return try context.fetch(request)
        .map { try $0.value(forKey: "name") as? String }
    }
    let before = store.answeredCount
    #expect(try names("order == 1") == ["Bob"])
    #expect(store.answeredCount == before + 1)
    #expect(try names("name ENDSWITH 'd'") == ["Cyd"])
    #expect(store.answeredCount == before + 1)
  }
}
