// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1B: validation beyond the changed objects themselves")
struct OwnerValidationTests {
  @Test(arguments: StoreKind.allCases)
  func `1B.1 an owner of which only members changed meets its to-many conditions`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: ManagedObjectModel(Entry.entity), classes: [Entry.self])
    let context = bench.context()
    let parent = Entry(context: context)
    parent.rating = 2
    for _ in 0..<2 { Entry(context: context).parent = parent }
    try context.save()
    let third = Entry(context: context)
    third.parent = parent
    let problems = try context.validate()
    #expect(problems.map(\.code) == [.validation] && problems.map(\.property) == ["children"])
    #expect(problems.map(\.objectID) == [parent.objectID])
    #expect(code { try context.save() } == .validation)
    third.parent = nil
    try context.save()
    #expect(parent.children.count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.2 an owner without rules for its members stays a fault`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let writer = bench.context()
    let commit = Commit(context: writer)
    commit.sha = "a"
    commit.author = Author(context: writer)
    commit.author?.name = "Ada"
    try writer.save()
    let context = bench.context()
    let author = try #require(try context.fetch(Commit.all).first?.author)
    #expect(author.isFault)
    let other = Commit(context: context)
    other.sha = "b"
    other.author = author
    try context.save()
    #expect(author.isFault && author.commits.count == 2)
  }

  /// Owners that need two items, if they have any.
  private func countedBench(_ kind: StoreKind) throws -> Bench {
    let items = RelationshipDescription(
      "items",
      to: "Item",
      inverse: "owner",
      isToMany: true,
      minimumCount: 2
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

  @Test(arguments: StoreKind.allCases)
  func `1B.4 validate finds owners with too few members`(_ kind: StoreKind) throws {
    let bench = try countedBench(kind)
    let context = bench.context()
    let owner = try context.insert(entityNamed: "Owner")
    let members = try (0..<2).map { _ in try context.insert(entityNamed: "Item") }
    for member in members { try member.setObject(owner, forKey: "owner") }
    try context.save()
    try members[0].setObject(nil, forKey: "owner")
    let problems = try context.validate()
    #expect(problems.map(\.code) == [.relationshipLacksMinimumCount])
    #expect(problems.map(\.objectID) == [owner.objectID])
    #expect(code { try context.save() } == .relationshipLacksMinimumCount)
  }

  @Test(arguments: StoreKind.allCases)
  func `1B.4 an owner that is not in memory is found once, however many members have left it`(
    _ kind: StoreKind
  ) throws {
    let bench = try countedBench(kind)
    let writer = bench.context()
    let owner = try writer.insert(entityNamed: "Owner")
    for _ in 0..<3 {
      try writer.insert(entityNamed: "Item").setObject(owner, forKey: "owner")
    }
    try writer.save()
    let context = bench.context()
    let items = try context.fetch(FetchRequest<ManagedObject>(entityName: "Item"))
    for item in items.dropLast() { try item.setObject(nil, forKey: "owner") }
    #expect(context.registeredObject(for: owner.objectID) == nil)
    let problems = try context.validate()
    #expect(problems.map(\.code) == [.relationshipLacksMinimumCount])
    #expect(problems.map(\.objectID) == [owner.objectID])
    #expect(code { try context.save() } == .relationshipLacksMinimumCount)
  }

  /// No delete rule empties a relationship without an inverse.
  @Test(arguments: StoreKind.allCases)
  func `1B.1 a required relationship to a new object that is deleted is missing`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(
      EntityDescription("Owner", properties: [.attribute("name", .string, optional: true)]),
      EntityDescription("Item", properties: [.toOne("owner", "Owner", optional: false)])
    )
    let bench = try Bench(kind, model: model, classes: [])
    let context = bench.context()
    let (owner, item) = (
      try context.insert(entityNamed: "Owner"), try context.insert(entityNamed: "Item")
    )
    try item.setObject(owner, forKey: "owner")
    context.delete(owner)
    #expect(try context.validate().map(\.property) == ["owner"])
    #expect(code { try context.save() } == .missingMandatoryProperty)
    try item.setObject(context.insert(entityNamed: "Owner"), forKey: "owner")
    try context.save()
    #expect(try item.object(forKey: "owner") != nil)
  }
}
