// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// Members in a context that has not merged what others have saved.
@Suite("SEMANTICS 1D.11: members where saves of others are not merged")
struct MissedSaveTests {
  /// Two stored authors and a commit of the first, as a second context reads them.
  private struct Scene {
    let bench: Bench
    let first: ManagedObjectContext
    let second: ManagedObjectContext
    let theirs: (joe: Author, ada: Author, commit: Commit)
    let ours: (joe: Author, ada: Author, commit: Commit)

    init(_ kind: StoreKind, isChild: Bool = false, isOwned: Bool = true) throws {
      bench = try Bench(kind)
      first = bench.context()
      theirs = (Author(context: first), Author(context: first), Commit(context: first))
      (theirs.joe.name, theirs.ada.name, theirs.commit.sha) = ("Joe", "Ada", "a")
      if isOwned { theirs.commit.author = theirs.joe }
      try first.save()
      second = isChild ? ManagedObjectContext(parent: first) : bench.context()
      ours = (
        try second.object(Author.self, with: theirs.joe.objectID),
        try second.object(Author.self, with: theirs.ada.objectID),
        try second.object(Commit.self, with: theirs.commit.objectID)
      )
      #expect([ours.joe.name, ours.ada.name, ours.commit.sha] == ["Joe", "Ada", "a"])
    }

    /// Whether the commit here is the only member of an author, or none at all, in every respect.
    func isMember(of author: Author) -> Bool? {
      let members = Array(author.commits)
      guard members.count == author.commits.count, members.isEmpty == author.commits.isEmpty,
        members.contains(ours.commit) == author.commits.contains(ours.commit), members.count < 2,
        author.commits.objectIDs == Set(members.map(\.objectID)),
        (try? author.objectIDs(forRelationshipNamed: "commits")) == members.map(\.objectID)
      else { return nil }
      return members == [ours.commit]
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.11 an object with edits is a member of what it refers to here, whoever moves it`(
    _ kind: StoreKind,
    _ isChild: Bool
  ) throws {
    let scene = try Scene(kind, isChild: isChild)
    scene.ours.commit.message = "edited"
    scene.theirs.commit.author = scene.theirs.ada
    if !isChild { try scene.first.save() }
    #expect(scene.ours.commit.author === scene.ours.joe)
    #expect(scene.isMember(of: scene.ours.joe) == true)
    #expect(scene.isMember(of: scene.ours.ada) == false)
    scene.ours.commit.author = scene.ours.ada
    #expect(scene.isMember(of: scene.ours.joe) == false)
    #expect(scene.isMember(of: scene.ours.ada) == true)
    scene.ours.commit.author = nil
    #expect(scene.isMember(of: scene.ours.joe) == false)
    #expect(scene.isMember(of: scene.ours.ada) == false)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an object that is edited after others moved it and read again is where it is now`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    scene.theirs.commit.author = scene.theirs.ada
    try scene.first.save()
    scene.ours.commit.message = "edited"
    #expect(scene.isMember(of: scene.ours.joe) == true)
    #expect(scene.isMember(of: scene.ours.ada) == false)
    scene.second.refresh(scene.ours.commit, mergeChanges: true)
    #expect(scene.ours.commit.author === scene.ours.ada)
    #expect(scene.isMember(of: scene.ours.joe) == false)
    #expect(scene.isMember(of: scene.ours.ada) == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 an object with edits stays a member when others have deleted it`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind)
    scene.ours.commit.message = "edited"
    scene.first.delete(scene.theirs.commit)
    try scene.first.save()
    #expect(scene.isMember(of: scene.ours.joe) == true)
    #expect(scene.isMember(of: scene.ours.ada) == false)
    scene.second.automaticallyMergesChangesFromParent = true
    scene.second.refresh(scene.ours.joe, mergeChanges: false)
    #expect(scene.isMember(of: scene.ours.joe) == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a context that begins to merge after others have saved counts a member once`(
    _ kind: StoreKind
  ) throws {
    let scene = try Scene(kind, isOwned: false)
    scene.theirs.commit.author = scene.theirs.joe
    try scene.first.save()
    scene.second.automaticallyMergesChangesFromParent = true
    scene.ours.commit.author = scene.ours.joe
    #expect(scene.isMember(of: scene.ours.joe) == true)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 new members are counted without being loaded, also after others have saved`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 1, commitsEach: 20)
    defer { withExtendedLifetime(bench) {} }
    let (here, there) = (bench.context(), bench.context())
    let author = try #require(try here.fetch(Author.all).first)
    let before = author.teams.count
    _ = Team(context: there)
    try there.save()
    var counts: [Int] = []
    let asked = bench.asked {
      for number in 0..<5 {
        let commit = Commit(context: here)
        commit.sha = "new \(number)"
        commit.author = author
        author.teams.insert(Team(context: here))
        counts += [author.commits.count, author.teams.count - before]
      }
    }
    #expect(counts == [21, 1, 22, 2, 23, 3, 24, 4, 25, 5])
    #expect(asked.rows == 0 && asked.members == 0, "\(asked)")
    #expect(asked.counts + asked.memberCounts <= 10, "\(asked)")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a context's own batch update leaves the counting to the store`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    defer { withExtendedLifetime(bench) {} }
    let context = bench.context()
    let author = Author(context: context)
    author.name = "Joe"
    let commits = (0..<20).map { number in
      let commit = Commit(context: context)
      commit.sha = "\(number)"
      commit.author = author
      return commit
    }
    try context.save()
    var request = BatchUpdateRequest(entityName: "Commit")
    request.propertiesToUpdate = ["message": "updated"]
    #expect(try context.execute(request).count == 20)
    commits[0].message = "edited"
    let rows = context.faultStatistics.rows
    #expect(author.commits.count == 20)
    #expect(context.faultStatistics.rows == rows)
    commits[0].author = nil
    #expect(author.commits.count == 19)
    #expect(context.faultStatistics.rows == rows)
  }
}
