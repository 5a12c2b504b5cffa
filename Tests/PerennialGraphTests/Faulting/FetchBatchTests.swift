// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1G: fetches in batches, and 1C.6: prefetching")
struct FetchBatchTests {
  @Test(arguments: StoreKind.allCases)
  func `1G.4 a list loads identities, then a batch at a time`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let request = Commit.all.sorted(by: FetchSort("sha"))
    let expected = try bench.context().fetch(request).map(\.sha)
    var list = try context.fetch(request, batchSize: 7)
    #expect(bench.asked { _ = list.count }.total == 0)
    #expect(list.count == 100)
    #expect(bench.asked { _ = list[0].sha }.rows == 1)
    #expect(list[0].sha == expected[0])
    #expect(bench.asked { _ = list[6].sha }.total == 0)
    #expect(bench.asked { _ = list[7].sha }.rows == 1)
    #expect(list.map(\.sha) == expected)
    #expect(list.reversed().map(\.sha) == expected.reversed())
    let again = bench.asked { _ = list.map(\.sha) }
    #expect(again.rows <= 15)
    list = try context.fetch(request.batchSize(50), batchSize: 0)
    #expect(list.batchSize == 50)
    #expect(list.objectID(at: 3) == list[3].objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.4 a list lets go of batches that were not used lately`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let list = try context.fetch(Commit.all.sorted(by: FetchSort("sha")), batchSize: 5)
    weak let first = list[0]
    #expect(first != nil)
    for commit in list { _ = commit.sha }
    #expect(first == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.4 an array in batches has faults that load their batch`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    var commits: [Commit] = []
    let fetched = try bench.asked {
      commits = try context.fetch(Commit.all.sorted(by: FetchSort("sha")).batchSize(10))
    }
    #expect(fetched == CountingStore.Counts(references: 1))
    #expect(commits.count == 100 && commits.allSatisfy { $0.isFault })
    #expect(bench.asked { _ = commits[11].sha }.rows == 1)
    #expect(commits.filter { !$0.isFault } == Array(commits[10..<20]))
    let expected = try bench.context().fetch(Commit.all.sorted(by: FetchSort("sha"))).map(\.sha)
    #expect(bench.asked { for commit in commits { _ = commit.sha } }.rows == 9)
    #expect(commits.map(\.sha) == expected)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.4 batches count unsaved changes`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    let all = try context.fetch(Commit.all.sorted(by: FetchSort("sha")))
    context.delete(all[0])
    all[1].message = "changed"
    let new = Commit(context: context)
    new.sha = "a new one"
    let request = Commit.all.sorted(by: FetchSort("sha"))
    let list = try context.fetch(request, batchSize: 3)
    #expect(Array(list) == [new] + all.dropFirst())
    #expect(try context.fetch(request.batchSize(3)) == [new] + all.dropFirst())
    let changed = try context.fetch(Commit.filter("message == 'changed'"), batchSize: 3)
    #expect(Array(changed) == [all[1]])
    try context.save()
    #expect(list[0] === new)
    #expect(list.objectID(at: 0) == new.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.4 with unsaved changes a list still loads no row but its batches'`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let new = Commit(context: context)
    new.sha = "sha 5 new"
    let sorted = Commit.all.sorted(by: FetchSort("sha"))
    let expected = (0..<100).map { "sha \($0)" } + [new.sha]
    var list = try bench.context().fetch(sorted, batchSize: 7)
    let listing = try bench.asked { list = try context.fetch(sorted, batchSize: 7) }
    #expect(listing == CountingStore.Counts(values: 1))
    #expect(context.registeredObjects == [new])
    #expect(list.map(\.sha) == expected.sorted())

    let fresh = bench.context()
    let other = Commit(context: fresh)
    other.sha = "sha 5 other"
    var ids: [ManagedObjectID] = []
    let identifying = try bench.asked {
      ids = try fresh.fetchObjectIDs(Commit.filter("sha BEGINSWITH 'sha 5'"))
    }
    #expect(identifying == CountingStore.Counts(references: 1))
    #expect(fresh.registeredObjects == [other])
    #expect(ids.count == 12 && ids.last == other.objectID)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.5 without unsaved changes an enumeration has the objects of the fetch, deleted ones too`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    var request = Commit.all.sorted(by: FetchSort("sha"))
    let commits = try context.fetch(request)
    context.delete(commits[1])
    request.includesPendingChanges = false
    #expect(try context.fetch(request) == commits)
    var seen: [Commit] = []
    try context.enumerate(request, batchSize: 2) { commit in
      // One that is deleted meanwhile is left out.
      if seen.isEmpty { context.delete(commits[5]) }
      seen.append(commit)
    }
    #expect(seen == commits.filter { $0 !== commits[5] })
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.4 a new object that was rolled back is gone from a list, not a trap`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 1)
    let context = bench.context()
    _ = Commit(context: context)
    let list = try context.fetch(Commit.all, batchSize: 2)
    context.rollback()
    #expect(list.count == 6)
    #expect(list.filter(\.isGone).count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.5 identities alone give faults`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    var request = Commit.all
    request.includesPropertyValues = false
    let context = bench.context()
    let commits = try context.fetch(request)
    #expect(commits.allSatisfy { $0.isFault })
    #expect(bench.asked { for commit in commits { _ = commit.sha } }.rows == 1)
    request.returnsObjectsAsFaults = false
    #expect(try bench.context().fetch(request).allSatisfy { !$0.isFault })
  }

  @Test(arguments: StoreKind.allCases)
  func `1G.5 refetched objects with changes are refreshed if asked`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1, commitsEach: 1)
    let context = bench.context()
    let commit = try #require(try context.fetch(Commit.all).first)
    commit.message = "mine"
    let other = bench.context()
    try other.object(Commit.self, with: commit.objectID).url = "theirs"
    try other.save()
    _ = try context.fetch(Commit.all)
    #expect(commit.url == "")
    var request = Commit.all
    request.shouldRefreshRefetchedObjects = true
    _ = try context.fetch(request)
    #expect(commit.url == "theirs" && commit.message == "mine")
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.6 prefetching is one query for each relationship`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    context.batchesFaults = false
    var commits: [Commit] = []
    let fetched = try bench.asked {
      commits = try context.fetch(Commit.all.prefetching(\.author).prefetching("author.teams"))
    }
    #expect(fetched == CountingStore.Counts(rows: 2, members: 1))
    let read = bench.asked {
      for commit in commits {
        _ = commit.author?.name
        if let author = commit.author { for team in author.teams { _ = team.title } }
      }
    }
    #expect(read.total == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.6 prefetching goes through to-manys`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    var teams: [Team] = []
    let fetched = try bench.asked {
      teams = try context.fetch(Team.all.prefetching("members.commits").prefetching("badge"))
    }
    #expect(fetched == CountingStore.Counts(rows: 1, members: 2))
    var shas: Set<String> = []
    let read = bench.asked {
      for team in teams {
        for author in team.members { for commit in author.commits { shas.insert(commit.sha) } }
      }
    }
    #expect(read.total == 0)
    #expect(shas.count == 100)
  }

  @Test(arguments: ["autor", "author.nam", "author.name", "message", "author..teams", ""])
  func `1C.6 names that are no relationships are errors of the fetch`(_ path: String) throws {
    let bench = try FaultBench(.inMemory, authors: 0)
    let context = bench.context()
    #expect(code { _ = try context.fetch(Commit.all.prefetching(path)) } == .unknownName)
    #expect(
      code { _ = try context.fetch(Commit.all.prefetching(path), batchSize: 2) } == .unknownName
    )
    let error = #expect(throws: PerennialError.self) {
      try context.fetch(Commit.all.prefetching("autor"))
    }
    #expect(error?.recovery == "did you mean 'author'?")
  }

  @Test(arguments: StoreKind.allCases, 0..<3)
  func `1G.5 refetched objects without changes are refreshed if asked, also by identities`(
    _ kind: StoreKind,
    _ way: Int
  ) throws {
    let bench = try FaultBench(kind, authors: 1, commitsEach: 1)
    let context = bench.context()
    let commit = try #require(try context.fetch(Commit.all).first)
    let other = bench.context()
    try other.object(Commit.self, with: commit.objectID).url = "theirs"
    try other.save()
    var request = Commit.all
    request.shouldRefreshRefetchedObjects = true
    switch way {
    case 0: _ = try context.fetch(request.batchSize(20))
    case 1:
      request.includesPropertyValues = false
      _ = try context.fetch(request)
    default: _ = try context.fetch(request, batchSize: 20)[0]
    }
    #expect(commit.url == "theirs" && !commit.hasChanges)
  }
}
