// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1D.4: refresh, reset")
struct RefreshingTests {
  /// The same commit in two contexts; the second has saved a message and a URL.
  private func changed(_ bench: FaultBench) throws -> (ManagedObjectContext, Commit) {
    let context = bench.context()
    let commit = try #require(try context.fetch(Commit.all.sorted(by: FetchSort("sha"))).first)
    let other = bench.context()
    let twin = try other.object(Commit.self, with: commit.objectID)
    twin.message = "theirs"
    twin.url = "theirs"
    try other.save()
    return (context, commit)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refresh without merging drops changes and reads anew`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    let (context, commit) = try changed(bench)
    let author = try #require(commit.author)
    let stranger = try #require(try context.fetch(Author.all).first { $0 !== author })
    commit.message = "mine"
    commit.scratch = 7
    commit.author = stranger
    #expect(stranger.commits.count == 6)
    context.refresh(commit, mergeChanges: false)
    #expect(commit.isFault && !commit.hasChanges && !context.hasChanges)
    #expect(author.commits.contains(commit))
    #expect(author.commits.count == 5 && stranger.commits.count == 5)
    #expect(commit.message == "theirs")
    #expect(commit.scratch == 0)
    commit.message = "again"
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refresh with merging reads under pending changes`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1)
    let (context, commit) = try changed(bench)
    commit.message = "mine"
    context.refresh(commit, mergeChanges: true)
    #expect(commit.message == "mine")
    #expect(commit.url == "theirs")
    #expect(commit.hasChanges)
    #expect(Set(commit.changedValues().keys) == ["message"])
    try context.save()
    let read = try bench.context().object(Commit.self, with: commit.objectID)
    #expect(read.message == "mine" && read.url == "theirs")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 newer rows leave an object its transient values`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1)
    let (context, clean) = try changed(bench)
    let edited = try #require(try context.fetch(Commit.all).first { $0 !== clean })
    (clean.scratch, edited.scratch) = (7, 7)
    try context.save()
    (edited.scratch, edited.message) = (8, "mine")
    context.refresh(clean, mergeChanges: true)
    context.refresh(edited, mergeChanges: true)
    #expect(clean.message == "theirs" && clean.scratch == 7)
    #expect(edited.message == "mine" && edited.scratch == 8)
    context.rollback()
    #expect(edited.scratch == 7)
    let other = bench.context()
    let twins = try other.fetch(Commit.all)
    for twin in twins { twin.message = "newer" }
    try other.save()
    _ = try context.fetch(Commit.all)
    #expect(clean.message == "newer" && edited.message == "newer")
    #expect(clean.scratch == 7 && edited.scratch == 7)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refresh drops pairs and orders of the object`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 3)
    let context = bench.context()
    let teams = try context.fetch(Team.all.sorted(by: FetchSort("title")))
    let authors = try context.fetch(Author.all.sorted(by: FetchSort("name")))
    teams[0].members.append(authors[1])
    teams[0].members.remove(authors[0])
    context.refresh(teams[0], mergeChanges: false)
    #expect(!context.hasChanges)
    #expect(Array(teams[0].members) == [authors[0]])
    #expect(Array(authors[1].teams) == [teams[1]])
    #expect(Array(authors[0].teams) == [teams[0]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refreshing leaves new and deleted objects alone`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 1)
    let context = bench.context()
    let commits = try context.fetch(Commit.all)
    let new = Commit(context: context)
    new.sha = "new"
    context.delete(commits[0])
    for merges in [true, false] {
      context.refresh(new, mergeChanges: merges)
      context.refresh(commits[0], mergeChanges: merges)
    }
    context.refreshAllObjects()
    #expect(new.sha == "new" && new.isInserted)
    #expect(commits[0].isDeleted)
    try context.save()
    #expect(try bench.context().count(for: Commit.all) == 5)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refreshAllObjects makes faults, keeps changes, and loads in batches`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind)
    let (context, commit) = try changed(bench)
    let commits = try context.fetch(Commit.all)
    commit.message = "mine"
    context.refreshAllObjects()
    #expect(commits.filter { !$0.isFault } == [commit])
    #expect(commit.message == "mine" && commit.url == "theirs")
    let asked = bench.asked { for commit in commits { _ = commit.sha } }
    #expect(asked.total == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 reset forgets all; its objects stay readable`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    let commits = try context.fetch(Commit.all)
    let author = try #require(commits[0].author)
    let id = commits[0].objectID
    let new = Commit(context: context)
    new.sha = "new"
    let shas = commits.map(\.sha)
    commits[1].message = "edited"
    context.delete(commits[2])
    context.reset()
    #expect(!context.hasChanges)
    #expect(commits.map(\.sha) == shas)
    #expect(commits[1].message == "edited" && new.sha == "new")
    #expect(author.name == "" && !author.isFault)
    #expect(commits[0].objectID == id)
    #expect(commits[0].managedObjectContext == nil)
    commits[0].message = "ignored"
    commits[0].author = nil
    context.delete(commits[0])
    #expect(!context.hasChanges && commits[0].message == "")
    try context.save()
    let again = try context.object(Commit.self, with: id)
    #expect(again !== commits[0])
    #expect(again.author?.commits.count == 5)
    #expect(try context.count(for: Commit.all) == 10)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.9 a fault takes the row that another context has read`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    let first = bench.context()
    for commit in try first.fetch(Commit.all) { _ = commit.author?.name }
    let context = bench.context()
    let author = try #require(try context.fetch(Commit.all).first?.author)
    #expect(bench.asked { _ = author.name }.total == 0)
    #expect(context.faultStatistics.cacheHits == 1)
    let strict = bench.context()
    strict.stalenessInterval = 0
    let commit = try #require(try strict.fetch(Commit.all).first)
    #expect(bench.asked { _ = commit.author?.name }.total == 1)
  }

  @Test(arguments: StoreKind.allCases, [Double.infinity, .greatestFiniteMagnitude, 3_600])
  func `1D.9 a staleness interval of any length takes the row that is known`(
    _ kind: StoreKind,
    _ interval: Double
  ) throws {
    let bench = try FaultBench(kind, authors: 2)
    let first = bench.context()
    for commit in try first.fetch(Commit.all) { _ = commit.author?.name }
    let context = bench.context()
    context.stalenessInterval = interval
    let author = try #require(try context.fetch(Commit.all).first?.author)
    #expect(bench.asked { _ = author.name }.total == 0)
    #expect(author.name.hasPrefix("author"))
    #expect(context.faultStatistics.cacheHits == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.9 a fault sees the last save, of whichever context`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    let first = bench.context()
    for commit in try first.fetch(Commit.all) { _ = commit.author?.name }
    let other = bench.context()
    for author in try other.fetch(Author.all) { author.name += "!" }
    try other.save()
    let context = bench.context()
    for commit in try context.fetch(Commit.all) {
      #expect(commit.author?.name.hasSuffix("!") == true)
    }
  }
}
