// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// An object that counts, in an attribute that is not stored, how often it got newer values.
private final class Renewed: ManagedObject, ManagedEntity {
  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var renewals: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Renewed.self,
        named: "Renewed",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: ""),
          .of("renewals", Int.self, default: 0, isTransient: true),
        ]
      )
    }
    return Storage.entity
  }

  override func awake(fromSnapshotEvents events: SnapshotEvents) {
    if events.contains(.refresh) { renewals += 1 }
  }
}

/// What the hooks of objects that are read set, and primitive values, are no changes to be undone.
@Suite("SEMANTICS 1F: undo and what is set as objects are read")
struct UndoAwakeningTests {
  /// Saves two objects, "a" and its part "b".
  private func fill(_ bench: Bench) throws {
    let context = bench.context()
    let (a, b) = (Hooked(context: context), Hooked(context: context))
    (a.title, b.title) = ("a", "b")
    b.owner = a
    try context.save()
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 what awakeFromFetch sets in a fetch after an undo leaves what can be redone`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      log.onAwakeFromFetch = { $0.mark = 7 }
      let context = bench.context()
      let a = try #require(try context.first(Hooked.filter(format: "title == 'a'")))
      let manager = ContextUndoManager()
      context.undoManager = manager
      a.count = 1
      context.undo()
      #expect(manager.canRedo && !manager.canUndo)
      let b = try #require(try context.first(Hooked.filter(format: "title == 'b'")))
      #expect(b.mark == 7 && !b.hasChanges)
      #expect(manager.canRedo && !manager.canUndo)
      context.undo()
      #expect(b.mark == 7 && a.mark == 7 && a.count == 0)
      context.redo()
      #expect(a.count == 1 && b.mark == 7)
      #expect(manager.canUndo && !manager.canRedo)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.2 what awakeFromFetch sets when a fault fires is not undone`(_ kind: StoreKind) throws {
    try withHooks(kind) { bench, log in
      try fill(bench)
      log.onAwakeFromFetch = { $0.mark = 7 }
      let context = bench.context()
      let b = try #require(try context.first(Hooked.filter(format: "title == 'b'")))
      let manager = ContextUndoManager()
      context.undoManager = manager
      let owner = try #require(b.owner)
      #expect(owner.isFault)
      #expect(owner.title == "a" && owner.mark == 7)
      #expect(!manager.canUndo)
      context.undo()
      #expect(owner.mark == 7 && !context.hasChanges)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1F.6 a primitive value of an object without changes is not undone`(
    _ kind: StoreKind
  ) throws {
    try withHooks(kind) { bench, log in
      let context = bench.context()
      let object = Hooked(context: context)
      try context.save()
      let manager = ContextUndoManager()
      context.undoManager = manager
      try object.setPrimitiveValue(2, forKey: "count")
      #expect(object.count == 2 && !manager.canUndo)
      object.title = "b"
      context.undo()
      #expect(object.title == "new" && manager.canRedo)
      try object.setPrimitiveValue(3, forKey: "count")
      #expect(manager.canRedo && !manager.canUndo)
      context.undo()
      #expect(object.count == 3 && !object.hasChanges)
      context.redo()
      #expect(object.title == "b")
    }
  }

  /// How a context comes to know of what others have saved.
  enum News: CaseIterable { case fetch, merge }

  @Test(arguments: StoreKind.allCases, News.allCases)
  func `1D.7 what awake(fromSnapshotEvents:) sets with newer values is not undone`(
    _ kind: StoreKind,
    _ news: News
  ) throws {
    let bench = try Bench(
      kind,
      model: ManagedObjectModel(Renewed.entity),
      classes: [Renewed.self]
    )
    let (first, context) = (bench.context(), bench.context())
    let theirs = Renewed(context: first)
    try first.save()
    let ours = try context.object(Renewed.self, with: theirs.objectID)
    let manager = ContextUndoManager()
    context.undoManager = manager
    ours.title = "ours"
    context.undo()
    theirs.title = "theirs"
    try first.save()
    switch news {
    case .fetch: _ = try context.fetch(Renewed.all)
    case .merge:
      let changes = ObjectChanges(refreshed: [theirs.objectID])
      try context.mergeChanges(fromRemoteContextSave: changes)
    }
    #expect(ours.title == "theirs" && ours.renewals > 0)
    #expect(manager.canRedo && !manager.canUndo)
    context.undo()
    #expect(ours.renewals > 0)
  }
}
