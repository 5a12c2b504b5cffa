// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Two contexts that know of each other's saves; the first has an undo manager.
private struct Pair {
  let bench: Bench
  let context: ManagedObjectContext
  let other: ManagedObjectContext

  init(_ kind: StoreKind) throws {
    bench = try roomsBench(kind)
    context = bench.context()
    other = bench.context()
    for context in [context, other] { context.automaticallyMergesChangesFromParent = true }
    context.undoManager = ContextUndoManager()
  }

  /// Makes objects that no undo takes back.
  func make<Value>(_ body: (ManagedObjectContext) throws -> Value) throws -> Value {
    let value = try body(context)
    try context.save()
    context.undoManager?.removeAllActions()
    return value
  }

  /// A room with its keeper, and somebody who would like to be that.
  func makeRoom() throws -> (room: Room, keeper: Keeper, rival: Keeper) {
    try make { context in
      let room = Room(context: context)
      let keeper = Keeper(context: context)
      room.keeper = keeper
      return (room, keeper, Keeper(context: context))
    }
  }

  /// The twin of an object in the other context.
  func twin<Object: ManagedEntity>(_ object: Object) throws -> Object {
    try other.object(with: object.objectID)
  }

  func saveOther() throws {
    try other.save()
    try context.processPendingChanges()
  }

  /// Saves the first context, and looks at what is stored: that it agrees with itself, and with the context.
  func checkStored() throws {
    try context.save()
    let reader = bench.context()
    let rooms = try reader.fetch(Room.all)
    let keepers = try reader.fetch(Keeper.all)
    for room in rooms {
      if let keeper = room.keeper { #expect(keepers.contains(keeper) && keeper.room === room) }
    }
    for keeper in keepers {
      if let room = keeper.room { #expect(rooms.contains(room) && room.keeper === keeper) }
    }
    let shelves = try reader.fetch(Shelf.all)
    let labels = try reader.fetch(Label.all)
    for label in labels {
      if let shelf = label.shelf { #expect(shelves.contains(shelf)) }
    }
    #expect(try links(rooms, \.keeper) == links(context.fetch(Room.all), \.keeper))
    #expect(try links(labels, \.shelf) == links(context.fetch(Label.all), \.shelf))
  }

  private func links<Object: ManagedEntity, Target: ManagedEntity>(
    _ objects: [Object],
    _ target: (Object) -> Target?
  ) -> [ManagedObjectID: ManagedObjectID?] {
    Dictionary(uniqueKeysWithValues: objects.map { ($0.objectID, target($0)?.objectID) })
  }
}

@Suite("SEMANTICS 1D.7: undo of what was saved, after others have saved too")
struct UndoBesideOthersTests {
  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.7 a to-one relationship whose old target others have deleted becomes nil`(
    _ kind: StoreKind,
    _ isKnown: Bool
  ) throws {
    let pair = try Pair(kind)
    let label = try pair.make { context in
      let label = Label(context: context)
      label.shelf = Shelf(context: context)
      return label
    }
    var shelf = label.shelf
    let id = try #require(shelf?.objectID)
    if !isKnown { shelf = nil }
    label.shelf = nil
    try pair.context.save()
    pair.other.delete(try pair.other.existingObject(with: id))
    try pair.saveOther()
    pair.context.undo()
    #expect(label.shelf == nil && pair.context.lastFaultError == nil)
    try pair.checkStored()
    pair.context.redo()
    #expect(label.shelf == nil)
    try pair.checkStored()
    withExtendedLifetime(shelf) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 an object that comes back refers to nothing that others have deleted`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (label, id) = try pair.make { context in
      let label = Label(context: context)
      let shelf = Shelf(context: context)
      label.shelf = shelf
      try context.save()
      return (label, shelf.objectID)
    }
    pair.context.delete(label)
    try pair.context.save()
    pair.other.delete(try pair.other.existingObject(with: id))
    try pair.saveOther()
    pair.context.undo()
    #expect(label.isInserted && label.shelf == nil)
    try pair.checkStored()
    #expect(try pair.bench.context().count(for: Label.all) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 undoing a link that others have moved leaves both sides of it in step`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (first, second, keeper) = try pair.make { context in
      (Room(context: context), Room(context: context), Keeper(context: context))
    }
    first.keeper = keeper
    try pair.context.save()
    try pair.twin(second).keeper = try pair.twin(keeper)
    try pair.saveOther()
    #expect(second.keeper === keeper && first.keeper == nil)
    pair.context.undo()
    #expect(first.keeper == nil && second.keeper == nil && keeper.room == nil)
    try pair.checkStored()
    pair.context.redo()
    #expect([first, second].filter { $0.keeper === keeper } == [keeper.room].compactMap(\.self))
    try pair.checkStored()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 undoing the end of a link takes the partners back from whom they have now`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (first, second, keeper, rival) = try pair.make { context in
      let rooms = (Room(context: context), Room(context: context))
      let keepers = (Keeper(context: context), Keeper(context: context))
      rooms.0.keeper = keepers.0
      return (rooms.0, rooms.1, keepers.0, keepers.1)
    }
    first.keeper = nil
    try pair.context.save()
    try pair.twin(second).keeper = try pair.twin(keeper)
    try pair.twin(first).keeper = try pair.twin(rival)
    try pair.saveOther()
    pair.context.undo()
    #expect(first.keeper === keeper && keeper.room === first)
    #expect(second.keeper == nil && rival.room == nil)
    try pair.checkStored()
    pair.context.redo()
    #expect(first.keeper === rival && rival.room === first)
    #expect(second.keeper === keeper && keeper.room === second)
    try pair.checkStored()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a link with a partner that others have deleted does not come back`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (room, keeper, rival) = try pair.makeRoom()
    room.keeper = rival
    try pair.context.save()
    pair.other.delete(try pair.twin(keeper))
    try pair.saveOther()
    pair.context.undo()
    #expect(room.keeper == nil && rival.room == nil)
    try pair.checkStored()
    pair.context.redo()
    #expect(room.keeper === rival && rival.room === room)
    try pair.checkStored()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 a partner that comes back takes its place from whom has it now`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (room, keeper, rival) = try pair.makeRoom()
    pair.context.delete(keeper)
    try pair.context.save()
    try pair.twin(room).keeper = try pair.twin(rival)
    try pair.saveOther()
    pair.context.undo()
    #expect(room.keeper === keeper && keeper.room === room && rival.room == nil)
    try pair.checkStored()
    pair.context.redo()
    #expect(keeper.isDeleted && room.keeper === rival && rival.room === room)
    try pair.checkStored()
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.7 an object that is to be stored again stays when everything is read again`(
    _ kind: StoreKind
  ) throws {
    let pair = try Pair(kind)
    let (room, keeper, _) = try pair.makeRoom()
    pair.context.delete(keeper)
    try pair.context.save()
    pair.context.undo()
    #expect(keeper.isInserted && room.keeper === keeper)
    try pair.context.mergeChanges(
      fromRemoteContextSave: ObjectChanges(refreshed: [keeper.objectID, room.objectID])
    )
    #expect(room.keeper === keeper && keeper.room === room)
    try pair.checkStored()
    #expect(!keeper.isDeleted && !keeper.isGone && room.keeper === keeper)
    keeper.rank = 7
    #expect(keeper.rank == 7)
    try pair.checkStored()
    let reader = pair.bench.context()
    let stored = try #require(try reader.fetch(Room.all).first)
    #expect(stored.keeper?.rank == 7)
  }
}
