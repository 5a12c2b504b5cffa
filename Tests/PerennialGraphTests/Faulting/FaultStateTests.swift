// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore
import Synchronization
import Testing

@testable import PerennialGraph

@Suite("SEMANTICS 1F.4: what is a fault")
struct FaultStateTests {
  @Test(arguments: StoreKind.allCases)
  func `1F.4 a to-one is a fault until it is read, and tells its ID before`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 1)
    let context = bench.context()
    let commit = try #require(try context.fetch(Commit.all).first)
    #expect(!commit.isFault)
    let asked = try bench.asked { () throws in
      #expect(try commit.hasFault(for: \.author))
      let ids = try commit.objectIDs(for: \.author)
      #expect(ids.map(\.entityName) == ["Author"])
      let author = try #require(commit.author)
      #expect(author.isFault)
      #expect(ids == [author.objectID])
    }
    #expect(asked.total == 0)
    #expect(commit.author?.name == "author 0")
    #expect(try !commit.hasFault(for: \.author))
    commit.author = nil
    #expect(try !commit.hasFault(for: \.author))
    #expect(try commit.objectIDs(for: \.author).isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.4 a to-many is a fault until it is read; its IDs are one query without rows`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    let author = try #require(try context.fetch(Author.all).first)
    let asked = try bench.asked { () throws in
      #expect(try author.hasFault(forRelationshipNamed: "commits"))
      #expect(try author.objectIDs(forRelationshipNamed: "commits").count == 5)
      #expect(author.commits.objectIDs.count == 5)
    }
    #expect(asked == CountingStore.Counts(references: 2))
    #expect(try author.hasFault(forRelationshipNamed: "commits"))
    let commits = Array(author.commits)
    #expect(try !author.hasFault(forRelationshipNamed: "commits"))
    #expect(author.commits.objectIDs == Set(commits.map(\.objectID)))
    let new = Commit(context: context)
    author.commits.insert(new)
    context.delete(commits[0])
    #expect(author.commits.objectIDs == Set((commits.dropFirst() + [new]).map(\.objectID)))
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.4 ordered IDs have the order of the objects`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 3)
    let context = bench.context()
    let team = try #require(try context.fetch(Team.all).first)
    for author in try context.fetch(Author.all.sorted(by: FetchSort("name", ascending: false))) {
      team.members.append(author)
    }
    #expect(team.members.objectIDs == team.members.map(\.objectID))
    try context.save()
    let other = bench.context()
    let twin = try other.object(Team.self, with: team.objectID)
    #expect(twin.members.objectIDs == team.members.objectIDs)
    twin.members.move(from: 2, to: 0)
    #expect(twin.members.objectIDs == twin.members.map(\.objectID))
  }

  @Test func `1F.4 names that are no relationship are errors with a suggestion`() throws {
    let bench = try FaultBench(.inMemory, authors: 1)
    let context = bench.context()
    let author = try #require(try context.fetch(Author.all).first)
    let error = #expect(throws: PerennialError.self) {
      try author.hasFault(forRelationshipNamed: "comits")
    }
    #expect(error?.code == .unknownName)
    #expect(error?.recovery == "did you mean 'commits'?")
    #expect(code { _ = try author.objectIDs(forRelationshipNamed: "name") } == .unknownName)
  }

  @Test(arguments: StoreKind.allCases)
  func
    `a context that refuses to load lazily forgets the owners of prefetched objects that have gone`(
      _ kind: StoreKind
    ) throws
  {
    let bench = try FaultBench(kind, authors: 1_500, commitsEach: 0)
    let context = bench.context()
    context.lazyLoading = .raiseOnLazyLoad
    var request = Author.all
    request.relationshipKeyPathsForPrefetching = ["commits"]
    var count = 0
    try context.enumerate(request, batchSize: 100) { author in
      #expect(author.commits.isEmpty)
      count += 1
    }
    #expect(count == 1_500 && context.lastFaultError == nil)
    #expect(context.faulting.prefetched.count < 1_100)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.8 objects keep their ID when their context is gone`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1, commitsEach: 1)
    var context: ManagedObjectContext? = bench.context()
    let commit = try #require(try context?.fetch(Commit.all).first)
    let author = try #require(commit.author)
    let badge = try #require(context).insert(GoldBadge.self)
    let ids = [commit.objectID, author.objectID]
    context = nil
    #expect([commit.objectID, author.objectID] == ids)
    #expect(badge.objectID.entityName == "GoldBadge")
    #expect(commit.sha == "sha 0")
    #expect(author.name == "")
    #expect(commit.author == nil)
    #expect(!commit.isGone && !commit.isDeleted && !commit.hasChanges)
    let other = bench.context()
    #expect(try other.object(Commit.self, with: commit.objectID).author?.objectID == ids[1])
  }

  @Test func `1F.8 objects keep their ID after more stores than there are numbers for`() throws {
    let model = try ManagedObjectModel(entities: fixtureClasses.map { $0.entity })
    let classes = Dictionary(uniqueKeysWithValues: fixtureClasses.map { ($0.entityName, $0) })
    for number in 0..<Int(StoreNumber.limit) + 100 {
      let coordinator = StoreCoordinator(
        store: InMemoryStore(model: model.layout, history: HistoryOptions()),
        classes: classes
      )
      var context: ManagedObjectContext? = ManagedObjectContext(coordinator: coordinator)
      context?.undoManager = ContextUndoManager()
      let commit = try #require(context).insert(Commit.self)
      context?.undo()
      #expect(commit.managedObjectContext == nil)
      context?.redo()
      commit.sha = "sha \(number)"
      try context?.save()
      context = nil
      try leaveInOtherWays(coordinator)
      let other = ManagedObjectContext(coordinator: coordinator)
      #expect(try other.object(Commit.self, with: commit.objectID).sha == commit.sha)
    }
  }

  /// Makes objects that leave their context by a deletion, a rollback, a merge and a reset, and lets them go.
  private func leaveInOtherWays(_ coordinator: StoreCoordinator) throws {
    let context = ManagedObjectContext(coordinator: coordinator)
    context.mergePolicy = .mergeByPropertyObjectTrump
    let deleted = Commit(context: context)
    deleted.sha = "deleted"
    try context.save()
    context.delete(deleted)
    try context.save()
    let new = Commit(context: context)
    context.rollback()
    let winner = Commit(context: context)
    winner.sha = "twin"
    try context.save()
    let loser = Commit(context: context)
    loser.sha = "twin"
    try context.save()
    #expect(loser.isForwarding)
    context.reset()
    let objects = [deleted, new, winner, loser]
    #expect(objects.allSatisfy { $0.managedObjectContext == nil })
    #expect(objects.allSatisfy { $0.objectID.entityName == "Commit" })
  }

  @Test func `1F.8 a store that found no number gets one as soon as one is free`() throws {
    let store = InMemoryStore(model: try makeModel().layout, history: HistoryOptions())
    var register = StoreNumber.Register()
    let holders = (1..<StoreNumber.limit).map { _ in StoreNumber.Holders() }
    for (place, holders) in holders.enumerated() {
      let number = register.add(store, holders)
      #expect(number == place + 1)
    }
    let none = register.add(store, StoreNumber.Holders())
    #expect(none == 0)
    // An object that has left, and the coordinator.
    holders[6].count.add(1, ordering: .relaxed)
    register.release(7)
    let stillNone = register.add(store, StoreNumber.Holders())
    #expect(stillNone == 0)
    register.release(7)
    let again = register.add(store, StoreNumber.Holders())
    #expect(again == 7)
  }
}
