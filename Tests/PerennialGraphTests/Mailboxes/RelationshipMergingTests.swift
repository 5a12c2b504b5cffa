// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// What becomes of loaded and of changed relationships when another context saves.
@Suite("SEMANTICS 1D.11: merging relationships")
struct RelationshipMergingTests {
  private func contexts(
    _ kind: StoreKind
  ) throws -> (bench: Bench, here: ManagedObjectContext, there: ManagedObjectContext) {
    let bench = try Bench(kind)
    let here = bench.context()
    here.automaticallyMergesChangesFromParent = true
    return (bench, here, bench.context())
  }

  private func author(_ name: String, in context: ManagedObjectContext) -> Author {
    let author = Author(context: context)
    author.name = name
    return author
  }

  private func commit(_ sha: String, by author: Author?, in context: ManagedObjectContext) -> Commit
  {
    let commit = Commit(context: context)
    commit.sha = sha
    commit.author = author
    return commit
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 loaded members follow inserts, moves and deletes`(_ kind: StoreKind) throws {
    let (bench, here, there) = try contexts(kind)
    defer { withExtendedLifetime(bench) {} }
    let joe = author("Joe", in: here)
    let ada = author("Ada", in: here)
    let first = commit("a", by: joe, in: here)
    try here.save()
    #expect(joe.commits.map(\.sha) == ["a"])
    #expect(ada.commits.isEmpty)
    let theirJoe = try there.object(Author.self, with: joe.objectID)
    let second = commit("b", by: theirJoe, in: there)
    try there.save()
    try here.processPendingChanges()
    #expect(joe.commits.count == 2)
    #expect(Set(joe.commits.map(\.sha)) == ["a", "b"])
    second.author = try there.object(Author.self, with: ada.objectID)
    try there.save()
    try here.processPendingChanges()
    #expect(joe.commits.map(\.sha) == ["a"])
    #expect(ada.commits.map(\.sha) == ["b"])
    there.delete(try there.object(Commit.self, with: first.objectID))
    try there.save()
    try here.processPendingChanges()
    #expect(joe.commits.isEmpty)
    #expect(first.isDeleted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 pending moves stay on top of merged ones`(_ kind: StoreKind) throws {
    let (bench, here, there) = try contexts(kind)
    let joe = author("Joe", in: here)
    let ada = author("Ada", in: here)
    let first = commit("a", by: joe, in: here)
    let second = commit("b", by: joe, in: here)
    try here.save()
    #expect(joe.commits.count == 2)
    first.author = ada
    #expect(ada.commits.map(\.sha) == ["a"])
    for id in [first.objectID, second.objectID] {
      try there.object(Commit.self, with: id).author = nil
    }
    try there.save()
    try here.processPendingChanges()
    #expect(first.author === ada)
    #expect(second.author == nil)
    #expect(joe.commits.isEmpty)
    #expect(ada.commits.map(\.sha) == ["a"])
    try here.save()
    let reader = bench.context()
    let fresh = try reader.object(Author.self, with: ada.objectID)
    #expect(fresh.commits.map(\.sha) == ["a"])
    #expect(!reader.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 members that two contexts move are counted once before they are merged`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let (here, there) = (bench.context(), bench.context())
    let (joe, ada) = (author("Joe", in: here), author("Ada", in: here))
    let (left, came, torn) = (
      commit("a", by: joe, in: here), commit("b", by: nil, in: here), commit("c", by: nil, in: here)
    )
    try here.save()
    left.author = nil
    came.author = ada
    torn.author = joe
    let theirAda = try there.object(Author.self, with: ada.objectID)
    try there.object(Commit.self, with: left.objectID).author = nil
    try there.object(Commit.self, with: came.objectID).author = theirAda
    try there.object(Commit.self, with: torn.objectID).author = theirAda
    try there.save()
    #expect(joe.commits.count == 1 && ada.commits.count == 1)
    #expect(Array(joe.commits) == [torn] && Array(ada.commits) == [came])
    #expect(joe.commits.contains(torn) && !ada.commits.contains(torn))
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a pair that both contexts add or remove counts once`(_ kind: StoreKind) throws {
    let (bench, here, there) = try contexts(kind)
    let team = Team(context: here)
    let (joe, ada, eve) = (
      author("Joe", in: here), author("Ada", in: here), author("Eve", in: here)
    )
    team.members.append(eve)
    try here.save()
    let theirTeam = try there.object(Team.self, with: team.objectID)
    team.members.append(joe)
    team.members.append(ada)
    team.members.remove(eve)
    theirTeam.members.append(try there.object(Author.self, with: joe.objectID))
    theirTeam.members.remove(try there.object(Author.self, with: eve.objectID))
    try there.save()
    try here.processPendingChanges()
    #expect(team.members.count == 2)
    #expect(team.members.map(\.name) == ["Joe", "Ada"])
    #expect(joe.teams.count == 1)
    #expect(eve.teams.isEmpty)
    try here.save()
    let reader = bench.context()
    let fresh = try reader.object(Team.self, with: team.objectID)
    #expect(fresh.members.map(\.name) == ["Joe", "Ada"])
    #expect(!reader.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 the order that another context saved is seen`(_ kind: StoreKind) throws {
    let (bench, here, there) = try contexts(kind)
    defer { withExtendedLifetime(bench) {} }
    let team = Team(context: here)
    for name in ["a", "b", "c"] { team.members.append(author(name, in: here)) }
    try here.save()
    #expect(team.members.map(\.name) == ["a", "b", "c"])
    let theirs = try there.object(Team.self, with: team.objectID)
    theirs.members = OrderedToMany(theirs.members.reversed())
    try there.save()
    try here.processPendingChanges()
    #expect(team.members.map(\.name) == ["c", "b", "a"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a pending reference to what was deleted elsewhere is taken back`(
    _ kind: StoreKind
  ) throws {
    let (bench, here, there) = try contexts(kind)
    let joe = author("Joe", in: here)
    let team = Team(context: here)
    try here.save()
    let commit = commit("a", by: joe, in: here)
    team.members.append(joe)
    there.delete(try there.object(Author.self, with: joe.objectID))
    try there.save()
    try here.processPendingChanges()
    #expect(commit.author == nil)
    #expect(team.members.isEmpty)
    try here.save()
    let reader = bench.context()
    #expect(try reader.object(Commit.self, with: commit.objectID).author == nil)
    #expect(try reader.object(Team.self, with: team.objectID).members.isEmpty)
    #expect(!reader.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a pending reference to what was deleted elsewhere and stored again stays`(
    _ kind: StoreKind
  ) throws {
    let (bench, here, there) = try contexts(kind)
    let joe = author("Joe", in: here)
    let team = Team(context: here)
    try here.save()
    let commit = commit("a", by: joe, in: here)
    team.members.append(joe)
    there.undoManager = ContextUndoManager()
    there.delete(try there.object(Author.self, with: joe.objectID))
    try there.save()
    there.undo()
    try there.save()
    try here.processPendingChanges()
    #expect(!joe.isDeleted)
    #expect(commit.author === joe)
    #expect(team.members.map(\.name) == ["Joe"])
    try here.save()
    let reader = bench.context()
    #expect(try reader.object(Commit.self, with: commit.objectID).author?.name == "Joe")
    #expect(try reader.object(Team.self, with: team.objectID).members.map(\.name) == ["Joe"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 a one-to-one relationship follows a save elsewhere`(_ kind: StoreKind) throws {
    let (bench, here, there) = try contexts(kind)
    defer { withExtendedLifetime(bench) {} }
    let team = Team(context: here)
    let (old, new) = (Badge(context: here), GoldBadge(context: here))
    team.badge = old
    try here.save()
    let theirs = try there.object(Team.self, with: team.objectID)
    theirs.badge = try there.object(GoldBadge.self, with: new.objectID)
    try there.save()
    try here.processPendingChanges()
    #expect(team.badge === new)
    #expect(new.team === team)
    #expect(old.team == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 members keep their unsaved order when another context moves a changed one`(
    _ kind: StoreKind
  ) throws {
    let model = try ManagedObjectModel(entities: PModel.classes.map { $0.entity })
    let bench = try Bench(kind, model: model, classes: PModel.classes)
    let (here, there) = (bench.context(), bench.context())
    here.automaticallyMergesChangesFromParent = true
    let boxes = [PBox(context: here), PBox(context: here)]
    let nodes = (0..<4).map { _ in PNode(context: here) }
    boxes[0].items = OrderedToMany(nodes)
    try here.save()
    let added = [PNode(context: here), PNode(context: here)]
    for node in added.reversed() { boxes[0].items.append(node) }
    boxes[0].items.remove(nodes[0])
    boxes[0].items.append(nodes[0])
    try nodes[3].setValue("here", forKey: "name")
    let theirs = try there.object(PNode.self, with: nodes[3].objectID)
    theirs.box = try there.object(PBox.self, with: boxes[1].objectID)
    try there.save()
    try here.processPendingChanges()
    let order = [nodes[1], nodes[2], added[1], added[0], nodes[0]]
    #expect(Array(boxes[0].items) == order)
    #expect(Array(boxes[1].items) == [nodes[3]])
    try here.save()
    let reader = bench.context()
    let stored = try reader.object(PBox.self, with: boxes[0].objectID)
    #expect(stored.items.map(\.objectID) == order.map(\.objectID))
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.11 whether a deleted target is stored is asked once for all that refer to it`(
    _ kind: StoreKind
  ) throws {
    let bench = try FaultBench(kind, authors: 1, commitsEach: 0)
    defer { withExtendedLifetime(bench) {} }
    let (here, there) = (bench.context(), bench.context())
    here.automaticallyMergesChangesFromParent = true
    let theirs = try #require(try there.fetch(Author.all).first)
    let commits = (0..<20).map { commit("\($0)", by: nil, in: here) }
    for commit in commits {
      commit.author = try here.object(Author.self, with: theirs.objectID)
    }
    there.delete(theirs)
    try there.save()
    let asked = try bench.asked { try here.processPendingChanges() }
    #expect(asked.counts <= 1)
    #expect(commits.filter { $0.author != nil }.isEmpty)
    try here.save()
  }
}
