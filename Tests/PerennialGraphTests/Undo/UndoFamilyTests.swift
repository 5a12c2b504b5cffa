// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1D: undo beside children and other contexts")
struct UndoFamilyTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.7 what a child saves is undone in its parent at once`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let child = ManagedObjectContext(parent: scene.context)
    let joe: Author = try child.object(with: scene.joe.objectID)
    scene.ada.email = "before"
    joe.email = "child"
    let commit = Commit(context: child)
    (commit.sha, commit.author) = ("new", joe)
    child.delete(try child.existingObject(with: scene.commits[0].objectID))
    try child.save()
    #expect(scene.joe.email == "child" && scene.commits[0].isDeleted)
    #expect(Set(scene.joe.commits.map(\.sha)) == ["new", "sha 1", "sha 2"])
    scene.context.undo()
    #expect(scene.joe.email.isEmpty && !scene.commits[0].isDeleted && scene.ada.email == "before")
    #expect(Set(scene.joe.commits) == Set(scene.commits))
    scene.context.undo()
    #expect(!scene.context.hasChanges)
    for _ in 0..<2 { scene.context.redo() }
    #expect(
      scene.joe.email == "child" && scene.commits[0].isDeleted && scene.joe.commits.count == 3
    )
    try scene.context.save()
    let messages = try bench.context().fetch(Commit.all).map(\.sha)
    #expect(Set(messages) == ["new", "sha 1", "sha 2"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a child undoes what it has saved into its parent`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let child = ManagedObjectContext(parent: scene.context)
    child.undoManager = ContextUndoManager()
    let joe: Author = try child.object(with: scene.joe.objectID)
    joe.email = "child"
    child.delete(joe)
    try child.save()
    #expect(scene.joe.isDeleted && scene.commits.allSatisfy(\.isDeleted))
    child.undo()
    try child.save()
    #expect(!scene.joe.isDeleted && Set(scene.joe.commits) == Set(scene.commits))
    try scene.context.save()
    #expect(try bench.context().count(for: Commit.all) == 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a row that an undo brings back is a later version of the deleted one`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let other = bench.context()
    let ada: Author = try other.object(with: scene.ada.objectID)
    #expect(ada.name == "Ada")
    scene.context.delete(scene.ada)
    try scene.context.save()
    scene.context.undo()
    scene.ada.name = "Ada Lovelace"
    try scene.context.save()
    ada.name = "Lady Lovelace"
    #expect(code { try other.save() } == .managedObjectMerge)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 what another context's save brings by mail is not noted`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.context.automaticallyMergesChangesFromParent = true
    scene.joe.email = "ours"
    let other = bench.context()
    let joe: Author = try other.object(with: scene.joe.objectID)
    let ada: Author = try other.object(with: scene.ada.objectID)
    (joe.name, ada.email) = ("Joseph", "theirs")
    let team = Team(context: other)
    team.members = [joe, ada]
    try other.save()
    try scene.context.processPendingChanges()
    #expect(scene.joe.name == "Joseph" && scene.ada.email == "theirs")
    scene.context.undo()
    #expect(scene.joe.email.isEmpty && scene.joe.name == "Joseph" && scene.ada.email == "theirs")
    #expect(!scene.manager.canUndo && scene.joe.teams.count == 1)
    scene.context.redo()
    try scene.context.save()
    let stored: Author = try bench.context().object(with: scene.joe.objectID)
    #expect(stored.email == "ours" && stored.name == "Joseph")
  }
}
