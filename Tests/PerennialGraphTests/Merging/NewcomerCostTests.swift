// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
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
