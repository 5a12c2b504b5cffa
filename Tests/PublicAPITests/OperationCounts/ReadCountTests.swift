// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// The statements, rows and faults of reading, which no change may raise unnoticed.
@Suite("Operation counts: reading")
struct ReadCountTests {
  private typealias Counts = CountedStore.Counts

  @Test(arguments: StoreKind.allCases)
  func `a fetch of all is one statement, and reading it none`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    var commits: [Commit] = []
    let fetched = try store.counts { commits = try context.fetch(Commit.all) }
    #expect(fetched == Counts(statements: 1, rows: 100))
    let read = store.counts { for commit in commits { _ = commit.message } }
    #expect(read == Counts(statements: 0))
  }

  @Test(arguments: StoreKind.allCases)
  func `a fetch with a condition, a sort and a limit gives no other rows`(_ kind: StoreKind) throws
  {
    let store = try CountedStore(kind)
    let context = store.context()
    let request = Commit.filter("sha >= 'sha 1050'").sorted(by: \.date, .reverse).limit(20)
    var commits: [Commit] = []
    let counts = try store.counts { commits = try context.fetch(request) }
    #expect(commits.count == 20)
    #expect(counts == Counts(statements: 1, rows: 20))
  }

  @Test(arguments: StoreKind.allCases)
  func `a list in batches is one statement, and one for each batch that is read`(
    _ kind: StoreKind
  ) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    let request = Commit.sorted(by: \.date)
    var list: FetchResultsCollection<Commit>?
    let fetched = try store.counts { list = try context.fetch(request, batchSize: 20) }
    #expect(fetched == Counts(statements: 1, rows: 100))
    let commits = try #require(list)
    let read = [0, 19, 20].map { index in store.counts { _ = commits[index].message } }
    let batch = Counts(statements: 1, rows: 20)
    #expect(read == [batch, Counts(statements: 0), batch])
    let rest = store.counts { for commit in commits.prefix(60) { _ = commit.message } }
    #expect(rest == batch)
  }

  @Test(arguments: StoreKind.allCases)
  func `a fetch of IDs is one statement and makes no faults fire`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    var ids: [ManagedObjectID] = []
    let fetched = try store.counts { ids = try context.fetchObjectIDs(Commit.all) }
    #expect(fetched == Counts(statements: 1, rows: 100))
    #expect(ids.count == 100)
    var request = Commit.all
    request.includesPropertyValues = false
    var commits: [Commit] = []
    let found = try store.counts { commits = try context.fetch(request) }
    #expect(found == Counts(statements: 1, rows: 100))
    #expect(commits.allSatisfy { $0.isFault })
    let fired = store.counts { for commit in commits { _ = commit.message } }
    #expect(fired == Counts(statements: 1, rows: 100, faults: 1))
  }

  @Test(arguments: StoreKind.allCases)
  func `a count is one statement`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    let request = Commit.filter("sha >= 'sha 1050'")
    var count = 0
    let counts = try store.counts { count = try context.count(for: request) }
    #expect(count == 50)
    #expect(counts == Counts(statements: 1, rows: 1))
  }

  @Test(arguments: StoreKind.allCases)
  func `a look-up by a unique value is one statement and one row`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    var commit: Commit?
    let found = try store.counts { commit = try context.first(Commit.filter("sha == 'sha 1007'")) }
    #expect(commit?.message == "message 7")
    #expect(found == Counts(statements: 1, rows: 1))
    let missed = try store.counts { commit = try context.first(Commit.filter("sha == 'none'")) }
    #expect(commit == nil)
    #expect(missed == Counts(statements: 1))
  }

  @Test(arguments: StoreKind.allCases)
  func `to-one targets are one statement for all of a fetch`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    let commits = try context.fetch(Commit.all)
    var names: Set<String> = []
    let counts = store.counts { names = Set(commits.compactMap { $0.author?.name }) }
    #expect(names.count == 10)
    #expect(counts == Counts(statements: 1, rows: 10, faults: 1))
  }

  @Test(arguments: StoreKind.allCases)
  func `a prefetch is one statement more, and nothing later`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    var commits: [Commit] = []
    let fetched = try store.counts { commits = try context.fetch(Commit.all.prefetching(\.author)) }
    #expect(fetched == Counts(statements: 2, rows: 110))
    let read = store.counts { _ = commits.compactMap { $0.author?.name } }
    #expect(read == Counts(statements: 0))
  }

  /// What a server far away lives by: a store on one waits twice for it.
  @Test(arguments: StoreKind.allCases, [true, false])
  func `a list with its to-one relationships is two requests, prefetched or not`(
    _ kind: StoreKind,
    _ prefetches: Bool
  ) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    var request = Commit.sorted(by: \.date)
    if prefetches { request = request.prefetching(\.author) }
    var lines: [String] = []
    let before = store.container.counters
    let counts = try store.counts {
      lines = try context.fetch(request).map { "\($0.sha) \($0.author?.name ?? "-")" }
    }
    #expect(lines.count == 100 && lines.last == "sha 1099 author 9")
    #expect(counts.statements == 2 && counts.rows == 110)
    #expect((store.container.counters - before).roundTrips == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `to-many members, and their numbers, are one statement for all of a fetch`(
    _ kind: StoreKind
  ) throws {
    let store = try CountedStore(kind)
    let counting = store.context()
    let authors = try counting.fetch(Author.all)
    var members: [Int] = []
    let counted = store.counts { members = authors.map { $0.commits.count } }
    #expect(members == Array(repeating: 10, count: 10))
    #expect(counted == Counts(statements: 1, rows: 10))

    let reading = store.context()
    let others = try reading.fetch(Author.all)
    var shas: Set<String> = []
    let read = store.counts { for author in others { shas.formUnion(author.commits.map(\.sha)) } }
    #expect(shas.count == 100)
    #expect(read == Counts(statements: 1, rows: 100))
  }

  @Test(arguments: StoreKind.allCases)
  func `the first page of a results controller is the order and a batch`(_ kind: StoreKind) throws {
    let store = try CountedStore(kind)
    let context = store.context()
    var messages: [String]?
    let counts = try store.counts {
      let controller = try context.results(Commit.sorted(by: \.date).batchSize(20))
      messages = controller.fetchedObjects?.prefix(20).map(\.message)
    }
    #expect(messages?.last == "message 19")
    #expect(counts == Counts(statements: 2, rows: 120))
  }
}
