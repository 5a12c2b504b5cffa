// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

@Suite("Round trips")
struct RoundTripTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(url: folder.file(), model: TestModels.types())
  }

  private static let uuid = UUID()
  static let values: [(String, PropertyValue)] = [
    ("anInt16", .integer(Int64(Int16.min))), ("anInt16", .integer(Int64(Int16.max))),
    ("anInt32", .integer(Int64(Int32.min))), ("anInt64", .integer(.min)),
    ("anInt64", .integer(.max)), ("anInt64", .integer(0)), ("aBool", .boolean(true)),
    ("aBool", .boolean(false)), ("aDouble", .double(.greatestFiniteMagnitude)),
    ("aDouble", .double(.leastNonzeroMagnitude)), ("aDouble", .double(.infinity)),
    ("aDouble", .double(-.infinity)), ("aDouble", .double(0.1)), ("aDouble", .double(3)),
    ("aFloat", .double(Double(Float.pi))),
    ("aDate", .date(Date(timeIntervalSinceReferenceDate: 632_764_800))),
    ("aDate", .date(Date(timeIntervalSinceReferenceDate: -0.25))), ("aDate", .date(.distantPast)),
    ("aDecimal", .decimal(Decimal(string: "123456789.012345") ?? 0)), ("aDecimal", .decimal(0)),
    ("aDecimal", .decimal(Decimal(string: "-0.1") ?? 0)), ("aDecimal", .decimal(12)),
    ("aDecimal", .decimal(Decimal(string: "123456789012345") ?? 0)),
    ("aDecimal", .decimal(Decimal(string: "1000000000000000000000") ?? 0)),
    ("aDecimal", .decimal(Decimal(string: "0.00000001") ?? 0)),
    ("aString", .string("")), ("aString", .string("a\u{0}b\u{0}")),
    ("aString", .string("e\u{301} 👩‍👩‍👧 '; DROP TABLE ZTHING; --")), ("aString", .string("42")),
    ("aString", .string(String(repeating: "long ", count: 300_000))),
    ("aURL", .url(URL(string: "https://example.org/a?b=c#d") ?? URL(fileURLWithPath: "/"))),
    ("aUUID", .uuid(uuid)), ("aBlob", .data(Data())), ("aBlob", .data(Data([0, 1, 255]))),
    ("aBlob", .data(Data(repeating: 7, count: 2_000_000))), ("aJSON", .data(Data("{}".utf8))),
    ("aFile", .data(Data())), ("aFile", .data(Data([2, 3]))), ("aFile", .data(Data([1]))),
  ]

  @Test(arguments: values)
  func `a value comes back as it was saved`(name: String, value: PropertyValue) throws {
    try store.save(store.model.insertion([("Thing", [Row(1, [name: .value(value)])])]))
    let row = try store.row("Thing", 1)
    #expect(try store.value(row, name) == value)
    let others = try #require(store.model.entities.first).slots.map(\.name).filter { $0 != name }
    for other in others where other != "note" {
      #expect(try store.value(row, other) == .null)
    }
  }

  @Test func `a transient slot has its default`() throws {
    try store.save(store.model.insertion([("Thing", [Row(1)])]))
    #expect(try store.value(store.row("Thing", 1), "note") == .string("kept in memory"))
  }

  /// What another program may have written.
  @Test(
    arguments: [
      ("aDouble", "7", PropertyValue.double(7)), ("anInt64", "2.9", .integer(2)),
      ("aString", "5", .string("5")), ("aString", "X'41FF'", .string("A\u{FFFD}")),
      ("aDate", "100", .date(Date(timeIntervalSinceReferenceDate: 100))),
      ("aDecimal", "3.3333333333332999993", .decimal(Decimal(string: "3.3333333333333") ?? 0)),
      ("aDecimal", "1.0", .decimal(1)), ("aBool", "2", .boolean(true)),
      ("aBlob", "'text'", .data(Data("text".utf8))),
    ]
  )
  func `a value of another storage class is converted`(
    name: String,
    literal: String,
    value: PropertyValue
  ) throws {
    try store.write { connection throws(SQLiteFailure) in
      try connection.execute(
        "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, Z\(name.uppercased())) VALUES (1, 1, 1, \(literal))"
      )
    }
    #expect(try store.value(store.row("Thing", 1), name) == value)
  }

  @Test func `bytes that are no UTF-8 are kept`() throws {
    try store.write { connection throws(SQLiteFailure) in
      try connection.execute(
        "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZASTRING) VALUES (1, 1, 1, CAST(X'41FF42' AS TEXT))"
      )
    }
    let row = try #require(try store.row("Thing", 1))
    let slot = try #require(store.model.entities.first?.slotsByName["aString"])
    #expect(Array(PackedRow.bytes(row.pointer, slot)) == [0x41, 0xFF, 0x42])
  }

  @Test func `values in files beside the store are read`() throws {
    let name = UUID().uuidString
    let files = folder.file(".Store_SUPPORT").appending(path: "_EXTERNAL_DATA")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try Data("large".utf8).write(to: files.appending(path: name))
    let hex = Data(name.utf8).map { String($0, radix: 16) }.joined()
    try store.write { connection throws(SQLiteFailure) in
      try connection.execute(
        "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT, ZAFILE) VALUES (1, 1, 1, X'02\(hex)00')"
      )
    }
    #expect(try store.value(store.row("Thing", 1), "aFile") == .data(Data("large".utf8)))
  }

  @Test func `many rows come in several pages, in order of their keys`() throws {
    let rows = (1...5_000).map { Row(Int64($0), ["aString": .value(.string("row \($0)"))]) }
    try store.save(store.model.insertion([("Thing", rows)]))
    var pages = 0
    var keys: [Int64] = []
    try store.fetchRows(StoreQuery(entity: 0)) { page in
      pages += 1
      keys += (0..<page.count).map { PackedRow.key(page.row($0)) }
    }
    #expect(pages > 10)
    #expect(keys == Array(1...5_000))
  }

  @Test(arguments: [0, 1, 2, 16, 17, 128, 129, 500, 501, 1_200])
  func `any number of keys is looked up; missing ones are left out`(count: Int) throws {
    try store.save(store.model.insertion([("Thing", (1...1_200).map { Row(Int64($0)) })]))
    let keys = (0..<count).map { Int64($0) + 1 } + [9_999, 9_999]
    #expect(Set(try store.rows("Thing", .keys(keys)).map(\.key)) == Set(keys.dropLast(2)))
    #expect(try store.count(StoreQuery(entity: 0, scope: .keys(keys))) == count)
  }

  @Test(arguments: [(0, 0), (3, 0), (3, 8), (0, 8), (20, 0), (0, 20)])
  func `limit and offset cut the rows, the references and the count`(limit: Int, offset: Int)
    throws
  {
    try store.save(store.model.insertion([("Thing", (1...10).map { Row(Int64($0)) })]))
    var query = StoreQuery(entity: 0)
    query.limit = limit
    query.offset = offset
    let expected = (1...10).dropFirst(offset).prefix(limit == 0 ? 10 : limit).map(Int64.init)
    #expect(try store.rows(query).map(\.key) == expected)
    #expect(try store.fetchReferences(query).map(\.key) == expected)
    #expect(try store.count(query) == expected.count)
  }
}

@Suite("Families")
struct FamilyTests {
  private let folder: TemporaryFolder
  private let store: SQLiteStore

  init() throws {
    folder = try TemporaryFolder()
    store = try SQLiteStore(url: folder.file(), model: TestModels.family())
    try store.save(
      store.model.insertion([
        (
          "Person",
          [
            Row(
              1,
              [
                "address.city": "Bern", "address.number": 7,
                "favourite": .reference("Cat", 2),
              ]
            )
          ]
        ), ("Dog", [Row(1, ["name": "Rex", "text": "woof", "owner": .reference("Person", 1)])]),
        ("Cat", [Row(2, ["name": "Tom", "text": "miaow", "lives": 9])]),
      ])
    )
  }

  @Test func `a fetch of the root gives every row as its own entity`() throws {
    let rows = try store.rows("Animal")
    #expect(rows.map { store.model.entities[$0.entity].name } == ["Dog", "Cat"])
    #expect(try store.value(rows[0], "text") == .string("woof"))
    #expect(try store.value(rows[1], "text") == .string("miaow"))
    #expect(try store.value(rows[1], "lives") == .integer(9))
    #expect(
      try store.reference(rows[0], "owner")
        == ObjectReference(key: 1, entity: store.model.index("Person"))
    )
  }

  @Test func `a fetch of a subentity, or without subentities, leaves others out`() throws {
    #expect(try store.rows("Dog").map(\.key) == [1])
    #expect(try store.rows("Dog", .keys([1, 2])).map(\.key) == [1])
    var query = StoreQuery(entity: store.model.index("Animal"))
    query.includesSubentities = false
    #expect(try store.count(query) == 0)
  }

  @Test func `a reference knows the concrete entity`() throws {
    let person = try store.row("Person", 1)
    #expect(
      try store.reference(person, "favourite")
        == ObjectReference(key: 2, entity: store.model.index("Cat"))
    )
    #expect(try store.value(person, "address.city") == .string("Bern"))
    #expect(try store.members("Person", "animals", of: 1) == [1])
  }

  @Test func `a subentity's constraint holds for the whole table`() throws {
    let found = conflicts {
      try store.save(store.model.insertion([("Cat", [Row(3, ["name": "Rex"])])]))
    }
    guard case .constraint(let entity, let constraint, let newcomer, let stored) = found.first
    else {
      Issue.record("no conflict")
      return
    }
    #expect(store.model.entities[entity].name == "Dog")
    #expect((constraint, newcomer, stored.key) == (0, 3, 1))
  }
}
