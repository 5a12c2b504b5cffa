// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import Testing

@Suite("SEMANTICS 1M.2: what a fetch has merged is not taken apart")
struct NewcomerUndoTests {
  @Test(arguments: StoreKind.allCases)
  func `1M.2 a rollback leaves the stored object, for which the newcomer stands`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let entry = try scene.context.make("Entry", ["key": Int64(1), "b": Int64(20)])
    let found = try scene.context.fetch(scene.all)
    scene.context.rollback()
    #expect(!scene.context.hasChanges && entry.isForwarding)
    #expect(try entry.numbers() == [1, 10, nil] && entry.objectID == found[0].objectID)
    try scene.context.save()
    #expect(try scene.stored() == [[1, 10, nil]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 the insertion of a merged object cannot be undone`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let manager = ContextUndoManager()
    scene.context.undoManager = manager
    let entry = try scene.context.make("Entry", ["key": Int64(1), "b": Int64(20)])
    try scene.context.processPendingChanges()
    #expect(manager.canUndo)
    #expect(try scene.context.fetch(scene.all).count == 1)
    #expect(!manager.canUndo && !manager.canRedo)
    scene.context.undo()
    #expect(try entry.isForwarding && entry.numbers() == [1, 10, 20])
    // What is done from now on can be undone.
    try entry.set(["b": Int64(30)])
    try scene.context.processPendingChanges()
    scene.context.undo()
    #expect(try entry.numbers() == [1, 10, 20])
    try scene.context.save()
    #expect(try scene.stored() == [[1, 10, 20]])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 an insertion that was undone merges nothing, until it is redone`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    scene.context.undoManager = ContextUndoManager()
    let entry = try scene.context.make("Entry", ["key": Int64(1), "b": Int64(20)])
    try scene.context.processPendingChanges()
    scene.context.undo()
    #expect(try scene.context.fetch(scene.all).map { try $0.numbers() } == [[1, 10, nil]])
    #expect(!scene.context.hasChanges && !entry.isForwarding)
    scene.context.redo()
    #expect(try scene.context.fetch(scene.all).map { try $0.numbers() } == [[1, 10, 20]])
    #expect(entry.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a fetch in a hook of a save merges nothing, the save does`(_ kind: StoreKind) throws {
    let model = try ManagedObjectModel(entities: [Checked.entity])
    let bench = try Bench(kind, model: model, classes: [Checked.self])
    for value in [1, 2] {
      let context = bench.context()
      context.mergePolicy = .mergeByPropertyObjectTrump
      let checked = Checked(context: context)
      (checked.key, checked.value) = (1, value)
      try context.save()
      #expect(checked.isForwarding == (value == 2))
    }
    let reader = bench.context()
    #expect(try reader.fetch(Checked.all).map(\.value) == [2])
  }
}

/// An object that fetches while it is checked.
final class Checked: ManagedObject, ManagedEntity {
  var key: Int {
    get { _get(0) }
    set { _set(0, newValue) }
  }
  var value: Int {
    get { _get(1) }
    set { _set(1, newValue) }
  }

  override class var entity: EntityDescription {
    enum Storage {
      static let entity = EntityDescription(
        managing: Checked.self,
        named: "Checked",
        superclass: ManagedObject.self,
        uniqueness: [["key"]],
        properties: [
          .of("key", Int.self, default: 0), .of("value", Int.self, default: 0),
        ]
      )
    }
    return Storage.entity
  }
  override class var slotCount: Int { 2 }

  override func validateForInsert() throws {
    try super.validateForInsert()
    _ = try managedObjectContext?.fetch(Checked.all)
    if isForwarding { throw CocoaError(.featureUnsupported) }
  }
}
