// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Decimals of whose texts SQLite 3.40 makes doubles that are not the nearest ones.
///
/// Conditions and constraints find them all the same.
@Suite("Decimals beside which SQLite's own doubles lie")
struct NearDecimalTests {
  /// A condition on a price, and for which prices it holds.
  struct Condition: Sendable, CustomTestStringConvertible {
    let format: String
    let holds: @Sendable (Decimal, Decimal) -> Bool

    init(_ format: String, _ holds: @escaping @Sendable (Decimal, Decimal) -> Bool) {
      self.format = format
      self.holds = holds
    }

    var testDescription: String { format }
  }

  static let texts: [String] = [
    "0.002877", "-0.002877", "0.005754", "-0.005754", "0.011227", "-0.011227", "5.326349",
    "-5.326349", "3.766513", "-3.766513", "2.9954596", "-2.9954596",
  ]

  static let conditions: [Condition] = [
    Condition("price == %@") { $0 == $1 },
    Condition("%@ == price") { $0 == $1 },
    Condition("price != %@") { $0 != $1 },
    Condition("price < %@") { $0 < $1 },
    Condition("price <= %@") { $0 <= $1 },
    Condition("price > %@") { $0 > $1 },
    Condition("price >= %@") { $0 >= $1 },
    Condition("price IN {%@, 7}") { $0 == $1 },
    Condition("NOT price IN {7, %@}") { $0 != $1 },
    Condition("price BETWEEN {%@, %@}") { $0 == $1 },
  ]

  private let folder: TemporaryFolder
  private let memory: InMemoryStore
  private let sqlite: SQLiteStore
  /// The prices of the coins, in the order of their keys, which begin at 1.
  private let prices: [Decimal]

  init() throws {
    folder = try TemporaryFolder(inMemory: true)
    let price = PropertyDescription.attribute("price", .decimal, optional: true)
    let model = try ManagedObjectModel(
      EntityDescription("Coin", properties: [price]),
      EntityDescription("Token", uniqueness: [["price"]], properties: [price])
    ).layout
    memory = InMemoryStore(model: model)
    sqlite = try SQLiteStore(url: folder.file(), model: model)
    var prices: [Decimal] = []
    var coins: [Row] = []
    for (place, text) in Self.texts.enumerated() {
      let price = try #require(Decimal(string: text))
      prices.append(price)
      coins.append(Row(Int64(place + 1), ["price": .value(.decimal(price))]))
    }
    self.prices = prices
    let changes = model.insertion([("Coin", coins)])
    try memory.save(changes)
    try sqlite.save(changes)
  }

  /// What memory and SQLite answer, in this order.
  private func answers(_ format: String, _ argument: any Sendable) throws -> [String] {
    let count = format.components(separatedBy: "%@").count - 1
    let predicate = try FetchPredicate(
      parsing: format,
      arguments: [(any Sendable)?](repeating: argument, count: count)
    )
    let query = StoreQuery(entity: sqlite.model.index("Coin"), predicate: predicate)
    return [PredicateTwins.answer(memory, query), PredicateTwins.answer(sqlite, query)]
  }

  @Test(arguments: conditions)
  func `conditions find them by a decimal and by a double`(_ condition: Condition) throws {
    for (text, price) in zip(Self.texts, prices) {
      let keys = prices.indices.filter { condition.holds(prices[$0], price) }.map { $0 + 1 }
      let expected = ["\(keys)", "\(keys)"]
      let number = try #require(Double(text))
      #expect(try answers(condition.format, price) == expected, "the decimal \(text)")
      #expect(try answers(condition.format, number) == expected, "the double \(text)")
    }
  }

  @Test func `conditions find what an update has written`() throws {
    var changes = ChangeSet()
    changes.updates = [
      sqlite.model.update(
        "Coin",
        ["price"],
        [Row(1, version: 2, ["price": .value(.decimal(prices[2]))])]
      )
    ]
    try memory.save(changes)
    try sqlite.save(changes)
    #expect(try answers("price == %@", prices[2]) == ["[1, 3]", "[1, 3]"])
    #expect(try answers("price == %@", prices[0]) == ["[]", "[]"])
  }

  @Test(arguments: texts)
  func `a twin of a unique one is a conflict`(_ text: String) throws {
    let decimal = try #require(Decimal(string: text))
    let price = Row.Value.value(.decimal(decimal))
    try sqlite.save(sqlite.model.insertion([("Token", [Row(1, ["price": price])])]))
    let twin = sqlite.model.insertion([("Token", [Row(2, ["price": price])])])
    var found: [[Int64]] = []
    for conflict in conflicts(of: { try sqlite.save(twin) }) {
      if case .constraint(_, _, let newcomer, let stored) = conflict {
        found.append([newcomer, stored.key])
      }
    }
    #expect(found == [[2, 1]])
    #expect(try sqlite.rows("Token").map(\.key) == [1])
  }

  @Test func `whole numbers of 64 bits stay integers in their column`() throws {
    let store = try SQLiteStore(url: nil, model: sqlite.model)
    let numbers: [Decimal] = [
      0, -7, 9_007_199_254_740_993, Decimal(Int64.max), Decimal(Int64.min),
      Decimal(sign: .plus, exponent: 20, significand: 1),
      Decimal(sign: .minus, exponent: -1, significand: 5),
    ]
    let rows = numbers.enumerated().map { place, number in
      Row(Int64(place + 1), ["price": .value(.decimal(number))])
    }
    try store.save(store.model.insertion([("Coin", rows)]))
    #expect(
      try store.texts("SELECT typeof(ZPRICE) FROM ZCOIN ORDER BY Z_PK")
        == ["integer", "integer", "integer", "integer", "integer", "real", "real"]
    )
    for (place, number) in numbers.enumerated() {
      let row = try store.row("Coin", Int64(place + 1))
      #expect(try store.value(row, "price") == .decimal(number))
    }
  }
}
