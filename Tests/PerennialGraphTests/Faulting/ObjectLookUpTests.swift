// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.5: objects by ID")
struct ObjectLookUpTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.5 a registered object is found without asking, another is not`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 1)
    let context = bench.context()
    let commit = try #require(try context.fetch(Commit.all).first)
    let other = bench.context()
    let asked = bench.asked {
      #expect(context.registeredObject(for: commit.objectID) === commit)
      #expect(other.registeredObject(for: commit.objectID) == nil)
    }
    #expect(asked.total == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.5 a fault is had without asking; faults by ID load together`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 2)
    let ids = try bench.context().fetch(Commit.all).map(\.objectID)
    let context = bench.context()
    var commits: [Commit] = []
    let made = try bench.asked { () throws in
      commits = try ids.map { id in try context.fault(Commit.self, for: id) }
    }
    #expect(made.total == 0)
    #expect(commits.allSatisfy { $0.isFault })
    #expect(commits.map(\.objectID) == ids)
    #expect(try context.fault(for: ids[0]) === commits[0])
    #expect(bench.asked { for commit in commits { _ = commit.sha } }.total == 1)
    #expect(Set(commits.map(\.sha)).count == 10)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.5 an existing object is never a fault; a missing one is an error`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 1)
    let id = try #require(try bench.context().fetch(Commit.all).first?.objectID)
    let context = bench.context()
    let fault = try context.fault(for: id)
    #expect(try context.existingObject(with: id) === fault)
    #expect(!fault.isFault)
    let other = bench.context()
    other.delete(try other.existingObject(with: id))
    try other.save()
    let third = bench.context()
    #expect(code { _ = try third.existingObject(with: id) } == .objectGone)
    let gone = try third.fault(Commit.self, for: id)
    #expect(gone.sha == "" && gone.isGone)
    #expect(third.lastFaultError?.code == .objectGone)
  }

  @Test func `1D.5 IDs of other stores, classes and unsaved objects are errors`() throws {
    let bench = try FaultBench(.inMemory, authors: 1)
    let context = bench.context()
    let foreign = try FaultBench(.inMemory, authors: 1)
    let id = try #require(try foreign.context().fetch(Commit.all).first?.objectID)
    #expect(code { _ = try context.fault(for: id) } == .objectGone)
    let elsewhere = bench.context()
    let unsaved = Commit(context: elsewhere)
    #expect(code { _ = try context.fault(for: unsaved.objectID) } == .objectGone)
    #expect(unsaved.objectID.isTemporaryID && unsaved.managedObjectContext === elsewhere)
    let author = try #require(try context.fetch(Author.all).first)
    #expect(code { _ = try context.fault(Commit.self, for: author.objectID) } == .typeMismatch)
    let new = Author(context: context)
    new.name = "new"
    #expect(try context.fault(for: new.objectID) === new)
    let temporary = new.objectID
    try context.save()
    #expect(try context.fault(for: temporary) === new)
  }
}
