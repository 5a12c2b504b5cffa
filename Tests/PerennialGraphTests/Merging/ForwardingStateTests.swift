// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1M.2: a forwarding object is in the state of the object that it stands for")
struct ForwardingStateTests {
  /// What an object says about itself.
  private struct State: Equatable {
    let context: ObjectIdentifier?
    let flags: [Bool]

    init(_ object: ManagedObject) {
      context = object.managedObjectContext.map { ObjectIdentifier($0) }
      flags = [
        object.isInserted, object.isUpdated, object.isDeleted, object.hasChanges, object.isFault,
        object.isGone, object.hasPersistentChangedValues,
      ]
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 new, saved, changed, a fault, deleted and gone`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let context = scene.context
    let survivor = try context.make("Entry", ["key": Int64(5)])
    let loser = try context.make("Entry", ["key": Int64(5), "a": Int64(3)])
    try context.processPendingChanges()
    #expect(loser.isForwarding && !survivor.isForwarding)
    #expect(loser.isInserted && loser.hasChanges && State(loser) == State(survivor))
    try context.save()
    #expect(!loser.hasChanges && State(loser) == State(survivor))
    try survivor.set(["b": Int64(4)])
    #expect(loser.isUpdated && State(loser) == State(survivor))
    context.refresh(survivor, mergeChanges: false)
    #expect(loser.isFault && State(loser) == State(survivor))
    context.delete(survivor)
    #expect(loser.isDeleted && !loser.isFault && State(loser) == State(survivor))
    try context.save()
    #expect(loser.managedObjectContext == nil && loser.isGone && State(loser) == State(survivor))
    #expect(loser.isForwarding)
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 a rollback of a child lets an object go that its parent never saved`(
    _ kind: StoreKind
  ) throws {
    let scene = try EntryScene(kind)
    let parent = scene.context
    let child = ManagedObjectContext(parent: parent)
    child.mergePolicy = .mergeByPropertyObjectTrump
    let dropped = try parent.make("Entry", ["key": Int64(2)])
    let object = try #require(try child.fetch(scene.all.filter("key == 2")).first)
    parent.delete(dropped)
    _ = try parent.make("Entry", ["key": Int64(3)])
    try object.set(["key": Int64(3)])
    _ = try child.fetch(scene.all)
    #expect(object.isForwarding)
    try parent.save()
    child.rollback()
    #expect(!object.isForwarding && object.isGone && object.managedObjectContext == nil)
    #expect(try child.fetch(scene.all).map { try $0.numbers()[0] } == [1, 3])
  }

  @Test(arguments: StoreKind.allCases)
  func `1M.2 deleting the forwarding object deletes the other`(_ kind: StoreKind) throws {
    let scene = try EntryScene(kind)
    let entry = try scene.context.make("Entry", ["key": Int64(1)])
    let found = try scene.context.fetch(scene.all)[0]
    scene.context.delete(entry)
    #expect(found.isDeleted && entry.isDeleted)
    scene.context.rollback()
    #expect(!found.isDeleted && !entry.isDeleted && entry.managedObjectContext === scene.context)
  }
}
