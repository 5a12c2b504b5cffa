// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import RandomTesting
import Testing

@Suite("SEMANTICS 1M.2: what it costs to compare new unique values before a fetch")
struct NewcomerCostTests {
  private func insert(_ numbers: Range<Int>, in context: ManagedObjectContext) {
    for number in numbers { Commit(context: context).sha = "new \(number)" }
  }

  /// One statement for 500 values in a store that finds values, else one for all.
  private func statements(_ count: Int, _ kind: StoreKind) -> Int {
    kind == .sqlite || kind == .postgres ? (count + 499) / 500 : 1
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a fetch compares each new value once, and those of other entities not at all`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    insert(0..<3, in: context)
    #expect(try bench.asked { _ = try context.fetch(Author.all) }.total == 1)
    #expect(try bench.asked { _ = try context.fetch(Commit.all) }.total == 2)
    #expect(try bench.asked { _ = try context.fetch(Commit.all) }.total == 1)
    insert(3..<4, in: context)
    #expect(try bench.asked { _ = try context.fetch(Commit.all) }.total == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 without new unique values a fetch is one statement`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let commits = try context.fetch(Commit.all)
    commits[0].message = "edited"
    #expect(try bench.asked { _ = try context.fetch(Commit.all) }.total == 1)
    insert(0..<3, in: context)
    try context.save()
    #expect(try bench.asked { _ = try context.fetch(Commit.all) }.total == 1)
    context.mergePolicy = .error
    insert(3..<6, in: context)
    #expect(try bench.asked { _ = try context.fetch(Commit.all) }.total == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an import that fetches now and then compares no value twice`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let known = Commit.all.filter("sha == 'sha 1'")
    for batch in 0..<10 {
      insert(batch * 1_000..<(batch + 1) * 1_000, in: context)
      let asked = try bench.asked { _ = try context.fetch(known) }
      #expect(asked.total == statements(1_000, kind) + 1, "batch \(batch)")
    }
    // Saves of other entities do not matter, those of this one do.
    let other = bench.context()
    other.insertAuthor("somebody else").email = "else"
    try other.save()
    #expect(try bench.asked { _ = try context.fetch(known) }.total == 1)
    _ = other.insertCommit("new 7", "theirs")
    try other.save()
    let asked = try bench.asked { _ = try context.fetch(known) }
    #expect(asked.rows <= statements(10_000, kind) + 2, "one for the merged object")
    #expect(try bench.asked { _ = try context.fetch(known) }.total == 1)
    try context.save()
    let reader = bench.context()
    #expect(try reader.count(for: Commit.all) == 10_010)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a value that is set over and over is compared once`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1)
    let context = bench.context()
    context.mergePolicy = .mergeByPropertyObjectTrump
    let commit = context.insertCommit("new")
    for number in 0..<3_000 {
      commit.sha = "new \(number)"
      try context.processPendingChanges()
    }
    let asked = try bench.asked { _ = try context.fetch(Commit.all) }
    #expect(asked.total <= statements(1_500, kind) + 1)
  }
}

@Suite("SEMANTICS 1M: what it costs to resolve many conflicts at once")
struct ManyConflictsCostTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Person",
        uniqueness: [["email"]],
        properties: [
          .attribute("email", .string, optional: true),
          .attribute("name", .string, optional: true),
        ]
      ),
      EntityDescription("Paper", properties: [.toOne("writer", "Person")]),
      EntityDescription("Circle", properties: [.toMany("people", "Person")]),
      EntityDescription(
        "Node",
        properties: [
          .attribute("name", .string, optional: true),
          .toOne("parent", "Node", inverse: "children"),
          .toMany("children", "Node", inverse: "parent", deleteRule: .noAction, ordered: true),
        ]
      )
    )
  }

  /// How long the thread works for something that may fail.
  private func time(_ body: () throws -> Void) throws -> Duration {
    var problem: (any Error)?
    let time = ThreadTime.of {
      do {
        try body()
      } catch {
        problem = error
      }
    }
    if let problem { throw problem }
    return time
  }

  /// How long it takes to merge so many twins to which papers and a circle lead without an inverse.
  private func timeToMerge(_ count: Int, in context: ManagedObjectContext) throws -> Duration {
    context.mergePolicy = .mergeByPropertyObjectTrump
    let circle = try context.make("Circle")
    var papers: [ManagedObject] = []
    for _ in 0..<count {
      let person = try context.make("Person", ["email": "same"])
      let paper = try context.make("Paper")
      try paper.link("writer", person)
      try circle.objects(forKey: "people").insert(person)
      papers.append(paper)
    }
    let time = try time { try context.processPendingChanges() }
    let writers = try Set(papers.map { try $0.target("writer")?.objectID })
    #expect(writers.count == 1 && !writers.contains(nil))
    #expect(try circle.ids("people").count == 1)
    return time
  }

  /// How long it takes to save when so many changed objects, to which papers lead, were deleted elsewhere.
  private func timeToLose(_ count: Int, in bench: Bench) throws -> Duration {
    let (first, second) = (bench.context(), bench.context())
    second.mergePolicy = .mergeByPropertyStoreTrump
    let theirs = try (0..<count).map { try first.make("Person", ["email": "\(count) \($0)"]) }
    try first.save()
    var papers: [ManagedObject] = []
    for person in try second.fetch(FetchRequest<ManagedObject>(entityName: "Person")) {
      try person.set(["name": "changed"])
      let paper = try second.make("Paper")
      try paper.link("writer", person)
      papers.append(paper)
    }
    for person in theirs { first.delete(person) }
    try first.save()
    let time = try time { try second.save() }
    #expect(papers.count == count && !second.hasChanges)
    let named = try papers.filter { try $0.target("writer") != nil }
    #expect(named.isEmpty)
    return time
  }

  /// How long it takes to save when so many changed nodes of a tree, with new children, were deleted elsewhere.
  private func timeToLoseNodes(_ count: Int, in bench: Bench) throws -> Duration {
    let (first, second) = (bench.context(), bench.context())
    second.mergePolicy = .mergeByPropertyStoreTrump
    let theirs = try (0..<count).map { _ in try first.make("Node") }
    try first.save()
    var children: [ManagedObject] = []
    let roots = FetchRequest<ManagedObject>(entityName: "Node").filter("name == nil")
    for node in try second.fetch(roots) {
      try node.set(["name": "changed"])
      let child = try second.make("Node", ["name": "child"])
      try child.link("parent", node)
      children.append(child)
    }
    for node in theirs { first.delete(node) }
    try first.save()
    let time = try time { try second.save() }
    #expect(children.count == count && !second.hasChanges)
    let named = try children.filter { try $0.target("parent") != nil }
    #expect(named.isEmpty)
    return time
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 many changed nodes with ordered children that are gone are let go in linear time`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: Self.model())
    let few = try timeToLoseNodes(600, in: bench)
    let many = try timeToLoseNodes(6_000, in: bench)
    #expect(many < few * 25, "ten times as many")
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 many twins merge in linear time though no inverse tells who refers to them`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: Self.model())
    let few = try timeToMerge(600, in: bench.context())
    let many = try timeToMerge(6_000, in: bench.context())
    #expect(many < few * 25, "ten times as many")
    #expect(try bench.context().count(for: FetchRequest<ManagedObject>(entityName: "Paper")) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.1 many changed objects that turn out to be gone are let go in linear time`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind, model: Self.model())
    let few = try timeToLose(600, in: bench)
    let many = try timeToLose(6_000, in: bench)
    #expect(many < few * 25, "ten times as many")
  }

  /// How long it takes to discard as many conflicts with stored unique values.
  private func timeToDiscard(_ count: Int, in bench: Bench) throws -> Duration {
    let (first, second) = (bench.context(), bench.context())
    for context in [first, second] {
      for number in 0..<count { _ = try context.make("Person", ["email": "\(count) \(number)"]) }
    }
    try first.save()
    let error = try failure { try second.save() }
    #expect(error.conflicts.count == count)
    let time = try time { try second.discard(error.conflicts) }
    #expect(second.conflicts.isEmpty && !second.hasChanges)
    return time
  }

  @Test(arguments: StoreKind.allCases)
  func `1M many conflicts are discarded in linear time`(_ kind: StoreKind) throws {
    let bench = try Bench(kind, model: Self.model())
    let few = try timeToDiscard(400, in: bench)
    let many = try timeToDiscard(4_000, in: bench)
    #expect(many < few * 25, "ten times as many")
  }
}
