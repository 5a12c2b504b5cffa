// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1G.10: means of large integers")
struct WideMeanTests {
  private static func makeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Box",
        properties: [
          .toMany("items", "Item", inverse: "box", deleteRule: .nullify),
          .attribute("mean", .double, derived: "items.@avg.weight"),
        ]
      ),
      EntityDescription(
        "Item",
        properties: [.attribute("weight", .int64), .toOne("box", "Box", inverse: "items")]
      )
    )
  }

  /// Means, computed by hand as the exact sum's nearest double over the count.
  private static let examples: [(sizes: [Int64], mean: Double)] = [
    ([.max, .max], 9_223_372_036_854_775_808), ([.min, .min], -9_223_372_036_854_775_808),
    ([.max, .min], -0.5), ([.max, .max, .min, .min, 4], 0.4),
    ([.max, .max, .max, .max, 0, 0, 0, 0], 4_611_686_018_427_387_904),
    ([9_007_199_254_740_993, 1], 4_503_599_627_370_497),
  ]

  @Test(arguments: StoreKind.allCases, examples)
  func
    `1G.10 a mean is the same in the store and in memory, also where the sum needs more than 64 bits`(
      _ kind: StoreKind,
      _ example: (sizes: [Int64], mean: Double)
    ) throws
  {
    let bench = try Bench(kind, model: Self.makeModel(), classes: [])
    let context = bench.context()
    let box = try context.insert(entityNamed: "Box")
    for size in example.sizes {
      let item = try context.insert(entityNamed: "Item")
      try item.setValue(size, forKey: "weight")
      try item.setObject(box, forKey: "box")
    }
    try context.processPendingChanges()
    #expect(try box.value(forKey: "mean") as? Double == example.mean)
    try context.save()
    let reader = bench.context()
    let items = FetchRequest<ManagedObject>(entityName: "Item")
    let mean = PropertyToFetch.expression(ExpressionDescription("m", format: "average(weight)"))
    #expect(
      try reader.fetchDictionaries(items.fetching(mean)).first?["m"] as? Double == example.mean
    )
    let boxes = FetchRequest<ManagedObject>(entityName: "Box")
    let format = boxes.filter("items.@avg.weight == \(example.mean) AND mean == \(example.mean)")
    #expect(try reader.count(for: format) == 1)
    let stored = try #require(try reader.first(boxes))
    #expect(try stored.value(forKey: "mean") as? Double == example.mean)
  }
}
