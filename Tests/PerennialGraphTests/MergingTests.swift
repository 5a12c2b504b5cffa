// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1M: merging, hard cases")
struct MergingTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Item",
        uniqueness: [["key"], ["code", "zone"], ["owner", "rank"]],
        properties: [
          .attribute("key", .string, optional: true), .attribute("code", .string, optional: true),
          .attribute("zone", .int64, optional: true), .attribute("rank", .int64, optional: true),
          .attribute("text", .string, optional: true), .toOne("owner", "Owner"),
          .toMany("parts", "Part", inverse: "item"), .toOne("twin", "Item", inverse: "twin"),
        ]
      ),
      EntityDescription(
        "Special",
        parent: "Item",
        properties: [.attribute("extra", .string, optional: true)]
      ),
      EntityDescription(
        "Owner",
        uniqueness: [["name"]],
        properties: [
          .attribute("name", .string), .toMany("items", "Item", ordered: true),
          .toMany("watched", "Item"),
        ]
      ),
      EntityDescription("Part", properties: [.toOne("item", "Item"), .toOne("seen", "Item")])
    )
  }

  private func bench(_ kind: StoreKind) throws -> Bench { try Bench(kind, model: Self.model()) }

  private func merging(_ bench: Bench) -> ManagedObjectContext {
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    return context
  }

  private func make(
    _ entity: String,
    _ values: [String: any Sendable],
    in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let object = try context.insert(entityNamed: entity)
    for (name, value) in values { try object.setValue(value, forKey: name) }
    return object
  }

  private func all(_ entity: String, _ context: ManagedObjectContext) throws -> [ManagedObject] {
    try context.fetch(FetchRequest<ManagedObject>(entityName: entity))
  }

  @Test(arguments: StoreKind.allCases)
  func `A merges into B, which merges into C`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let first = bench.context()
    _ = try make("Item", ["key": "k", "text": "b"], in: first)
    _ = try make("Item", ["code": "c", "zone": 1, "text": "c"], in: first)
    try first.save()
    let context = merging(bench)
    let newcomer = try make("Item", ["key": "k", "code": "c", "zone": 1, "rank": 5], in: context)
    let part = try context.insert(entityNamed: "Part")
    try part.setObject(newcomer, forKey: "item")
    try context.save()
    #expect(newcomer.isForwarding)
    #expect(try newcomer.value(forKey: "rank") as? Int64 == 5)
    #expect(try part.object(forKey: "item")?.objectID == newcomer.objectID)
    let fresh = bench.context()
    let rows = try all("Item", fresh)
    #expect(rows.count == 1)
    #expect(rows.first?.objectID == newcomer.objectID)
    #expect(try rows.first?.objects(forKey: "parts").count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `objects that refer to a loser refer to the survivor`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let first = bench.context()
    let stored = try make("Item", ["key": "k"], in: first)
    try first.save()
    let context = merging(bench)
    let loser = try make("Item", ["key": "k"], in: context)
    let part = try context.insert(entityNamed: "Part")
    try part.setObject(loser, forKey: "seen")
    let owner = try make("Owner", ["name": "o"], in: context)
    try owner.objects(forKey: "watched").insert(loser)
    try owner.objects(forKey: "items").insert(loser)
    try context.save()
    let reader = bench.context()
    let ownerRow = try #require(try all("Owner", reader).first)
    #expect(try ownerRow.objects(forKey: "items").objectIDs == [stored.objectID])
    #expect(try ownerRow.objects(forKey: "watched").objectIDs == [stored.objectID])
    #expect(try all("Part", reader).first?.object(forKey: "seen")?.objectID == stored.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `counts are right between the merge and the save`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = merging(bench)
    let owner = try make("Owner", ["name": "o"], in: context)
    try context.save()
    let items = try owner.objects(forKey: "items")
    let one = try make("Item", ["key": "k"], in: context)
    let two = try make("Item", ["key": "k"], in: context)
    items.insert(one)
    items.insert(two)
    #expect(items.count == 2)
    try context.processPendingChanges()
    #expect(items.count == 1)
    #expect(Array(items) == [one])
    #expect(two.isForwarding)
    try context.save()
    #expect(items.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a loser that was linked to its survivor leaves no link`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = merging(bench)
    let one = try make("Item", ["key": "k"], in: context)
    let two = try make("Item", ["key": "k"], in: context)
    try one.setObject(two, forKey: "twin")
    try context.save()
    #expect(try one.object(forKey: "twin") == nil)
    #expect(try all("Item", bench.context()).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `a stored loser's row is hidden at once and comes back with rollback`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = merging(bench)
    let one = try make("Item", ["key": "1", "text": "one"], in: context)
    let two = try make("Item", ["key": "2", "rank": 7], in: context)
    try context.save()
    try two.setValue("1", forKey: "key")
    try one.setValue("changed", forKey: "text")
    #expect(try all("Item", context).count == 1)
    context.rollback()
    #expect(!one.isForwarding && !two.isForwarding)
    #expect(try two.value(forKey: "key") as? String == "2")
    #expect(try two.value(forKey: "rank") as? Int64 == 7)
    #expect(Set(try all("Item", context)) == [one, two])
    try two.setValue("1", forKey: "key")
    try context.save()
    #expect(one.isForwarding != two.isForwarding)
    #expect(one.objectID == two.objectID)
    #expect(try all("Item", bench.context()).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `nulls are never equal`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = merging(bench)
    for _ in 0..<3 { _ = try make("Item", ["code": "c"], in: context) }
    try context.save()
    _ = try make("Item", ["code": "c"], in: context)
    try context.save()
    #expect(try all("Item", bench.context()).count == 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `a constraint on a to-one sees that the targets were merged`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    func fill(_ context: ManagedObjectContext, _ text: String) throws -> ManagedObject {
      let owner = try make("Owner", ["name": "o"], in: context)
      let item = try make("Item", ["rank": 1, "text": text], in: context)
      try item.setObject(owner, forKey: "owner")
      return item
    }
    let context = merging(bench)
    let (one, two) = (try fill(context, "1"), try fill(context, "2"))
    try context.save()
    #expect(two.objectID == one.objectID)
    let other = merging(bench)
    let three = try fill(other, "3")
    try other.save()
    #expect(three.objectID == one.objectID)
    let reader = bench.context()
    let rows = try all("Item", reader)
    #expect(rows.count == 1)
    #expect(try rows.first?.value(forKey: "text") as? String == "3")
    #expect(try all("Owner", bench.context()).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `an object does not stand for one that has more properties`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let first = bench.context()
    let stored = try make("Item", ["key": "k"], in: first)
    try first.save()
    let context = merging(bench)
    let special = try make("Special", ["key": "k", "extra": "x"], in: context)
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    #expect(special.isInserted)
    context.rollback()
    let plain = try make("Item", ["key": "s", "text": "t"], in: context)
    let twin = try make("Special", ["key": "s", "extra": "x"], in: context)
    try context.save()
    #expect(plain.isForwarding)
    #expect(try twin.value(forKey: "text") as? String == "t")
    #expect(try twin.value(forKey: "extra") as? String == "x")
    #expect(stored.objectID != twin.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `a loser outlives its context and its survivor`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    var context: ManagedObjectContext? = merging(bench)
    weak var survivor: ManagedObject?
    let two: ManagedObject = try {
      let context = try #require(context)
      let one = try make("Item", ["key": "k", "text": "one"], in: context)
      let two = try make("Item", ["key": "k", "rank": 2], in: context)
      try context.save()
      survivor = one
      return two
    }()
    #expect(survivor != nil)
    #expect(two.isForwarding)
    context = nil
    #expect(survivor == nil)
    let text: String? = two._get(4)
    #expect(text == "one")
    #expect(two.managedObjectContext == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `objects equal by their defaults become one`(_ kind: StoreKind) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "D",
        uniqueness: [["x"]],
        properties: [
          .attribute("x", .string, default: "same"), .attribute("y", .int64, default: 0),
        ]
      )
    )
    let bench = try Bench(kind, model: model)
    let context = merging(bench)
    let one = try context.insert(entityNamed: "D")
    let two = try make("D", ["y": 5], in: context)
    try context.save()
    #expect(one.objectID == two.objectID)
    #expect(try one.value(forKey: "y") as? Int64 == 5)
    #expect(try bench.context().fetch(FetchRequest<ManagedObject>(entityName: "D")).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `2,000 objects with ten keys become ten`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = merging(bench)
    var items: [ManagedObject] = []
    for number in 0..<2_000 {
      items.append(try make("Item", ["key": "\(number % 10)"], in: context))
    }
    try context.save()
    #expect(Set(items.map(\.objectID)).count == 10)
    #expect(try all("Item", bench.context()).count == 10)
  }

  @Test(arguments: StoreKind.allCases)
  func `of several merges in a row each takes along what the former have redirected`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = merging(bench)
    for key in ["x", "x", "y", "y"] { _ = try make("Item", ["key": key], in: context) }
    let first = try make("Item", ["code": "c", "zone": 1], in: context)
    let middle = try make("Item", ["key": "k"], in: context)
    let last = try make("Item", ["key": "k", "code": "c", "zone": 1], in: context)
    let (part, owner) = (
      try make("Part", [:], in: context), try make("Owner", ["name": "o"], in: context)
    )
    try part.link("seen", last)
    for item in [middle, last] { try owner.objects(forKey: "watched").insert(item) }
    try context.processPendingChanges()
    #expect(middle.objectID == first.objectID && last.objectID == first.objectID)
    #expect(try part.target("seen") === first)
    #expect(try owner.ids("watched") == [first.objectID])
    try context.save()
    let reader = bench.context()
    let stored = try reader.existingObject(with: part.objectID)
    #expect(try stored.target("seen")?.objectID == first.objectID)
    #expect(try all("Item", reader).count == 3)
  }
}
