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
  func `1D.7 a deletion is undone after the return of the object, by a child, was`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let child = ManagedObjectContext(parent: scene.context)
    child.undoManager = ContextUndoManager()
    child.delete(try child.existingObject(with: scene.commits[0].objectID))
    for context in [child, scene.context] { try context.save() }
    child.undo()
    for context in [child, scene.context] { try context.save() }
    // Another object of the same row as the one that was deleted.
    let returned: Commit = try scene.context.object(with: scene.commits[0].objectID)
    #expect(returned.sha == "sha 0" && returned !== scene.commits[0])
    scene.context.undo()
    #expect(returned.isDeleted && scene.joe.commits.count == 2)
    scene.context.undo()
    #expect(returned.sha == "sha 0" && returned.author === scene.joe && !returned.isDeleted)
    #expect(scene.joe.commits.count == 3)
    scene.context.redo()
    #expect(returned.isDeleted && scene.joe.commits.count == 2)
    scene.context.undo()
    try scene.context.save()
    let shas = try bench.context().fetch(Commit.all).map(\.sha)
    #expect(Set(shas) == ["sha 0", "sha 1", "sha 2"])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.7 an object that a grandchild brings back is there at every level`(
    _ kind: StoreKind,
    _ isOlder: Bool
  ) throws {
    let bench = try Bench(kind)
    let top = bench.context()
    let parent = ManagedObjectContext(parent: top)
    let child = ManagedObjectContext(parent: parent)
    child.undoManager = ContextUndoManager()
    let author = Author(context: child)
    author.name = "Joe"
    if isOlder { try child.save() }
    let commit = Commit(context: child)
    (commit.sha, commit.author) = ("1", author)
    for context in [child, parent, top] { try context.save() }
    if isOlder { child.undo() }
    child.delete(author)
    try child.save()
    child.undo()
    try child.save()
    try parent.save()
    child.refresh(author, mergeChanges: true)
    #expect(child.lastFaultError == nil && author.managedObjectContext === child)
    let copy = try parent.existingObject(with: author.objectID)
    #expect(!copy.isDeleted && !copy.hasChanges)
    try top.save()
    #expect(try bench.context().count(for: Author.all) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.2 a deleted object does not delete one that a child brings back later`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(Undoable.entity),
      classes: [Undoable.self]
    )
    let top = bench.context()
    let parent = ManagedObjectContext(parent: top)
    let child = ManagedObjectContext(parent: parent)
    child.undoManager = ContextUndoManager()
    let (owner, part) = (Undoable(context: child), Undoable(context: child))
    part.parent = owner
    for context in [child, parent, top] { try context.save() }
    part.parent = nil
    child.delete(owner)
    try child.processPendingChanges()
    child.delete(part)
    try child.save()
    child.undo()
    try child.save()
    try parent.save()
    #expect(try parent.count(for: Undoable.all) == 1)
    try top.save()
    let reader = bench.context()
    let stored = try reader.fetch(Undoable.all)
    #expect(stored.map(\.objectID) == [part.objectID])
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

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a child does not bring back over what its parent has brought back`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let parent = bench.context()
    let child = ManagedObjectContext(parent: parent)
    for context in [parent, child] { context.undoManager = ContextUndoManager() }
    let room = Room(context: parent)
    room.name = "hall"
    try parent.save()
    child.delete(try child.existingObject(with: room.objectID))
    for context in [child, parent] { try context.save() }
    parent.undo()
    let keeper = Keeper(context: parent)
    keeper.room = room
    try parent.save()
    let copy: Keeper = try child.object(with: keeper.objectID)
    child.undo()
    #expect(!child.hasChanges && child.lastFaultError == nil)
    #expect(copy.room?.keeper === copy)
    for context in [child, parent] { try context.save() }
    let reader = bench.context()
    let stored = try reader.fetch(Room.all)
    #expect(stored.map(\.name) == ["hall"] && stored[0].keeper?.objectID == keeper.objectID)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.7 what two contexts have deleted is brought back by the first that undoes it`(
    _ kind: StoreKind,
    _ isMerging: Bool
  ) throws {
    let bench = try roomsBench(kind)
    let contexts = (0..<2).map { _ in bench.context() }
    for context in contexts {
      context.mergePolicy = .mergeByPropertyObjectTrump
      context.undoManager = ContextUndoManager()
      context.automaticallyMergesChangesFromParent = isMerging
    }
    let room = Room(context: contexts[0])
    room.name = "hall"
    try contexts[0].save()
    let twin: Room = try contexts[1].object(with: room.objectID)
    contexts[0].delete(room)
    contexts[1].delete(twin)
    for context in contexts { try context.save() }
    contexts[0].undo()
    room.name = "hall again"
    try contexts[0].save()
    contexts[1].undo()
    #expect(!contexts[1].hasChanges && contexts[1].lastFaultError == nil)
    #expect(try contexts[1].fetch(Room.all).map(\.name) == ["hall again"])
    try contexts[1].save()
    #expect(try bench.context().fetch(Room.all).map(\.name) == ["hall again"])
  }
}
