// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1M.2: a fetch shows no object beside the one that it will be merged into")
struct NewcomerTests {
  /// A store with one entry of key 1 and `a` 10.
  private func bench(_ kind: StoreKind) throws -> Bench {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(
        EntityDescription(
          "Entry",
          uniqueness: [["key"]],
          properties: [
            .attribute("key", .int64), .attribute("a", .int64, optional: true),
            .attribute("b", .int64, optional: true),
          ]
        )
      ),
      classes: []
    )
    let context = bench.context()
    try insert(["key": 1, "a": 10], in: context)
    try context.save()
    return bench
  }

  @discardableResult
  private func insert(
    _ values: [String: Int64],
    in context: ManagedObjectContext
  ) throws -> ManagedObject {
    let entry = try context.insert(entityNamed: "Entry")
    for (name, value) in values { try entry.setValue(value, forKey: name) }
    return entry
  }

  private var all: FetchRequest<ManagedObject> { FetchRequest(entityName: "Entry") }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a fetch merges a new object into the stored one that has its values`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let entry = try insert(["key": 1, "b": 20], in: context)
    let found = try context.fetch(all)
    #expect(found.count == 1)
    #expect(entry.isForwarding)
    #expect(try found[0].value(forKey: "a") as? Int64 == 10)
    #expect(try found[0].value(forKey: "b") as? Int64 == 20)
    #expect(try context.count(for: all) == 1)
    #expect(try context.fetch(all, batchSize: 10).count == 1)
    try context.save()
    #expect(try bench.context().fetch(all).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 with the policy error a fetch shows both, and the save reports them`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let entry = try insert(["key": 1, "b": 20], in: context)
    #expect(try context.fetch(all).count == 2)
    #expect(!entry.isForwarding)
    #expect(context.conflicts.isEmpty)
    #expect(code { try context.save() } == .managedObjectConstraintMerge)
    #expect(context.conflicts.count == 1)
    // A policy that merges is asked at the next fetch.
    context.mergePolicy = .mergeByPropertyObjectTrump
    #expect(try context.fetch(all).count == 1)
    #expect(entry.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 what is saved after a fetch is found by the next`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyStoreTrump
    try insert(["key": 2, "a": 1], in: context)
    #expect(try context.fetch(all).count == 2)
    let other = bench.context()
    try insert(["key": 2, "a": 7], in: other)
    try other.save()
    let found = try context.fetch(all.filter("key == 2"))
    #expect(try found.map { try $0.value(forKey: "a") as? Int64 } == [7])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a fetch compares each new value once, and those of other entities not at all`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    for number in 0..<3 { Commit(context: context).sha = "new \(number)" }
    let first = try bench.asked { _ = try context.fetch(Commit.all) }
    let second = try bench.asked { _ = try context.fetch(Commit.all) }
    #expect(first.total == second.total + 1)
    let authors = try bench.asked { _ = try context.fetch(Author.all) }
    #expect(authors.total == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 in a child the parent's unsaved objects count`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let parent = bench.context()
    let child = ManagedObjectContext(parent: parent)
    child.mergePolicy = .mergeByPropertyObjectTrump
    try insert(["key": 5, "a": 50], in: parent)
    try insert(["key": 5, "b": 51], in: child)
    try insert(["key": 1, "b": 11], in: child)
    let found = try child.fetch(all.sorted(by: FetchSort("key")))
    #expect(try found.map { try $0.value(forKey: "a") as? Int64 } == [10, 50])
    #expect(try found.map { try $0.value(forKey: "b") as? Int64 } == [11, 51])
  }
}
