// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// What the engines once saw differently; random predicates found it.
@Suite("Agreement of memory and SQLite")
struct AgreementTests {
  private let folder: TemporaryFolder
  private let memory: InMemoryStore
  private let sqlite: SQLiteStore

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let model = try ManagedObjectModel(
      EntityDescription(
        "Shelf",
        properties: [
          .attribute("real", .double, optional: true), .attribute("large", .int64, optional: true),
          .toMany("items", "Item", inverse: "shelf"),
          .toOne("best", "Item"),
        ]
      ),
      EntityDescription(
        "Item",
        properties: [
          .attribute("large", .int64, optional: true), .toOne("shelf", "Shelf", inverse: "items"),
        ]
      ),
      // Only boxes have parts.
      EntityDescription(
        "Box",
        parent: "Item",
        properties: [.toMany("parts", "Part", inverse: "box")]
      ),
      EntityDescription("Stone", parent: "Item", properties: []),
      EntityDescription(
        "Part",
        properties: [
          .attribute("weight", .int32, optional: true), .toOne("box", "Box", inverse: "parts"),
        ]
      ),
      EntityDescription(
        "Coin",
        properties: [
          .attribute("price", .decimal, optional: true),
          .attribute("real", .double, optional: true),
        ]
      )
    ).layout
    memory = InMemoryStore(model: model)
    sqlite = try SQLiteStore(url: folder.file(), model: model)
    let changes = model.insertion([
      (
        "Shelf",
        [
          Row(1, ["real": -0.0, "best": .reference("Box", 1)]),
          Row(2, ["real": 0.0, "best": .reference("Stone", 3)]), Row(3, ["large": 5]),
        ]
      ),
      (
        "Box",
        [
          Row(1, ["shelf": .reference("Shelf", 1), "large": .value(.integer(.max))]),
          Row(2, ["shelf": .reference("Shelf", 1), "large": 3]),
        ]
      ),
      ("Stone", [Row(3, ["shelf": .reference("Shelf", 2), "large": .value(.integer(.min))])]),
      ("Part", [Row(1, ["box": .reference("Box", 1), "weight": 7])]),
      (
        "Coin",
        [
          Row(1, ["price": 9_007_199_254_740_993, "real": 9_007_199_254_740_992.0]),
          Row(2, ["price": 1, "real": 1.0]),
          Row(3, ["price": .value(.integer(.max)), "real": 0x1p63]),
        ]
      ),
    ])
    try memory.save(changes)
    try sqlite.save(changes)
  }

  private func check(_ entity: String, _ format: String, _ expected: String) throws {
    let predicate = try FetchPredicate(parsing: format)
    let query = StoreQuery(entity: sqlite.model.index(entity), predicate: predicate)
    #expect(PredicateTwins.answer(memory, query) == expected, "in memory")
    #expect(PredicateTwins.answer(sqlite, query) == expected, "in SQLite")
  }

  @Test(arguments: [
    ("CAST(real, 'NSString') == '0.0'", "[1, 2]"), ("CAST(real, 'NSString') == '-0.0'", "[]"),
    ("real ** -1 > 0", "[1, 2]"),
  ])
  func `the sign of a zero shows nowhere, for SQLite does not keep it`(
    _ format: String,
    _ expected: String
  ) throws {
    try check("Shelf", format, expected)
  }

  @Test(arguments: [
    ("Item", "parts.@count == 0", "[2]"), ("Item", "parts.@count != 1", "[2, 3]"),
    ("Item", "NOT parts.@count > 0", "[2, 3]"), ("Item", "parts.@sum.weight <= 0", "[2]"),
    ("Shelf", "best.parts.@count BETWEEN {nil, nil}", "[2, 3]"),
    ("Item", "SUBQUERY(parts, $p, $p.weight > 1).@count == 0", "[2, 3]"),
    ("Item", "NONE parts.weight == 7", "[2, 3]"), ("Item", "ANY parts != nil", "[1]"),
  ])
  func `a to-many that an object's entity lacks is nil, not empty`(
    _ entity: String,
    _ format: String,
    _ expected: String
  ) throws {
    try check(entity, format, expected)
  }

  @Test(arguments: [
    ("ANY items.parts == nil", "[2]"), ("ANY items.parts.weight != 7", "[2]"),
    ("NONE items.parts.weight == nil", "[1, 3]"), ("nil IN items.parts", "[2]"),
    ("ANY items.parts.weight == 7", "[1]"),
  ])
  func `elements whose entity lacks a to-many give one nil each`(
    _ format: String,
    _ expected: String
  ) throws {
    try check("Shelf", format, expected)
  }

  /// A double has no 2^53 + 1: the nearest one is 2^53.
  @Test(arguments: [
    ("price == 9007199254740992.0", "[1]"), ("price > 9007199254740992.0", "[3]"),
    ("price IN {9007199254740992.0, 1.0}", "[1, 2]"), ("price >= 9223372036854775808.0", "[3]"),
    ("price BETWEEN {0.5, 9007199254740992.0}", "[1, 2]"),
    ("price < CAST('inf', 'NSNumber')", "[1, 2, 3]"), ("price < 1e300", "[1, 2, 3]"),
    ("real == CAST('9007199254740993', 'NSDecimalNumber')", "[1]"),
    ("real IN {CAST('9007199254740993', 'NSDecimalNumber')}", "[1]"),
    ("real < CAST('9007199254740993', 'NSDecimalNumber')", "[2]"),
    ("price == real", "[1, 2, 3]"), ("price > real", "[]"), ("price <= real", "[1, 2, 3]"),
    ("price == 9007199254740992", "[]"), ("price == 9007199254740993", "[1]"),
  ])
  func `a decimal and a double are compared as doubles, a decimal and an integer exactly`(
    _ format: String,
    _ expected: String
  ) throws {
    try check("Coin", format, expected)
  }

  @Test(arguments: [
    ("Part", "box.shelf.items.@sum.large == 1", "error 200002"),
    ("Shelf", "large == 5 AND items.@sum.large == 0", "[3]"),
    ("Stone", "shelf.items.@sum.large < 0", "[3]"),
    ("Stone", "shelf.items.@avg.large < 0", "[3]"),
  ])
  func `a sum that overflows is no error for objects that do not ask for it`(
    _ entity: String,
    _ format: String,
    _ expected: String
  ) throws {
    let predicate = try FetchPredicate(parsing: format)
    let query = StoreQuery(entity: sqlite.model.index(entity), predicate: predicate)
    #expect(PredicateTwins.answer(memory, query) == expected)
    if expected.hasPrefix("[") { #expect(PredicateTwins.answer(sqlite, query) == expected) }
  }
}
