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

/// Conditions on what is no plain column: transient attributes, values that SQL cannot look into, and
/// relationships of which each subentity has its own.
@Suite("Conditions on unusual columns")
struct UnusualColumnTests {
  private let folder: TemporaryFolder
  private let memory: InMemoryStore
  private let sqlite: SQLiteStore

  /// As many digits as SQLite keeps of a decimal.
  private static let price = Decimal(123_456_789_012_345) / 100

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let model = try ManagedObjectModel(
      EntityDescription(
        "Animal",
        properties: [
          .attribute("name", .string, optional: true),
          .attribute("draft", .bool, optional: true, transient: true),
          .attribute("price", .decimal, optional: true),
          .attribute("labels", .transformable, optional: true),
          .attribute(
            AttributeDescription(
              "file",
              .binaryData,
              isOptional: true,
              allowsExternalBinaryDataStorage: true
            )
          ),
        ]
      ),
      EntityDescription(
        "Dog",
        parent: "Animal",
        properties: [.toOne("owner", "Person"), .toMany("marks", "Person")]
      ),
      EntityDescription(
        "Cat",
        parent: "Animal",
        properties: [.toOne("owner", "Person"), .attribute("marks", .string, optional: true)]
      ),
      EntityDescription("Person", properties: [.attribute("name", .string, optional: true)])
    ).layout
    memory = InMemoryStore(model: model)
    sqlite = try SQLiteStore(url: folder.file(), model: model)
    let changes = model.insertion([
      (
        "Animal",
        [
          Row(
            1,
            [
              "name": "x", "price": .value(.decimal(Self.price)),
              "labels": .value(.data(Data(#"["x"]"#.utf8))),
            ]
          )
        ]
      ),
      ("Dog", [Row(2, ["owner": .reference("Person", 1)]), Row(3, ["name": "Rex"])]),
      (
        "Cat",
        [
          Row(4, ["owner": .reference("Person", 1), "file": .value(.data(Data([1])))]),
          Row(5, ["owner": .reference("Person", 2), "marks": "black"]),
        ]
      ),
      ("Person", [Row(1, ["name": "Ada"]), Row(2, ["name": "Bob"])]),
    ])
    try memory.save(changes)
    try sqlite.save(changes)
  }

  @Test(arguments: [
    ("owner == nil", "[1, 3]"), ("owner != nil", "[2, 4, 5]"), ("owner.name == 'Ada'", "[2, 4]"),
    ("NOT owner.name == 'Ada'", "[1, 3, 5]"), ("draft == nil", "[1, 2, 3, 4, 5]"),
    ("draft == YES", "[]"), ("name == 'x' OR draft == NO", "[1]"), ("file == nil", "[1, 2, 3, 5]"),
    ("file != nil AND owner.name BEGINSWITH 'A'", "[4]"), ("file == CAST('AQ==', 'NSData')", "[4]"),
    ("file == file", "[1, 2, 3, 4, 5]"), ("file < file", "[]"), ("file <= nil", "[1, 2, 3, 5]"),
    ("file IN 'x'", "[]"), ("name IN {'x', nil} AND file IN {nil}", "[1, 2, 5]"),
    ("file LIKE nil", "[1, 2, 3, 5]"), ("file BEGINSWITH 'x'", "[]"), ("file LIKE 5", "[]"),
    ("marks == 'black'", "[5]"),
    ("price == CAST('1234567890123.45', 'NSDecimalNumber')", "[1]"), ("name IN 'xy'", "[1]"),
    ("file IN {CAST('AQ==', 'NSData'), nil}", "[1, 2, 3, 4, 5]"),
    ("file CONTAINS CAST('AQ==', 'NSData')", "[4]"), ("nil IN labels", "[]"),
    ("file IN labels", "[]"), ("labels != nil", "[1]"),
  ])
  func `both stores give the rows that the predicate names`(
    _ format: String,
    _ expected: String
  ) throws {
    let predicate = try FetchPredicate(parsing: format)
    let query = StoreQuery(entity: sqlite.model.index("Animal"), predicate: predicate)
    #expect(PredicateTwins.answer(memory, query) == expected, "in memory")
    #expect(PredicateTwins.answer(sqlite, query) == expected, "in SQLite")
  }

  @Test(arguments: [
    "labels CONTAINS 'x'", "NOT labels CONTAINS[c] 'x'", "'x' IN labels", "name IN labels",
    "labels CONTAINS price", "file CONTAINS 'x'", "5 IN file",
  ])
  func `what is no bytes is not looked for in bytes`(_ format: String) throws {
    let predicate = try FetchPredicate(parsing: format)
    let query = StoreQuery(entity: sqlite.model.index("Animal"), predicate: predicate)
    let checker = QueryChecker(sqlite.model)
    let error = try #require(throws: PerennialError.self) { try checker.check(query) }
    #expect(error.code == .typeMismatch)
    #expect(error.message.contains("is kept as bytes"), "\(error)")
  }

  private func plan(_ request: ProjectionRequest) throws -> ProjectionQuery {
    let rows = StoreQuery(entity: sqlite.model.index("Animal"))
    return try ProjectionPlanner.plan(request, of: rows, in: sqlite.model)
  }

  @Test(arguments: [
    (["name"], ["file"], "the sort by 'file' has no column with an order"),
    (["name", "file"], ["name"], "the value 'file'"),
  ])
  func `values and sorts that are no columns are left to memory`(
    _ properties: [String],
    _ sorts: [String],
    _ obstacle: String
  ) throws {
    var request = ProjectionRequest()
    request.properties = properties.map { .property($0) }
    request.sorts = sorts.map { FetchSort($0) }
    let query = try plan(request)
    #expect(
      try ProjectionSQLTests.rows(sqlite, query) == ProjectionSQLTests.rows(memory, query)
    )
    let error = try #require(throws: PerennialError.self) { try sqlite.checkForSQL(query) }
    #expect(error.message.contains(obstacle), "\(error)")
  }

  @Test func `groups by what is no column are left to memory`() throws {
    var request = ProjectionRequest()
    request.properties = [.expression(ExpressionDescription("n", format: "count(SELF)"))]
    request.groups = ["file"]
    let query = try plan(request)
    #expect(try ProjectionSQLTests.rows(memory, query) == ["integer(1)", "integer(4)"])
    #expect(try ProjectionSQLTests.rows(sqlite, query) == ["integer(1)", "integer(4)"])
    let error = try #require(throws: PerennialError.self) { try sqlite.checkForSQL(query) }
    #expect(error.message.contains("a value to group by"), "\(error)")
  }

  @Test func `a look-up of what is not compared as it is stored needs a translation`() throws {
    let animal = sqlite.model.entities[sqlite.model.index("Animal")]
    for (name, values, expected) in [
      ("price", [.decimal(Self.price), .decimal(2)], [1]), ("price", [.null], [2, 3, 4, 5]),
      ("file", [.data(Data([1])), .data(Data())], [4]), ("draft", [.boolean(true)], []),
    ] as [(String, [PropertyValue], [Int64])] {
      let slot = try #require(animal.slotsByName[name])
      func keys(_ provider: some RowProvider) throws -> [Int64] {
        var keys: [Int64] = []
        try provider.fetchRows(LookUp(forUpdateBy: slot, of: animal.index), .several(values)) {
          page in
          keys += (0..<page.count).map { PackedRow.key(page.row($0)) }
        }
        return keys.sorted()
      }
      #expect(try keys(memory) == expected, "\(name)")
      #expect(try keys(sqlite) == expected, "\(name)")
    }
  }

  @Test func `a decimal keeps 15 digits, and one that is no number counts as 0`() throws {
    var request = ProjectionRequest()
    request.properties = ["price"]
    request.sorts = [FetchSort("name", ascending: false)]
    let query = try plan(request)
    #expect(try sqlite.fetchValues(query).values.first == .decimal(Self.price))
    let connection = try SQLiteConnection(
      path: folder.file().path,
      access: .write,
      busyTimeout: .seconds(5)
    )
    try connection.execute("UPDATE ZANIMAL SET ZPRICE = 'dear' WHERE Z_PK = 1")
    #expect(try sqlite.fetchValues(query).values.first == .decimal(0))
  }

  @Test(arguments: [
    ("draft == YES", "'draft' is no single column"),
    ("owner.name == 'Ada'", "'owner.name' is no single column"),
    ("file == CAST('AQ==', 'NSData')", "'file' is kept in a form that SQL cannot look into"),
  ])
  func `where SQL alone must answer they are refused by name`(
    _ format: String,
    _ reason: String
  ) throws {
    let predicate = try FetchPredicate(parsing: format)
    let query = StoreQuery(entity: sqlite.model.index("Animal"), predicate: predicate)
    let error = try #require(throws: PerennialError.self) { try sqlite.checkForSQL(query) }
    #expect(error.code == .requiresMemory)
    #expect(error.message.contains(reason), "\(error)")
  }
}
