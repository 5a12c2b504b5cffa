// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D: undo and redo")
struct UndoTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.7 undo brings old values back and leaves a clean object, redo the new ones`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let commit = scene.commits[0]
    commit.message = "first"
    commit.message = String(repeating: "long ", count: 100)
    commit.size = 1.5
    commit.kind = .merge
    #expect(scene.manager.canUndo && !scene.manager.canRedo)
    scene.context.undo()
    #expect(commit.message.isEmpty && commit.size == nil && commit.kind == .normal)
    #expect(!commit.hasChanges && !scene.context.hasChanges)
    #expect(!scene.manager.canUndo && scene.manager.canRedo)
    scene.context.redo()
    #expect(commit.message.count == 500 && commit.size == 1.5 && commit.kind == .merge)
    #expect(Set(commit.changedValues().keys) == ["message", "size", "kind"])
    #expect(scene.manager.canUndo && !scene.manager.canRedo)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 undo of an insertion takes the object out, redo brings the same instance back`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let commit = Commit(context: scene.context)
    commit.sha = "new"
    commit.author = scene.joe
    let id = commit.objectID
    scene.context.undo()
    #expect(!scene.context.hasChanges)
    #expect(commit.managedObjectContext == nil && !commit.isInserted)
    #expect(scene.joe.commits.count == 3)
    #expect(scene.context.registeredObject(for: id) == nil)
    commit.sha = "ignored"
    scene.context.redo()
    #expect(commit.isInserted && commit.sha == "new" && commit.author === scene.joe)
    #expect(scene.context.registeredObject(for: id) === commit)
    try scene.context.save()
    #expect(try bench.context().count(for: Commit.all) == 4)
    scene.context.undo()
    #expect(commit.isDeleted && scene.joe.commits.count == 3)
    try scene.context.save()
    #expect(try bench.context().count(for: Commit.all) == 3)
    scene.context.redo()
    #expect(commit.isInserted && commit.author === scene.joe && scene.joe.commits.count == 4)
    try scene.context.save()
    #expect(try bench.context().count(for: Commit.all) == 4)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.7 undo of a deletion restores what it deleted and unlinked`(
    _ kind: StoreKind,
    _ isSaved: Bool
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let team = Team(context: scene.context)
    team.members = [scene.ada, scene.joe]
    try scene.context.save()
    let ids = scene.commits.map(\.objectID)
    let idOfJoe = scene.joe.objectID
    team.members.remove(scene.joe)
    scene.context.delete(scene.joe)
    if isSaved {
      try scene.context.save()
      #expect(try bench.context().count(for: Commit.all) == 0)
    } else {
      try scene.context.processPendingChanges()
      #expect(scene.commits[0].isDeleted)
    }
    scene.context.undo()
    #expect(scene.joe.name == "Joe" && scene.joe.objectID == idOfJoe)
    #expect(scene.commits.map(\.objectID) == ids)
    #expect(Set(scene.joe.commits) == Set(scene.commits))
    #expect(scene.commits.allSatisfy { $0.author === scene.joe })
    #expect(Array(team.members) == [scene.ada, scene.joe])
    #expect(Set(scene.joe.teams) == [team])
    #expect(scene.joe.isInserted == isSaved && scene.context.hasChanges == isSaved)
    try scene.context.save()
    let reader = bench.context()
    let joe: Author = try reader.object(with: idOfJoe)
    #expect(joe.commits.count == 3)
    #expect(try reader.fetch(Team.all).first?.members.map(\.name) == ["Ada", "Joe"])
    scene.context.redo()
    #expect(scene.joe.isDeleted && scene.commits.allSatisfy(\.isDeleted))
    try scene.context.save()
    #expect(try bench.context().count(for: Commit.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 undo restores both sides of relationships and the order of members`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let other = Author(context: scene.context)
    other.name = "Eve"
    let (team, badge) = (Team(context: scene.context), Badge(context: scene.context))
    team.members = [scene.joe, scene.ada, other]
    team.badge = badge
    try scene.context.save()
    let rival = Team(context: scene.context)
    try scene.context.processPendingChanges()
    team.members.move(from: 2, to: 0)
    team.members.remove(scene.joe)
    rival.badge = badge
    team.allies.insert(rival)
    scene.commits[1].author = scene.ada
    scene.context.undo()
    #expect(Array(team.members) == [scene.joe, scene.ada, other])
    #expect(team.badge === badge && badge.team === team && rival.badge == nil)
    #expect(team.allies.isEmpty && rival.allies.isEmpty)
    #expect(scene.commits[1].author === scene.joe && scene.ada.commits.isEmpty)
    scene.context.redo()
    #expect(Array(team.members) == [other, scene.ada])
    #expect(rival.badge === badge && badge.team === rival && team.badge == nil)
    #expect(Set(rival.allies) == [team])
    #expect(Set(scene.ada.commits) == [scene.commits[1]])
    for _ in 0..<2 { scene.context.undo() }
    #expect(!scene.context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 undo works across a failed save`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.joe.email = "mail"
    let twin = Commit(context: scene.context)
    twin.sha = "sha 0"
    #expect(code { try scene.context.save() } == .managedObjectConstraintMerge)
    #expect(scene.joe.email == "mail")
    scene.context.undo()
    #expect(!scene.context.hasChanges && scene.joe.email.isEmpty)
    scene.context.redo()
    twin.sha = "sha 3"
    try scene.context.save()
    #expect(scene.joe.email == "mail" && scene.commits[0].sha == "sha 0")
    #expect(try bench.context().count(for: Commit.all) == 4)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a new object that others know without a note leaves them when it is undone`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let (author, team) = (Author(context: scene.context), Team(context: scene.context))
    author.name = "new"
    scene.manager.disableUndoRegistration()
    scene.joe.teams.insert(team)
    scene.commits[0].author = author
    scene.manager.enableUndoRegistration()
    scene.context.undo()
    #expect(scene.joe.teams.isEmpty)
    try scene.context.save()
    #expect(try bench.context().count(for: Team.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 what another context saved is not undone`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    let other = bench.context()
    let joe: Author = try other.object(with: scene.joe.objectID)
    (joe.name, joe.email) = ("Joseph", "theirs")
    try other.save()
    scene.joe.email = "ours"
    try scene.context.save()
    #expect(scene.joe.name == "Joseph" && scene.joe.email == "ours")
    scene.context.undo()
    #expect(scene.joe.name == "Joseph" && scene.joe.email.isEmpty)
    try scene.context.save()
    let reader: Author = try bench.context().object(with: scene.joe.objectID)
    #expect(reader.name == "Joseph" && reader.email.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 what a refresh drops is not noted, and a reset empties the log`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let team = Team(context: scene.context)
    team.members = [scene.joe]
    try scene.context.save()
    scene.joe.email = "one"
    team.members.append(scene.ada)
    scene.context.refresh(scene.joe, mergeChanges: false)
    scene.context.refresh(team, mergeChanges: false)
    scene.context.undo()
    #expect(scene.joe.email.isEmpty && Array(team.members) == [scene.joe])
    scene.context.redo()
    scene.joe.email = "two"
    scene.context.reset()
    #expect(!scene.manager.canUndo && !scene.manager.canRedo)
    scene.context.undo()
    #expect(!scene.context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 what is gone is left out, without a trap`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let id = scene.commits[2].objectID
    scene.commits[2].message = "changed"
    scene.ada.email = "changed"
    try scene.context.save()
    let other = bench.context()
    other.delete(try other.existingObject(with: id))
    try other.save()
    scene.context.undo()
    #expect(scene.ada.email.isEmpty)
    #expect(code { try scene.context.save() } == .managedObjectMerge)
    scene.context.redo()
    try scene.context.save()
    #expect(scene.ada.email == "changed")
  }
}
