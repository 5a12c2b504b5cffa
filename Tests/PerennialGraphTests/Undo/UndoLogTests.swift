// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

/// A context with an undo manager, and two authors and three commits of the first, saved.
struct UndoScene {
  let context: ManagedObjectContext
  let manager = ContextUndoManager()
  let joe: Author
  let ada: Author
  let commits: [Commit]

  init(_ bench: Bench) throws {
    context = bench.context()
    joe = Author(context: context)
    ada = Author(context: context)
    (joe.name, ada.name) = ("Joe", "Ada")
    var commits: [Commit] = []
    for number in 0..<3 {
      let commit = Commit(context: context)
      commit.sha = "sha \(number)"
      commit.author = joe
      commits.append(commit)
    }
    self.commits = commits
    try context.save()
    context.undoManager = manager
  }
}

@Suite("SEMANTICS 1D: the log of an undo manager")
struct UndoLogTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.7 there is no undo manager by default, and undo does nothing`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    #expect(context.undoManager == nil)
    let author = Author(context: context)
    context.undo()
    context.redo()
    #expect(author.isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a group is what happens up to processPendingChanges or save, fetches included`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.joe.email = "one"
    _ = try scene.context.fetch(Commit.all)
    scene.ada.email = "one"
    try scene.context.processPendingChanges()
    scene.joe.email = "two"
    try scene.context.save()
    scene.joe.email = "three"
    scene.context.undo()
    #expect(scene.joe.email == "two")
    scene.context.undo()
    #expect(scene.joe.email == "one" && scene.ada.email == "one")
    scene.context.undo()
    #expect(scene.joe.email.isEmpty && scene.ada.email.isEmpty)
    #expect(!scene.manager.canUndo)
    for _ in 0..<3 { scene.context.redo() }
    #expect(scene.joe.email == "three" && scene.ada.email == "one")
    #expect(!scene.manager.canRedo)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 explicit groups nest, and hold what saves and processPendingChanges would part`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.joe.email = "before"
    scene.manager.beginUndoGrouping()
    scene.joe.email = "one"
    scene.manager.beginUndoGrouping()
    scene.joe.email = "two"
    #expect(scene.manager.groupingLevel == 2)
    scene.manager.endUndoGrouping()
    try scene.context.save()
    scene.joe.email = "three"
    scene.manager.endUndoGrouping()
    scene.manager.endUndoGrouping()
    scene.manager.setActionName("Rename")
    #expect(scene.manager.undoActionName == "Rename")
    scene.context.undo()
    #expect(scene.joe.email == "before")
    #expect(scene.manager.redoActionName == "Rename")
    scene.context.undo()
    #expect(scene.joe.email.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a change after an undo leaves nothing to redo`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.joe.email = "one"
    scene.context.undo()
    #expect(scene.manager.canRedo)
    scene.joe.email = "two"
    #expect(!scene.manager.canRedo)
    scene.context.redo()
    #expect(scene.joe.email == "two")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 levelsOfUndo forgets the oldest groups`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.manager.levelsOfUndo = 2
    for number in 1...4 {
      scene.joe.email = "\(number)"
      try scene.context.processPendingChanges()
    }
    for _ in 0..<4 { scene.context.undo() }
    #expect(scene.joe.email == "2")
    for _ in 0..<4 { scene.context.redo() }
    #expect(scene.joe.email == "4")
    scene.manager.levelsOfUndo = 1
    for _ in 0..<4 { scene.context.undo() }
    #expect(scene.joe.email == "3")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 what was deleted without a note is not referred to again`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (room, keeper) = (Room(context: context), Keeper(context: context))
    keeper.room = room
    try context.save()
    let manager = ContextUndoManager()
    context.undoManager = manager
    keeper.room = nil
    try context.processPendingChanges()
    manager.disableUndoRegistration()
    context.delete(room)
    try context.processPendingChanges()
    manager.enableUndoRegistration()
    context.undo()
    #expect(manager.canRedo && keeper.room == nil)
    try context.save()
    #expect(try bench.context().fetch(Keeper.all).map(\.room) == [nil])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 changes that are not registered stay`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.joe.email = "noted"
    scene.manager.disableUndoRegistration()
    scene.manager.disableUndoRegistration()
    scene.ada.email = "not noted"
    scene.manager.enableUndoRegistration()
    #expect(!scene.manager.isUndoRegistrationEnabled)
    let commit = Commit(context: scene.context)
    commit.sha = "new"
    scene.manager.enableUndoRegistration()
    scene.context.undo()
    #expect(scene.joe.email.isEmpty && scene.ada.email == "not noted" && commit.isInserted)
    #expect(!scene.manager.canUndo)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a rollback and a merge of twins empty the log`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.joe.email = "one"
    scene.context.rollback()
    #expect(!scene.manager.canUndo && !scene.manager.canRedo)
    scene.context.mergePolicy = .mergeByPropertyObjectTrump
    let twin = Commit(context: scene.context)
    (twin.sha, twin.message) = ("sha 0", "merged")
    try scene.context.save()
    #expect(twin.isForwarding && !scene.manager.canUndo)
    scene.context.undo()
    #expect(scene.commits[0].message == "merged")
    scene.ada.email = "new"
    #expect(scene.manager.canUndo)
    scene.manager.removeAllActions()
    #expect(!scene.manager.canUndo)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a manager serves one context, and may outlive it`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let manager = ContextUndoManager()
    var first: ManagedObjectContext? = bench.context()
    first?.undoManager = manager
    let author = Author(context: try #require(first))
    author.name = "Joe"
    #expect(manager.canUndo)
    let second = bench.context()
    second.undoManager = manager
    #expect(first?.undoManager == nil && !manager.canUndo)
    second.undoManager = nil
    first?.undoManager = manager
    author.name = "Jim"
    weak let gone = first
    first = nil
    #expect(gone == nil)
    manager.undo()
    manager.redo()
    #expect(author.name == "Jim")
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 the manager says what it does, and does nothing else meanwhile`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let manager = scene.manager
    let log = EventLog(scene.context)
    scene.joe.email = "one"
    try scene.context.processPendingChanges()
    scene.joe.email = "two"
    #expect(manager.undoActionName.isEmpty && manager.redoActionName.isEmpty)
    // The group is still open.
    manager.setActionName("Second")
    #expect(manager.undoActionName == "Second")
    try scene.context.processPendingChanges()
    var states: [[Bool]] = []
    scene.context.endsEvents {
      states.append([manager.isUndoing, manager.isRedoing])
      manager.undo()
      manager.redo()
    }
    manager.undo()
    #expect(scene.joe.email == "one" && manager.redoActionName == "Second")
    try scene.context.processPendingChanges()
    manager.redo()
    #expect(scene.joe.email == "two" && manager.undoActionName == "Second")
    #expect(states == [[true, false], [false, true]])
    #expect(!manager.isUndoing && !manager.isRedoing && log.events.count >= 3)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 an explicit group ends with the delete rules of what it has deleted`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (shelf, label) = (Shelf(context: context), Label(context: context))
    label.shelf = shelf
    try context.save()
    let manager = ContextUndoManager()
    context.undoManager = manager
    manager.beginUndoGrouping()
    context.delete(shelf)
    manager.endUndoGrouping()
    #expect(label.shelf == nil && manager.undoCount == 1)
    label.text = "edited"
    try context.processPendingChanges()
    #expect(manager.undoCount == 2)
    context.undo()
    #expect(label.text.isEmpty && label.shelf == nil && shelf.isDeleted)
    context.undo()
    #expect(label.shelf === shelf && !context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a deletion before an explicit group takes its members with it, not amid the group`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let context = bench.context()
    let (author, commit) = (Author(context: context), Commit(context: context))
    (author.name, commit.sha, commit.author) = ("Joe", "a", author)
    try context.save()
    let manager = ContextUndoManager()
    context.undoManager = manager
    context.delete(author)
    manager.beginUndoGrouping()
    #expect(commit.isDeleted && manager.undoCount == 1)
    let other = Author(context: context)
    manager.endUndoGrouping()
    context.undo()
    #expect(other.managedObjectContext == nil && commit.isDeleted)
    context.undo()
    #expect(commit.author === author && !context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a hook that undoes while a group ends leaves no group open`(_ kind: StoreKind) throws {
    let bench = try Bench(kind, model: ManagedObjectModel(Undoing.entity), classes: [Undoing.self])
    let context = bench.context()
    let (first, second) = (Undoing(context: context), Undoing(context: context))
    first.next = second
    let other = Undoing(context: context)
    try context.save()
    let manager = ContextUndoManager()
    context.undoManager = manager
    manager.beginUndoGrouping()
    context.delete(first)
    second.isUndoing = true
    manager.endUndoGrouping()
    #expect(manager.groupingLevel == 0)
    for name in ["one", "two"] {
      other.name = name
      try context.processPendingChanges()
    }
    context.undo()
    #expect(other.name == "one")
  }
}

/// What undoes when it is deleted.
private final class Undoing: ManagedObject, ManagedEntity {
  var isUndoing = false

  var name: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var next: Undoing? {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override func prepareForDeletion() {
    if isUndoing { managedObjectContext?.undo() }
    isUndoing = false
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Undoing.self,
        named: "Undoing",
        superclass: ManagedObject.self,
        properties: [
          .of("name", String.self, default: ""),
          .of("next", (Undoing?).self, inverse: "previous", deleteRule: .cascade),
          .of("previous", (Undoing?).self, inverse: "next"),
        ]
      )
    }
    return Storage.entity
  }
}
