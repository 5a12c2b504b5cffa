// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import Testing

/// An object that notes what an undo tells it, and stamps itself when it is saved.
final class Undoable: ManagedObject, ManagedEntity {
  var events: [SnapshotEvents] = []
  var title: String {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var stamp: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }
  var scratch: Int {
    get { _get(2) }
    set { _set(2, newValue) }
  }
  var parent: Undoable? {
    get { _get(3) }
    set { _set(3, newValue) }
  }
  var children: ToMany<Undoable> { _get(0) }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Undoable.self,
        named: "Undoable",
        superclass: ManagedObject.self,
        properties: [
          .of("title", String.self, default: ""), .of("stamp", Int.self, default: 0),
          .of("scratch", Int.self, default: 0, isTransient: true),
          .of("parent", (Undoable?).self, inverse: "children"),
          .of("children", ToMany<Undoable>.self, inverse: "parent", deleteRule: .cascade),
        ]
      )
    }
    return Storage.entity
  }

  override func awake(fromSnapshotEvents events: SnapshotEvents) { self.events.append(events) }
  override func awakeFromInsert() { title = "awake" }
  override func willSave() { if !isDeleted, stamp == 0 { stamp = 7 } }
}

@Suite("SEMANTICS 1D: undo and the hooks of objects")
struct UndoHookTests {
  private func context(_ bench: Bench) -> ManagedObjectContext {
    let context = bench.context()
    context.undoManager = ContextUndoManager()
    return context
  }

  private func bench(_ kind: StoreKind) throws -> Bench {
    try Bench(kind, model: ManagedObjectModel(Undoable.entity), classes: [Undoable.self])
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 awake(fromSnapshotEvents:) comes once for every object, with what happened`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = context(bench)
    let (parent, child) = (Undoable(context: context), Undoable(context: context))
    try context.save()
    (child.title, child.parent) = ("child", parent)
    context.undo()
    #expect(child.events == [.undoUpdate] && parent.events.isEmpty)
    context.redo()
    #expect(child.events == [.undoUpdate, .undoUpdate])
    try context.processPendingChanges()
    context.delete(parent)
    context.undo()
    #expect(parent.events == [.undoDeletion])
    context.redo()
    #expect(parent.events == [.undoDeletion, .undoInsertion])
    #expect(child.isDeleted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 awake(fromSnapshotEvents:) tells changed and deleted objects of a rollback`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = bench.context()
    let objects = (0..<3).map { _ in Undoable(context: context) }
    try context.save()
    let new = Undoable(context: context)
    objects[0].title = "changed"
    context.delete(objects[1])
    context.rollback()
    #expect(objects[0].events == [.rollback] && objects[1].events == [.rollback])
    #expect(objects[2].events.isEmpty && new.events.isEmpty)
    #expect(objects[0].title == "awake" && !context.hasChanges)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 an undone insertion is told as one, and what awakeFromInsert set is part of it`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = context(bench)
    let object = Undoable(context: context)
    context.undo()
    #expect(object.events == [[.undoInsertion, .undoUpdate]])
    #expect(object.managedObjectContext == nil)
    context.redo()
    #expect(object.events.last == [.undoDeletion, .undoUpdate])
    #expect(object.title == "awake" && object.isInserted)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 transient values are undone, what willSave set is not`(_ kind: StoreKind) throws {
    let bench = try bench(kind)
    let context = context(bench)
    let object = Undoable(context: context)
    try context.save()
    #expect(object.stamp == 7)
    (object.title, object.scratch) = ("new", 3)
    try context.save()
    context.undo()
    #expect(object.title == "awake" && object.scratch == 0 && object.stamp == 7)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 an object is deleted with the objects that were deleted with it`(
    _ kind: StoreKind
  ) throws {
    let bench = try bench(kind)
    let context = context(bench)
    let objects = (0..<4).map { _ in Undoable(context: context) }
    for (child, parent) in zip(objects, objects.dropFirst()) { child.parent = parent }
    try context.save()
    context.delete(objects[3])
    try context.save()
    #expect(try bench.context().count(for: Undoable.all) == 0)
    context.undo()
    for (child, parent) in zip(objects, objects.dropFirst()) {
      #expect(child.parent === parent && Set(parent.children) == [child])
    }
    try context.save()
    #expect(try bench.context().count(for: Undoable.all) == 4)
    context.undo()
    #expect(objects.allSatisfy { $0.isDeleted })
    try context.save()
    #expect(try bench.context().count(for: Undoable.all) == 0)
  }
}

@Suite("SEMANTICS 1D, 1E: undo and the observers of a context")
struct UndoNoticeTests {
  @Test(arguments: StoreKind.allCases)
  func `1D.7 an undo is told as what it changes: inserted, updated and deleted objects`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    var told: [ChangedObjects] = []
    let token = scene.context.onObjectsDidChange { told.append($0) }
    defer { withExtendedLifetime(token) {} }
    let team = Team(context: scene.context)
    scene.ada.email = "new"
    scene.context.delete(scene.commits[0])
    try scene.context.processPendingChanges()
    told = []
    scene.context.undo()
    try scene.context.processPendingChanges()
    #expect(told.count == 1)
    #expect(told.last?.deleted == [team] && told.last?.inserted == [scene.commits[0]])
    #expect(told.last?.updated == [scene.ada, scene.joe])
    scene.context.redo()
    try scene.context.processPendingChanges()
    #expect(told.count == 2)
    #expect(told.last?.inserted == [team] && told.last?.deleted == [scene.commits[0]])
    #expect(told.last?.updated == [scene.ada, scene.joe])
  }
}
