// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Testing

@Suite("Aggregates: numbers about objects that stay up to date")
struct LiveAggregatesTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Sale",
        properties: [
          .attribute("shop", .string, optional: true), .attribute("pieces", .int64, optional: true),
          .attribute("weight", .double, optional: true),
          .attribute("price", .decimal, optional: true),
          .attribute("isPaid", .bool, optional: true),
          .toOne("customer", "Customer"),
        ]
      ),
      EntityDescription(
        "Customer",
        properties: [.attribute("town", .string, optional: true), .toMany("sales", "Sale")]
      )
    )
  }

  private let sales = FetchRequest<ManagedObject>(entityName: "Sale")

  private func bench(_ kind: StoreKind) throws -> Bench {
    try Bench(kind, model: Self.model(), classes: [])
  }

  @discardableResult
  private func sell(
    _ values: [String: any Sendable],
    in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let sale = try context.insert(entityNamed: "Sale")
    for (name, value) in values { try sale.setValue(value, forKey: name) }
    return sale
  }

  @Test(arguments: StoreKind.allCases)
  func `every kind of number has its sum, mean, least and greatest`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let prices = ["0.10", "0.20", "-1.5"].compactMap { Decimal(string: $0) }
    for (number, price) in prices.enumerated() {
      try sell(
        [
          "pieces": Int64(number * 3), "weight": Double(number) * 0.1, "price": price,
          "isPaid": number > 0,
        ],
        in: context
      )
    }
    try sell([:], in: context)
    let names = ["pieces", "weight", "price", "isPaid"]
    let live = try context.aggregates(
      of: sales,
      names.flatMap { [.sum($0), .average($0), .min($0), .max($0)] }
    )
    func values(_ name: String) -> [String] {
      let all: [Aggregate<ManagedObject>] = [.sum(name), .average(name), .min(name), .max(name)]
      return all.map { live.value(of: $0, as: Any.self).map { "\($0)" } ?? "" }
    }
    for _ in 0..<2 {
      #expect(live.groups.first?.count == 4)
      #expect(values("pieces") == ["9", "3.0", "0", "6"])
      #expect(values("weight") == ["0.30000000000000004", "0.10000000000000002", "0.0", "0.2"])
      #expect(values("price") == ["-1.2", "-0.4", "-1.5", "0.2"])
      #expect(values("isPaid") == ["2", "0.6666666666666666", "false", "true"])
      try context.save()
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `without objects there is one group that counts none`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let live = try context.aggregates(
      of: sales,
      [.count, .sum("pieces"), .sum("weight"), .average("weight"), .max("shop")]
    )
    #expect(live.groups.count == 1)
    #expect(live.value(of: .count) == 0)
    #expect(live.value(of: .sum("pieces")) == 0)
    #expect(live.value(of: .sum("weight")) == 0.0)
    #expect(live.value(of: .average("weight"), as: Double.self) == nil)
    #expect(live.value(of: .max("shop"), as: String.self) == nil)
    let grouped = try context.aggregates(of: sales, [.count], groupedBy: "shop")
    #expect(grouped.groups.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `when the greatest goes, the next one takes its place`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let objects = try (1...4).map { number in
      try sell(["shop": number < 4 ? "A" : "B", "pieces": Int64(number)], in: context)
    }
    let live = try context.aggregates(
      of: sales,
      [.min("pieces"), .max("pieces")],
      groupedBy: "shop"
    )
    context.delete(objects[2])
    try context.processPendingChanges()
    #expect(live["A"]?.value(of: .max("pieces")) == 2)
    try objects[0].setValue(Int64(7), forKey: "pieces")
    try context.processPendingChanges()
    #expect(live["A"]?.value(of: .min("pieces")) == 2)
    #expect(live["A"]?.value(of: .max("pieces")) == 7)
    #expect(live["B"]?.value(of: .max("pieces")) == 4)
    context.delete(objects[3])
    try context.save()
    #expect(live["B"] == nil)
    #expect(live.groups.map { $0.key(as: String.self) } == ["A"])
  }

  @Test(arguments: StoreKind.allCases)
  func `what another context saves is heard, and told once`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    context.automaticallyMergesChangesFromParent = true
    let live = try context.aggregates(of: sales, [.sum("pieces")], groupedBy: "shop")
    var told: [AggregatesChange<ManagedObject>] = []
    live.onChange = { told.append($0) }
    let other = bench.context()
    try sell(["shop": "A", "pieces": Int64(3)], in: other)
    try sell(["pieces": Int64(4)], in: other)
    try other.save()
    try context.processPendingChanges()
    try context.processPendingChanges()
    let change = try #require(told.first)
    #expect(told.count == 1)
    #expect(change.inserted.map { $0.key(as: String.self) } == [nil, "A"])
    #expect(change.groups == live.groups)
    #expect(live[nil as String?]?.value(of: .sum("pieces")) == 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `groups of a related object's attribute follow that object`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let customer = try context.insert(entityNamed: "Customer")
    try customer.setValue("Kiel", forKey: "town")
    for number in 1...2 {
      try sell(["pieces": Int64(number)], in: context).setObject(customer, forKey: "customer")
    }
    try sell(["pieces": Int64(5)], in: context)
    try context.save()
    let live = try context.aggregates(of: sales, [.sum("pieces")], groupedBy: "customer.town")
    #expect(live["Kiel"]?.value(of: .sum("pieces")) == 3)
    try customer.setValue("Bonn", forKey: "town")
    try context.processPendingChanges()
    #expect(live.groups.map { $0.key(as: String.self) } == [nil, "Bonn"])
    try customer.setValue(nil, forKey: "town")
    try context.save()
    #expect(live.groups.map(\.count) == [3])
  }

  @Test(arguments: StoreKind.allCases)
  func `a reset and a rollback are followed`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    try sell(["pieces": Int64(1)], in: context)
    try context.save()
    let live = try context.aggregates(of: sales, [.count])
    try sell(["pieces": Int64(2)], in: context)
    try context.processPendingChanges()
    #expect(live.value(of: .count) == 2)
    context.rollback()
    try context.processPendingChanges()
    #expect(live.value(of: .count) == 1)
    try sell(["pieces": Int64(3)], in: context)
    try context.processPendingChanges()
    context.reset()
    try context.processPendingChanges()
    #expect(live.value(of: .count) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a stream begins with all groups and goes on with changes`(_ kind: StoreKind) async throws {
    let bench = try bench(kind)
    let context = bench.context()
    try sell(["shop": "A"], in: context)
    let live = try context.aggregates(of: sales, [.count], groupedBy: "shop")
    var changes = live.changes.makeAsyncIterator()
    let first = try #require(await changes.next())
    #expect(first.isInitial)
    #expect(first.inserted == live.groups)
    try sell(["shop": "B"], in: context)
    try sell(["shop": "A"], in: context)
    try context.processPendingChanges()
    let second = try #require(await changes.next())
    #expect(!second.isInitial)
    #expect(second.inserted.map { $0.key(as: String.self) } == ["B"])
    #expect(second.updated.map(\.count) == [2])
    #expect(second.deleted.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `a sum that no Int64 holds is a double, and comes back`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let sale = try sell(["pieces": Int64.max], in: context)
    try sell(["pieces": Int64.max], in: context)
    let live = try context.aggregates(of: sales, [.sum("pieces")])
    #expect(live.value(of: .sum("pieces"), as: Int64.self) == nil)
    #expect(live.value(of: .sum("pieces")) == 0x1p64)
    context.delete(sale)
    try context.processPendingChanges()
    #expect(live.value(of: .sum("pieces")) == Int64.max)
  }

  @Test(arguments: StoreKind.allCases)
  func `what callbacks change belongs to the next event`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let live = try context.aggregates(of: sales, [.count])
    var counts: [Int?] = []
    live.onChange = { change in
      counts.append(change.groups.first?.count)
      guard counts.count < 3 else { return }
      _ = try? context.insert(entityNamed: "Sale")
      try? context.processPendingChanges()
    }
    try sell([:], in: context)
    try context.processPendingChanges()
    #expect(counts == [1, 2, 3])
  }

  @Test(arguments: StoreKind.allCases)
  func `what cannot be computed is a typed error`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    func code(
      _ request: FetchRequest<ManagedObject>,
      _ aggregate: Aggregate<ManagedObject>,
      by group: String? = nil
    ) -> PerennialError.Code? {
      PerennialGraphTests.code {
        _ = try context.aggregates(of: request, [aggregate], groupedBy: group)
      }
    }
    #expect(code(sales, .sum("shop")) == .typeMismatch)
    #expect(code(sales, .average("shop")) == .typeMismatch)
    #expect(code(sales, .max("nothing")) == .unknownName)
    #expect(code(sales, .max("customer")) != nil)
    #expect(code(sales, .count, by: "nothing") == .unknownName)
    #expect(code(sales, .count, by: "customer.nothing") == .unknownName)
    #expect(code(sales.limit(3), .count) == .invalidRequest)
    #expect(code(sales.offset(3), .count) == .invalidRequest)
  }
}

extension LiveAggregatesTests {
  @Test(arguments: StoreKind.allCases)
  func `an undone change of a related object is followed`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    context.undoManager = ContextUndoManager()
    let author = Author(context: context)
    author.name = "ann"
    let commit = Commit(context: context)
    commit.sha = "1"
    commit.author = author
    try context.save()
    let live = try context.aggregates(of: Commit.all, [.count], groupedBy: "author.name")
    author.name = "Bea"
    try context.processPendingChanges()
    #expect(live.groups.map { $0.key(as: String.self) } == ["Bea"])
    context.undoManager?.undo()
    try context.processPendingChanges()
    #expect(author.name == "ann")
    #expect(live.groups.map { $0.key(as: String.self) } == ["ann"])
  }
}
