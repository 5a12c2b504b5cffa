// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Observation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialStore
import Synchronization
import Testing

/// SEMANTICS 1F.7: observation of objects that only an observed relationship leads to.
@Suite("Observation through relationships")
struct ObservedPathTests {
  /// A context that observes, and of which one author, or one commit, is held.
  private struct Screen {
    let bench: Bench
    let context: ManagedObjectContext
    let other: ManagedObjectContext

    init(_ kind: StoreKind) throws {
      bench = try Bench(kind)
      context = bench.context()
      other = bench.context()
      context.isObserving = true
      context.automaticallyMergesChangesFromParent = true
      let author = Author(context: other)
      author.name = "Ann"
      for sha in ["1", "2"] {
        let commit = Commit(context: other)
        (commit.sha, commit.author) = (sha, author)
      }
      try other.save()
    }

    func commit() throws -> Commit {
      try #require(try context.first(Commit.all.sorted(by: FetchSort("sha"))))
    }

    func author() throws -> Author { try #require(try context.first(Author.all)) }

    func rename(_ name: String) throws {
      let author = try #require(try other.first(Author.all))
      author.name = name
      try other.save()
      try context.processPendingChanges()
    }
  }

  private final class Told: Sendable {
    let count = Atomic(0)
    var isTold: Bool { count.load(ordering: .relaxed) > 0 }
  }

  private func observe(_ read: () -> Void) -> Told {
    let told = Told()
    withObservationTracking {
      read()
    } onChange: {
      told.count.add(1, ordering: .relaxed)
    }
    return told
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a property of an object that a to-one leads to is told`(_ kind: StoreKind) throws {
    let screen = try Screen(kind)
    let commit = try screen.commit()
    let merged = observe { _ = commit.author?.name }
    try screen.rename("Bea")
    #expect(merged.isTold && commit.author?.name == "Bea")
    let set = observe { _ = commit.author?.name }
    try screen.author().name = "Cleo"
    #expect(set.isTold && commit.author?.name == "Cleo")
    let named = observe { _ = try? commit.object(forKey: "author")?.value(forKey: "name") }
    try screen.author().name = "Dan"
    #expect(named.isTold)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a property of a member is told`(_ kind: StoreKind) throws {
    let screen = try Screen(kind)
    let author = try screen.author()
    let told = observe { _ = author.commits.map(\.message) }
    try screen.commit().message = "new"
    #expect(told.isTold)
    let batch = observe { _ = author.commits.map(\.message) }
    var request = BatchUpdateRequest(Commit.self)
    request.set(\Commit.message, to: "newer")
    _ = try screen.other.execute(request)
    try screen.context.processPendingChanges()
    #expect(batch.isTold)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 what was given is let go when it is told, and with its owner`(
    _ kind: StoreKind
  ) throws {
    let screen = try Screen(kind)
    var commit: Commit? = try screen.commit()
    weak var author: Author?
    func read() {
      _ = observe {
        author = commit?.author
        _ = author?.name
      }
    }
    read()
    #expect(author != nil)
    commit?.author = nil
    try screen.context.save()
    #expect(author == nil)
    commit?.author = try screen.author()
    try screen.context.save()
    read()
    #expect(author != nil && screen.context.registeredObjects.count == 2)
    commit = nil
    #expect(author == nil && screen.context.registeredObjects.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 rings of observed relationships end with a reset, and with their context`(
    _ kind: StoreKind
  ) throws {
    for ends in [true, false] {
      weak var author: Author?
      do {
        let screen = try Screen(kind)
        do {
          let commit = try screen.commit()
          _ = observe {
            author = commit.author
            _ = author?.commits.map(\.message)
          }
        }
        #expect(author != nil)
        if ends { screen.context.reset() }
        #expect((author == nil) == ends)
      }
      #expect(author == nil)
    }
  }

  /// The last of many saved objects, each of which has the one before as its owner.
  private func chain(of count: Int, in context: ManagedObjectContext) throws -> Hooked? {
    var last: Hooked?
    for _ in 0..<count {
      let next = Hooked(context: context)
      next.owner = last
      last = next
    }
    try context.save()
    return last
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.7 a long chain of observed objects is let go one by one`(_ kind: StoreKind) throws {
    let bench = try Bench(kind, model: ManagedObjectModel(Hooked.entity), classes: [Hooked.self])
    let context = bench.context()
    context.isObserving = true
    var last = try chain(of: 5_000, in: context)
    let told = observe {
      var next = last
      while let object = next { next = object.owner }
    }
    #expect(context.registeredObjects.count == 5_000)
    last = nil
    // What was loaded beside others is held for a while.
    context.refreshAllObjects()
    try context.processPendingChanges()
    #expect(context.registeredObjects.isEmpty && told.count.load(ordering: .relaxed) <= 1)
  }
}
