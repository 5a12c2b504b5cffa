// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1C.5: faults load their siblings")
struct BatchFaultingTests {
  @Test(arguments: StoreKind.allCases)
  func `1C.5 the authors of a fetch's commits are one query`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let commits = try context.fetch(Commit.all)
    var names: Set<String> = []
    let asked = try bench.asked {
      for commit in commits { names.insert(try #require(commit.author).name) }
    }
    #expect(names.count == 20)
    #expect(asked.total == 1)
    #expect(context.faultStatistics.faultQueries == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 faults collected first are loaded together later`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let authors = Set(try context.fetch(Commit.all).compactMap(\.author))
    #expect(authors.allSatisfy { $0.isFault })
    let asked = bench.asked { for author in authors { _ = author.name } }
    #expect(asked.total == 1)
    #expect(authors.allSatisfy { !$0.isFault })
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 a fault that only an unsaved change leads to is loaded with the others`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 3)
    let context = bench.context()
    let id = try #require(
      try bench.context().first(Author.filter("name == 'author 2'"))?.objectID
    )
    let commits = try context.fetch(Commit.filter("author.name != 'author 2'"))
    do {
      let author = try context.object(Author.self, with: id)
      commits[0].author = author
    }
    #expect(commits[0].author?.isFault == true)
    #expect(commits[0].author?.name == "author 2")
    #expect(commits.allSatisfy { $0.author?.name.isEmpty == false })
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 without batches every fault is a query`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    context.batchesFaults = false
    context.stalenessInterval = 0
    let commits = try context.fetch(Commit.all)
    let authors = Set(commits.compactMap(\.author))
    #expect(bench.asked { for author in authors { _ = author.name } }.total == 20)
    let counted = bench.asked { for author in authors { _ = author.commits.count } }
    #expect(counted.counts == 20)
    #expect(bench.asked { for author in authors { _ = Array(author.commits) } }.rows == 20)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 the members of a fetch's objects are one query`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let authors = try context.fetch(Author.all)
    var shas: Set<String> = []
    let asked = bench.asked {
      for author in authors { for commit in author.commits { shas.insert(commit.sha) } }
    }
    #expect(shas.count == 100)
    #expect(asked.total == 1)
    for author in authors {
      #expect(Array(author.commits).allSatisfy { $0.author === author })
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 linked members are one query, in order, from both sides`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let teams = try context.fetch(Team.all.sorted(by: FetchSort("title")))
    let extra = try context.fetch(Author.all.sorted(by: FetchSort("name")))
    teams[0].members.append(extra[3])
    teams[0].members.append(extra[1])
    try context.save()
    let other = bench.context()
    let read = try other.fetch(Team.all.sorted(by: FetchSort("title")))
    var members: [[String]] = []
    let asked = bench.asked {
      for team in read {
        var names: [String] = []
        for author in team.members { names.append(author.name) }
        members.append(names)
      }
    }
    #expect(asked.total == 1)
    #expect(members[0] == ["author 0", extra[3].name, extra[1].name])
    let authors = try other.fetch(Author.all)
    let back = bench.asked { for author in authors { _ = Array(author.teams) } }
    #expect(back.total == 1)
    #expect(authors.map { Array($0.teams).count }.reduce(0, +) == 22)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 counting the members of a fetch's objects is one query`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind)
    let context = bench.context()
    let authors = try context.fetch(Author.all)
    let asked = bench.asked {
      #expect(authors.allSatisfy { $0.commits.count == 5 })
      #expect(authors.allSatisfy { $0.teams.count == 1 })
    }
    #expect(asked == CountingStore.Counts(memberCounts: 2))
    #expect(try authors.allSatisfy { try $0.hasFault(forRelationshipNamed: "commits") })
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 batches count unsaved changes`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 3)
    let context = bench.context()
    let authors = try context.fetch(Author.all.sorted(by: FetchSort("name")))
    let moved = try #require(Array(authors[0].commits).first)
    moved.author = authors[1]
    let new = Commit(context: context)
    new.sha = "new"
    new.author = authors[2]
    #expect(authors.map { $0.commits.count } == [4, 6, 6])
    #expect(authors.map { Array($0.commits).count } == [4, 6, 6])
    #expect(authors[1].commits.contains(moved))
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 what others save is seen after a batch was read`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 3)
    let context = bench.context()
    let authors = try context.fetch(Author.all.sorted(by: FetchSort("name")))
    #expect(authors[0].commits.count == 5)
    #expect(Array(authors[1].commits).count == 5)
    let other = bench.context()
    let twin = try other.object(Author.self, with: authors[2].objectID)
    let new = Commit(context: other)
    new.sha = "new"
    new.author = twin
    try other.save()
    #expect(authors[2].commits.count == 6)
    #expect(Array(authors[2].commits).count == 6)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 appending, testing and removing load nothing`(_ kind: StoreKind) throws {
    let bench = try FaultBench(kind, authors: 2)
    let context = bench.context()
    let authors = try context.fetch(Author.all)
    let commits = try context.fetch(Commit.all)
    let asked = bench.asked {
      let new = Commit(context: context)
      authors[0].commits.insert(new)
      #expect(authors[0].commits.contains(new))
      authors[1].commits.remove(commits[0])
      authors[0].commits.remove(commits[0])
      #expect(!authors[0].commits.contains(commits[0]))
    }
    #expect(asked.total == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 a loop that saves after every owner does not read all others each time`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 40, commitsEach: 2)
    let context = bench.context()
    for author in try context.fetch(Author.all) {
      for commit in author.commits { commit.message = "seen" }
      try context.save()
    }
    #expect(context.faultStatistics.rows < 80 * 8)
    #expect(try bench.context().count(for: Commit.filter("message == 'seen'")) == 80)
  }
}
