// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// Unique decimals of whose texts SQLite does not make the nearest doubles.
@Suite("SEMANTICS 1M: twins of decimals")
struct DecimalTwinTests {
  @Test(arguments: StoreKind.allCases, ["0.002877", "-0.002877", "5.326349", "0.5", "7"])
  func `a twin of a stored decimal is refused, or merged where the policy says so`(
    _ kind: StoreKind,
    _ text: String
  ) throws {
    let price = try #require(Decimal(string: text))
    let model = try ManagedObjectModel(
      EntityDescription(
        "Coin",
        uniqueness: [["price"]],
        properties: [
          .attribute("price", .decimal, optional: true),
          .attribute("name", .string, optional: true),
        ]
      )
    )
    let bench = try Bench(kind, model: model, classes: [])
    func coin(_ name: String, in context: ManagedObjectContext) throws -> ManagedObject {
      let coin = try context.insert(entityNamed: "Coin")
      try coin.setValue(price, forKey: "price")
      try coin.setValue(name, forKey: "name")
      return coin
    }
    let first = bench.context()
    let stored = try coin("old", in: first)
    try first.save()
    let context = bench.context()
    let newcomer = try coin("new", in: context)
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    #expect(newcomer.objectID == stored.objectID)
    let reader = bench.context()
    let coins = try reader.fetch(FetchRequest<ManagedObject>(entityName: "Coin"))
    #expect(coins.count == 1)
    let kept = try #require(coins.first)
    #expect(try kept.value(forKey: "name") as? String == "new")
    #expect(try kept.value(forKey: "price") as? Decimal == price)
  }
}
