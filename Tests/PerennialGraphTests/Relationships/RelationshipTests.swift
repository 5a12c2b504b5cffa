// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1C: relationships")
struct RelationshipTests {
  /// An author with commits, saved.
  private func history(
    _ context: ManagedObjectContext,
    _ count: Int = 3
  ) throws -> (Author, [Commit]) {
    let author = Author(context: context)
    author.name = "Joe"
    let commits = (0..<count).map { number in
      let commit = Commit(context: context)
      commit.sha = "sha \(number)"
      commit.author = author
      return commit
    }
    try context.save()
    return (author, commits)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.3 both sides change at once`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (author, commits) = try history(context)
    #expect(Set(author.commits) == Set(commits))
    let other = Author(context: context)
    other.name = "Ada"
    commits[0].author = other
    #expect(author.commits.count == 2)
    #expect(other.commits.contains(commits[0]))
    #expect(!author.commits.contains(commits[0]))
    other.commits.insert(commits[1])
    #expect(commits[1].author === other)
    other.commits.remove(commits[0])
    #expect(commits[0].author == nil)
    #expect(Set(other.commits) == [commits[1]])
    author.commits = [commits[0]]
    #expect(commits[2].author == nil)
    #expect(commits[0].author === author)
    try context.save()
    #expect(Set(author.commits) == [commits[0]])
    #expect(Set(other.commits) == [commits[1]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.5 another context reads what was saved`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    _ = try history(bench.context())
    let context = bench.context()
    let author = try #require(try context.fetch(Author.all).first)
    #expect(author.commits.count == 3)
    #expect(Set(author.commits.map(\.sha)) == ["sha 0", "sha 1", "sha 2"])
    let commit = try #require(try context.fetch(Commit.all).first)
    #expect(commit.author === author)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.3 many to many, from both sides, over several saves`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let authors = ["a", "b", "c"].map { name in
      let author = Author(context: context)
      author.name = name
      return author
    }
    let team = Team(context: context)
    team.members.append(authors[2])
    team.members.append(authors[0])
    #expect(Set(authors[0].teams) == [team])
    try context.save()
    #expect(Array(team.members) == [authors[2], authors[0]])
    authors[1].teams.insert(team)
    team.members.remove(authors[2])
    #expect(Set(team.members) == [authors[0], authors[1]])
    #expect(authors[2].teams.isEmpty)
    try context.save()
    let other = bench.context()
    let stored = try #require(try other.fetch(Team.all).first)
    #expect(Set(stored.members.map(\.name)) == ["a", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 an ordered relationship takes several objects, and is sorted`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let team = Team(context: context)
    let authors = ["c", "a", "b"].map { name in
      let author = Author(context: context)
      author.name = name
      return author
    }
    team.members.append(contentsOf: authors)
    team.members.append(contentsOf: authors.prefix(1))
    #expect(team.members.map(\.name) == ["c", "a", "b"])
    try context.save()
    team.members.sort { $0.name < $1.name }
    #expect(team.members.map(\.name) == ["a", "b", "c"])
    try context.save()
    let other = bench.context()
    let stored = try #require(try other.fetch(Team.all).first)
    #expect(stored.members.map(\.name) == ["a", "b", "c"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.4 an ordered relationship keeps its order`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let team = Team(context: context)
    let authors = (0..<5).map { number in
      let author = Author(context: context)
      author.name = "\(number)"
      return author
    }
    team.members = OrderedToMany(authors.reversed())
    try context.save()
    func stored() throws -> [String] {
      let other = bench.context()
      let team = try other.fetch(Team.all).first
      return team?.members.map(\.name) ?? []
    }
    #expect(try stored() == ["4", "3", "2", "1", "0"])
    team.members.move(from: 0, to: 4)
    team.members.insert(authors[1], at: 0)
    #expect(team.members.map(\.name) == ["1", "3", "2", "0", "4"])
    try context.save()
    #expect(try stored() == ["1", "3", "2", "0", "4"])
    team.members.remove(at: 1)
    try context.save()
    #expect(try stored() == ["1", "2", "0", "4"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.3 a relationship that is its own inverse holds both ways`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (a, b) = (Team(context: context), Team(context: context))
    a.allies.insert(b)
    #expect(b.allies.contains(a))
    #expect(b.allies.count == 1)
    try context.save()
    #expect(Set(b.allies) == [a])
    var other = bench.context()
    #expect(try other.fetch(Team.all).map(\.allies.count) == [1, 1])
    b.allies.remove(a)
    #expect(a.allies.isEmpty)
    try context.save()
    other = bench.context()
    #expect(try other.fetch(Team.all).map(\.allies.count) == [0, 0])
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.3 one to one moves its partner`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (first, second) = (Team(context: context), Team(context: context))
    let badge = Badge(context: context)
    first.badge = badge
    #expect(badge.team === first)
    try context.save()
    second.badge = badge
    #expect(first.badge == nil)
    #expect(badge.team === second)
    let gold = GoldBadge(context: context)
    gold.team = second
    #expect(badge.team == nil)
    #expect(second.badge === gold)
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.4 subentities are fetched as their own class`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let gold = GoldBadge(context: context)
    gold.text = "best"
    gold.carats = 24
    let team = Team(context: context)
    team.badge = gold
    _ = Badge(context: context)
    try context.save()
    let other = bench.context()
    #expect(try other.fetch(Badge.all).count == 2)
    var plain = FetchRequest<Badge>()
    plain.includesSubentities = false
    #expect(try other.fetch(plain).count == 1)
    let golds = try other.fetch(FetchRequest<GoldBadge>())
    #expect(golds.map(\.carats) == [24])
    let third = bench.context()
    let badge = try #require(try third.fetch(Team.all).first?.badge)
    #expect((badge as? GoldBadge)?.carats == 24)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.1 cascade deletes, nullify empties, deny refuses with 1600`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (author, commits) = try history(context)
    let team = Team(context: context)
    team.members.append(author)
    try context.save()

    context.delete(team)
    #expect(code { try context.save() } == .relationshipDeniedDelete)
    context.rollback()
    #expect(!team.isDeleted)

    context.delete(commits[0])
    try context.save()
    #expect(author.commits.count == 2)
    #expect(commits[0].managedObjectContext == nil)

    context.delete(author)
    try context.processPendingChanges()
    #expect(commits[1].isDeleted)
    #expect(team.members.isEmpty)
    try context.save()
    #expect(try bench.context().count(for: Commit.all) == 0)
    context.delete(team)
    try context.save()
    #expect(try bench.context().count(for: Team.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.3 an object of another context or a deleted one is refused at the save`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (context, other) = (bench.context(), bench.context())
    let (author, commits) = try history(context)
    let foreign = Author(context: other)
    foreign.name = "Ada"
    commits[0].author = foreign
    #expect(commits[0].author === author)
    #expect(code { try context.save() } == .foreignObject)
    other.delete(author)
    #expect(code { try other.processPendingChanges() } == .foreignObject)
    other.delete(author)
    other.rollback()
    #expect(code { try other.processPendingChanges() } == nil)
    context.delete(commits[1])
    author.commits.insert(commits[1])
    #expect(code { try context.save() } == .objectGone)
    try context.save()
    #expect(author.commits.count == 2)
  }

  @Test(arguments: StoreKind.allCases)
  func `members of which most are taken out are those that are left`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let author = context.insertAuthor("Joe")
    let commits = (0..<60).map { context.insertCommit("\($0)") }
    for commit in commits { author.commits.insert(commit) }
    let team = Team(context: context)
    let others = (0..<60).map { context.insertAuthor("\($0)") }
    team.members = OrderedToMany(others)
    for index in 0..<57 {
      commits[index].author = nil
      team.members.remove(others[index])
    }
    #expect(Set(author.commits) == Set(commits[57...]))
    author.commits.insert(commits[0])
    #expect(author.commits.contains(commits[0]) && !author.commits.contains(commits[1]))
    #expect(Array(team.members) == Array(others[57...]))
    try context.save()
    let reader = bench.context()
    #expect(try reader.object(Author.self, with: author.objectID).commits.count == 4)
    let stored = try reader.object(Team.self, with: team.objectID)
    #expect(stored.members.map(\.objectID) == others[57...].map(\.objectID))
  }

  @Test func `a list of objects is counted and asked as a relationship is`() throws {
    let bench = try Bench(.inMemory)
    let context = bench.context()
    let author = context.insertAuthor("Joe")
    let commits = (0..<3).map { context.insertCommit("\($0)") }
    let list = ToMany(commits[0...1])
    #expect(list.count == 2 && !list.isEmpty)
    #expect(list.objectIDs == Set(commits[0...1].map(\.objectID)))
    #expect(list.contains(commits[1]) && !list.contains(commits[2]))
    author.commits = ToMany(commits)
    author.commits.subtract(list)
    #expect(Array(author.commits) == [commits[2]])
    #expect(commits[0].author == nil && commits[2].author === author)
  }

  @Test(arguments: StoreKind.allCases)
  func `1C.3 a list may be edited beside a member whose deletion is still pending`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let authors = (0..<5).map { context.insertAuthor("\($0)") }
    let team = Team(context: context)
    let allies = (0..<3).map { _ in Team(context: context) }
    team.members = OrderedToMany(authors)
    team.allies = ToMany(allies)
    try context.save()
    context.delete(authors[1])
    team.members.move(from: 0, to: 4)
    team.members.remove(at: 2)
    context.delete(allies[1])
    team.allies = ToMany(team.allies.filter { $0 !== allies[2] })
    try context.save()
    #expect(team.members.map(\.name) == ["2", "4", "0"])
    #expect(Array(team.allies) == [allies[0]])
    let reader = bench.context()
    let stored = try reader.object(Team.self, with: team.objectID)
    #expect(stored.members.map(\.name) == ["2", "4", "0"])
    #expect(stored.allies.map(\.objectID) == [allies[0].objectID])
  }
}
