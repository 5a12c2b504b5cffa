// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore
import RowTesting
import Testing

@testable import PerennialSQLite

/// Sums and means of decimals that a store computes: SQLite adds doubles, memory adds decimals.
@Suite("Attributes derived of decimals")
struct DerivedDecimalTests {
  private let memory: InMemoryStore
  private let sqlite: SQLiteStore

  init() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Box",
        properties: [
          .toMany("items", "Item", inverse: "box"),
          .attribute("total", .decimal, optional: true, derived: "items.@sum.price"),
          .attribute("weight", .double, optional: true, derived: "items.@sum.price"),
          .attribute("mean", .double, optional: true, derived: "items.@avg.price"),
        ]
      ),
      EntityDescription(
        "Item",
        properties: [
          .attribute("price", .decimal, optional: true), .toOne("box", "Box", inverse: "items"),
        ]
      )
    ).layout
    memory = InMemoryStore(model: model)
    sqlite = try SQLiteStore(url: nil, model: model)
  }

  /// Saves a box with items of some prices, and computes what is derived of them.
  private func fill(_ prices: [String]) throws {
    // One is in no box.
    var items = [Row(100, ["price": 5])]
    for (place, text) in prices.enumerated() {
      let price = try #require(Decimal(string: text))
      items.append(
        Row(Int64(place + 1), ["price": .value(.decimal(price)), "box": .reference("Box", 1)])
      )
    }
    var changes = sqlite.model.insertion([("Box", [Row(1)]), ("Item", items)])
    for name in ["total", "weight", "mean"] { changes.derivations.append(try derivation(name)) }
    try memory.save(changes)
    try sqlite.save(changes)
  }

  private func derivation(_ name: String) throws -> ChangeSet.Derivation {
    let model = sqlite.model
    let box = model.entities[model.index("Box")]
    let price = try #require(model.entities[model.index("Item")].slotsByName["price"])
    let slot = try #require(box.slotsByName[name])
    let format = try #require(box.slots[slot].attribute?.derivationExpression)
    var derivation = ChangeSet.Derivation(
      entity: box.index,
      slot: slot,
      source: .members(
        try model.relationship("Box", "items"),
        name == "mean" ? .average : .sum,
        member: price
      ),
      expression: try ExpressionNode(parsing: format)
    )
    derivation.owners = [1]
    return derivation
  }

  /// What memory and SQLite answer, in this order.
  private func answers(_ format: String, _ argument: any Sendable) throws -> [String] {
    let predicate = try FetchPredicate(parsing: format, arguments: [argument])
    let query = StoreQuery(entity: sqlite.model.index("Box"), predicate: predicate)
    return [PredicateTwins.answer(memory, query), PredicateTwins.answer(sqlite, query)]
  }

  private func check(_ name: String, _ argument: any Sendable) throws {
    for condition in ["== %@", "<= %@", ">= %@", "IN {%@, 77}"] {
      #expect(try answers("\(name) \(condition)", argument) == ["[1]", "[1]"], "\(condition)")
    }
    for condition in ["!= %@", "< %@", "> %@"] {
      #expect(try answers("\(name) \(condition)", argument) == ["[]", "[]"], "\(condition)")
    }
  }

  private func checkTotal(_ prices: [String], _ total: String) throws {
    try fill(prices)
    let decimal = try #require(Decimal(string: total))
    let number = try #require(Double(total))
    try check("total", decimal)
    try check("total", number)
    let row = try sqlite.row("Box", 1)
    #expect(try sqlite.value(row, "total") == .decimal(decimal))
  }

  @Test(
    arguments: [
      (["0.1", "0.2"], "0.3"), (["-0.1", "-0.2"], "-0.3"), (["0.002877"], "0.002877"),
      (["0.002877", "2.9954596"], "2.9983366"), (["3", "4"], "7"), ([], "0"),
    ] as [([String], String)]
  )
  func `a sum is found by the decimal that it is`(_ prices: [String], _ total: String) throws {
    try checkTotal(prices, total)
  }

  /// SQLite adds 0.9999999999999999 or 1.9999999999999998.
  @Test(
    arguments: [
      (Array(repeating: "0.1", count: 10), "1"), (["0.29", "0.35", "0.36"], "1"),
      (["0.18", "0.69", "1.13"], "2"), (["-0.29", "-0.35", "-0.36"], "-1"),
    ] as [([String], String)]
  )
  func `a sum that is a whole number is found by it`(_ prices: [String], _ total: String) throws {
    try checkTotal(prices, total)
  }

  /// The numbers are texts: of some literals Swift does not make the nearest double, as it rounds twice.
  @Test(
    arguments: [
      (["0.1", "0.2"], "0.15"), (["0.002877", "0.002877"], "0.002877"), (["1", "2"], "1.5"),
    ] as [([String], String)]
  )
  func `a mean of few digits is found by them`(_ prices: [String], _ mean: String) throws {
    try fill(prices)
    try check("mean", try #require(Double(mean)))
  }

  /// A double has more digits than the 15 of a decimal.
  @Test(
    arguments: [
      (["0.1", "0.2", "0.7"], 1.0 / 3), (["0.1", "0.2", "0.2"], 0.5 / 3),
      (["1", "2", "0.5"], 3.5 / 3),
    ] as [([String], Double)]
  )
  func `a mean is the double that is nearest to it`(_ prices: [String], _ mean: Double) throws {
    try fill(prices)
    try check("mean", mean)
  }

  @Test(
    arguments: [
      (["0.1", "0.2"], "0.3"), (["0.011227"], "0.011227"), (["5.326349"], "5.326349"),
      (["0.035"], "0.035"),
    ] as [([String], String)]
  )
  func `a sum as a double is the one that is nearest to it`(
    _ prices: [String],
    _ sum: String
  ) throws {
    try fill(prices)
    try check("weight", try #require(Double(sum)))
  }
}
