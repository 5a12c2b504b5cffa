// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1C: delete rules and counts, with relationships of a model made at run time")
struct DeleteRuleTests {
  /// Owners and items: `items` with a rule and counts, `owner` back.
  private func bench(
    _ kind: StoreKind,
    rule: DeleteRule = .nullify,
    isOptional: Bool = true,
    counts: (least: Int, most: Int) = (0, 0)
  ) throws -> Bench {
    let items = RelationshipDescription(
      "items",
      to: "Item",
      inverse: "owner",
      isToMany: true,
      deleteRule: rule,
      isOptional: isOptional,
      minimumCount: counts.least,
      maximumCount: counts.most
    )
    let model = try ManagedObjectModel(
      EntityDescription(
        "Owner",
        properties: [.attribute("name", .string, optional: true), .relationship(items)]
      ),
      EntityDescription("Item", properties: [.toOne("owner", "Owner", inverse: "items")])
    )
    return try Bench(kind, model: model, classes: [])
  }

  /// An owner with items, not saved.
  private func insert(
    _ count: Int,
    into context: ManagedObjectContext
  ) throws -> (owner: ManagedObject, items: [ManagedObject]) {
    let owner = try context.insert(entityNamed: "Owner")
    let items = try (0..<count).map { _ in try context.insert(entityNamed: "Item") }
    for item in items { try item.setObject(owner, forKey: "owner") }
    return (owner, items)
  }

  @Test(
    arguments: StoreKind.allCases,
    [(DeleteRule.noAction, 0), (.nullify, 1), (.cascade, 2), (.deny, 3)]
  )
  func `1C.1 a rule has Core Data's number and effect`(
    _ kind: StoreKind,
    _ example: (rule: DeleteRule, number: Int)
  ) throws {
    #expect(example.rule.rawValue == example.number)
    let bench = try bench(kind, rule: example.rule)
    let context = bench.context()
    let (owner, items) = try insert(2, into: context)
    try context.save()
    context.delete(owner)
    #expect(items.allSatisfy { !$0.isDeleted }, "rules apply at the end of the event")
    try context.processPendingChanges()
    #expect(items.map(\.isDeleted) == items.map { _ in example.rule == .cascade })
    if example.rule == .deny {
      #expect(code { try context.save() } == .relationshipDeniedDelete)
      for item in items { context.delete(item) }
    }
    try context.save()
    let left = try context.count(for: FetchRequest<ManagedObject>(entityName: "Item"))
    #expect(left == (example.rule == .nullify || example.rule == .noAction ? 2 : 0))
    if example.rule == .nullify {
      for item in items { #expect(try item.object(forKey: "owner") == nil) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 a to-one relationship cascades, and a cycle of cascades ends`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Node",
        properties: [
          .toOne("next", "Node", inverse: "previous", deleteRule: .cascade),
          .toOne("previous", "Node", inverse: "next", deleteRule: .cascade),
        ]
      )
    )
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    let nodes = try (0..<5).map { _ in try context.insert(entityNamed: "Node") }
    for (index, node) in nodes.enumerated() {
      try node.setObject(nodes[(index + 1) % 5], forKey: "next")
    }
    let alone = try context.insert(entityNamed: "Node")
    try alone.setObject(alone, forKey: "next")
    try context.save()
    context.delete(nodes[2])
    context.delete(alone)
    try context.save()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Node")) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 members are deleted while a program iterates over them`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let (owner, _) = try insert(20, into: context)
    try context.save()
    for item in try owner.objects(forKey: "items") { context.delete(item) }
    #expect(try owner.objects(forKey: "items").isEmpty)
    try context.save()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Item")) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 rules that an error of the store has stopped are applied by the next save`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 2, commitsEach: 3)
    let context = bench.context()
    let authors = try context.fetch(Author.all)
    for author in authors { context.delete(author) }
    bench.store.fails = true
    #expect(code { try context.save() } == .sqlite)
    #expect(authors.map(\.isDeleted) == [true, true])
    bench.store.fails = false
    try context.save()
    #expect(try bench.context().count(for: Author.all) == 0)
    #expect(try bench.context().count(for: Commit.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 deny counts what is left, not what is deleted too`(_ kind: StoreKind) throws {
    let bench = try bench(kind, rule: .deny)
    let context = bench.context()
    let (owner, items) = try insert(1, into: context)
    try context.save()
    context.delete(owner)
    context.delete(items[0])
    try context.save()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Owner")) == 0)
  }

  @Test(
    arguments: StoreKind.allCases,
    [
      // optional, least, most, items, the code of the save
      (true, 2, 3, 0, nil), (true, 2, 3, 1, 1580), (true, 2, 3, 2, nil), (true, 2, 3, 4, 1590),
      (false, 0, 0, 0, 1580), (false, 0, 0, 1, nil), (false, 2, 0, 1, 1580), (true, 0, 0, 9, nil),
    ] as [(Bool, Int, Int, Int, Int?)]
  )
  func `1C.2 counts are checked at save, unless empty and optional`(
    _ kind: StoreKind,
    _ example: (isOptional: Bool, least: Int, most: Int, items: Int, code: Int?)
  ) throws {
    let bench = try bench(
      kind,
      isOptional: example.isOptional,
      counts: (example.least, example.most)
    )
    let context = bench.context()
    _ = try insert(example.items, into: context)
    #expect(code { try context.save() }?.rawValue == example.code)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.2 an owner whose members changed is checked, though it has no change of its own`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind, counts: (2, 3))
    let context = bench.context()
    let (owner, items) = try insert(2, into: context)
    try context.save()
    try items[0].setObject(nil, forKey: "owner")
    #expect(code { try context.save() } == .relationshipLacksMinimumCount)
    context.rollback()
    for _ in 0..<2 {
      try context.insert(entityNamed: "Item").setObject(owner, forKey: "owner")
    }
    #expect(code { try context.save() } == .relationshipExceedsMaximumCount)
  }

  @Test(arguments: StoreKind.allCases, [DeleteRule.noAction, .nullify, .deny])
  func `1C.1 a to-one relationship denies a deletion as long as it leads anywhere`(
    _ kind: StoreKind,
    _ rule: DeleteRule
  ) throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Item",
        properties: [
          .toOne("owner", "Owner", inverse: "items", deleteRule: rule),
          .toOne("other", "Owner", inverse: "others"),
        ]
      ),
      EntityDescription(
        "Owner",
        properties: [
          .toMany("items", "Item", inverse: "owner"), .toMany("others", "Item", inverse: "other"),
        ]
      )
    )
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    let (owner, items) = try insert(3, into: context)
    for item in items { try item.setObject(owner, forKey: "other") }
    try context.save()
    for item in items { context.delete(item) }
    if rule == .deny {
      #expect(code { try context.save() } == .multipleErrors)
      context.rollback()
      try items[0].setObject(nil, forKey: "owner")
      context.delete(items[0])
      try context.save()
      context.delete(owner)
      for item in items[1...] { context.delete(item) }
    }
    try context.save()
    #expect(try context.count(for: FetchRequest<ManagedObject>(entityName: "Item")) == 0)
    let owners = try context.count(for: FetchRequest<ManagedObject>(entityName: "Owner"))
    #expect(owners == (rule == .deny ? 0 : 1))
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.2 a one-to-one relationship has no count that a partner's change could break`(
    _ kind: StoreKind
  ) throws {
    let items = RelationshipDescription(
      "items",
      to: "Item",
      inverse: "owner",
      isToMany: true,
      isOptional: false,
      minimumCount: 1
    )
    let model = try ManagedObjectModel(
      EntityDescription(
        "Owner",
        properties: [.relationship(items), .toOne("seal", "Seal", inverse: "owner")]
      ),
      EntityDescription("Item", properties: [.toOne("owner", "Owner", inverse: "items")]),
      EntityDescription("Seal", properties: [.toOne("owner", "Owner", inverse: "seal")])
    )
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    let (owner, members) = try insert(1, into: context)
    try context.save()
    let seal = try context.insert(entityNamed: "Seal")
    try seal.setObject(owner, forKey: "owner")
    try context.save()
    #expect(try owner.object(forKey: "seal") === seal)
    try members[0].setObject(nil, forKey: "owner")
    #expect(code { try context.save() } == .relationshipLacksMinimumCount)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 an object that is deleted while its deletion is told is deleted once`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let (owner, items) = try insert(2, into: context)
    try context.save()
    let log = EventLog(context)
    var count = 0
    context.endsEvents { [weak context] in
      count += 1
      if count == 1 { context?.delete(owner) }
    }
    context.delete(owner)
    #expect(count == 1 && owner.isDeleted)
    try context.save()
    #expect(log.saves.map(\.deleted) == [[owner]])
    for item in items { #expect(try item.object(forKey: "owner") == nil) }
  }
}
