// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D.8: faults that cannot be loaded")
struct InaccessibleFaultTests {
  /// A fault for an author whose row another context then deletes.
  private func orphan(
    _ bench: FaultBench,
    in context: ManagedObjectContext
  ) throws -> (commit: Commit, author: Author) {
    let commit = try #require(try context.fetch(Commit.all).first)
    let author = try #require(commit.author)
    #expect(author.isFault)
    let other = bench.context()
    let twin = try other.object(Author.self, with: author.objectID)
    for team in twin.teams { team.members.remove(twin) }
    other.delete(twin)
    try other.save()
    return (commit, author)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.8 a fault whose row is gone reads as empty and says so`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let (_, author) = try orphan(bench, in: context)
    let id = author.objectID
    #expect(author.name == "")
    #expect(author.isGone)
    #expect(!author.isDeleted && !author.isFault && !author.hasChanges)
    #expect(author.managedObjectContext == nil)
    #expect(author.objectID == id)
    #expect(author.commits.isEmpty)
    #expect(context.lastFaultError?.code == .objectGone)
    #expect(context.lastFaultError?.objectID == id)
    author.name = "lost"
    author.commits.insert(Commit(context: context))
    #expect(author.name == "")
    #expect(code { _ = try context.existingObject(with: id) } == .objectGone)
    context.delete(author)
    context.refresh(author, mergeChanges: false)
    context.refresh(author, mergeChanges: true)
    context.rollback()
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.8 the other faults of the batch are loaded`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let commits = try context.fetch(Commit.all)
    let authors = Set(commits.compactMap(\.author))
    let (_, author) = try orphan(bench, in: context)
    #expect(authors.filter { $0.name.isEmpty } == [author])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.8 a context can keep such faults`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    context.shouldDeleteInaccessibleFaults = false
    let (_, author) = try orphan(bench, in: context)
    #expect(author.name == "")
    #expect(author.isFault && !author.isGone)
    #expect(author.managedObjectContext === context)
    #expect(context.lastFaultError?.code == .objectGone)
    author.name = "lost?"
    #expect(code { try context.save() } == .objectGone)
    context.delete(author)
    #expect(code { try context.save() } == .objectGone)
    #expect(!context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.8 a handler is asked first`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    var asked: [ManagedObjectID] = []
    var handles = true
    context.inaccessibleFaultHandler = { object in
      asked.append(object.objectID)
      return handles
    }
    let (_, author) = try orphan(bench, in: context)
    #expect(author.name == "")
    #expect(author.isFault)
    handles = false
    #expect(author.name == "")
    #expect(author.isGone)
    #expect(asked == [author.objectID, author.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.8 a fault that failed with the store's error tries again`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let author = try #require(try context.fetch(Commit.all).first?.author)
    bench.store.fails = true
    #expect(author.name == "")
    #expect(author.isFault && !author.isGone)
    #expect(context.lastFaultError?.code == .sqlite)
    #expect(author.commits.count == 0)
    author.name = "lost?"
    context.delete(author)
    bench.store.fails = false
    #expect(author.name.hasPrefix("author "))
    #expect(code { try context.save() } != nil)
    #expect(!author.isDeleted)
    #expect(author.commits.count == 5)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.8 objects may be deleted while a relationship or a fetch is iterated`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 3)
    let context = bench.context()
    let authors = try context.fetch(Author.all)
    for commit in authors[0].commits { context.delete(commit) }
    for commit in authors[1].commits {
      context.delete(commit)
      try context.save()
    }
    #expect(authors[0].commits.isEmpty && authors[1].commits.isEmpty)
    let list = try context.fetch(Commit.all, batchSize: 2)
    for commit in list {
      context.delete(commit)
      try context.save()
    }
    #expect(try bench.context().count(for: Commit.all) == 0)
    #expect(list.count == 5)
    #expect(list.allSatisfy { $0.isGone })
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.8 contexts and their lists outlive the coordinator's other users`(
    _ kind: StoreKind
  ) throws {
    var bench: FaultBench? = try FaultBench(kind, authors: 2)
    let context = try #require(bench).context()
    let commits = try context.fetch(Commit.all)
    let list = try context.fetch(Author.all, batchSize: 1)
    bench = nil
    #expect(commits.count == 10 && list.count == 2)
    if kind == .inMemory {
      #expect(commits[0].author?.name.hasPrefix("author ") == true)
      #expect(list.allSatisfy { $0.name.hasPrefix("author ") })
    }
    _ = commits[0].author?.name
    context.reset()
    #expect(commits[0].sha.hasPrefix("sha "))
  }
}
