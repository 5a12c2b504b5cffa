// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1D.4: refresh beside pending deletions")
struct RefreshingDeletedTests {
  /// Two rooms with a keeper each, and a shelf with labels in the first; saved.
  private func rooms(_ context: ManagedObjectContext) throws -> (
    rooms: [Room], keepers: [Keeper], shelf: Shelf, labels: [Label]
  ) {
    let rooms = [Room(context: context), Room(context: context)]
    let keepers = [Keeper(context: context), Keeper(context: context)]
    for (room, keeper) in zip(rooms, keepers) { room.keeper = keeper }
    let shelf = Shelf(context: context)
    shelf.room = rooms[0]
    let labels = [Label(context: context), Label(context: context)]
    for label in labels { label.shelf = shelf }
    try context.save()
    return (rooms, keepers, shelf, labels)
  }

  /// The labels of a shelf that is deleted; the first was refreshed since.
  private func refreshed(
    _ kind: StoreKind,
    merges: Bool
  ) throws -> (Bench, ManagedObjectContext, labels: [Label]) {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (_, _, shelf, labels) = try rooms(context)
    context.delete(shelf)
    try context.processPendingChanges()
    context.refresh(labels[0], mergeChanges: merges)
    return (bench, context, labels)
  }

  /// Checks that the store has both labels, and no shelf of theirs.
  private func expectNoShelf(_ bench: Bench) throws {
    let reader = bench.context()
    let labels = try reader.fetch(Label.all)
    #expect(labels.count == 2 && labels.allSatisfy { $0.shelf == nil })
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.4 a member that is refreshed while its owner is deleted refers to nothing once saved`(
    _ kind: StoreKind,
    _ merges: Bool
  ) throws {
    let (bench, context, labels) = try refreshed(kind, merges: merges)
    try context.processPendingChanges()
    #expect(labels[0].shelf == nil && labels[0].hasChanges)
    try context.save()
    try expectNoShelf(bench)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a member that is refreshed just before the save refers to nothing`(
    _ kind: StoreKind
  ) throws {
    let (bench, context, labels) = try refreshed(kind, merges: false)
    try context.save()
    #expect(labels.allSatisfy { $0.shelf == nil })
    try expectNoShelf(bench)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refreshAllObjects leaves what delete rules have done`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (rooms, keepers, shelf, labels) = try rooms(context)
    context.delete(shelf)
    context.delete(keepers[0])
    try context.processPendingChanges()
    context.refreshAllObjects()
    #expect(labels.allSatisfy { $0.shelf == nil } && rooms[0].keeper == nil)
    try context.save()
    try expectNoShelf(bench)
    let reader = bench.context()
    #expect(try reader.fetch(Room.all).count { $0.keeper != nil } == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 an undo of the deletion restores a member that was refreshed`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (_, _, shelf, labels) = try rooms(context)
    context.undoManager = ContextUndoManager()
    context.delete(shelf)
    try context.processPendingChanges()
    context.refresh(labels[0], mergeChanges: false)
    try context.processPendingChanges()
    #expect(context.undoManager?.undoCount == 1)
    context.undo()
    #expect(labels.allSatisfy { $0.shelf === shelf } && shelf.labels.count == 2)
    context.redo()
    try context.save()
    try expectNoShelf(bench)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1D.4 a side of a one-to-one relationship refers to no deleted partner after a refresh`(
    _ kind: StoreKind,
    _ hasMoved: Bool
  ) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (rooms, keepers, _, _) = try rooms(context)
    if hasMoved { rooms[1].keeper = keepers[0] }
    context.delete(keepers[0])
    try context.processPendingChanges()
    for room in rooms { context.refresh(room, mergeChanges: false) }
    try context.save()
    let reader = bench.context()
    let paired = try reader.fetch(Room.all).filter { $0.keeper != nil }
    #expect(paired.count == 1 && paired.allSatisfy { $0.keeper?.room === $0 })
    #expect(try reader.count(for: Keeper.all) == 1)
    #expect(rooms[0].keeper == nil)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 refreshing one side of a one-to-one relationship restores the other sides`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (rooms, keepers, _, _) = try rooms(context)
    rooms[0].keeper = keepers[1]
    context.refresh(rooms[0], mergeChanges: false)
    #expect(rooms[0].keeper === keepers[0] && keepers[0].room === rooms[0])
    #expect(keepers[1].room == nil && rooms[1].keeper == nil)
    #expect(!rooms[0].hasChanges && !keepers[0].hasChanges)
    try context.save()
    let reader = bench.context()
    let paired = try reader.fetch(Room.all).filter { $0.keeper != nil }
    #expect(paired.count == 1 && paired.allSatisfy { $0.keeper?.room === $0 })
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a refresh takes a partner from a new object, which stays a new one`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (rooms, keepers, _, _) = try rooms(context)
    let newcomer = Keeper(context: context)
    rooms[0].keeper = newcomer
    #expect(keepers[0].room == nil)
    context.refresh(rooms[0], mergeChanges: false)
    #expect(rooms[0].keeper === keepers[0] && keepers[0].room === rooms[0])
    #expect(newcomer.room == nil && newcomer.isInserted)
    #expect(!rooms[0].hasChanges && !keepers[0].hasChanges)
    try context.save()
    #expect(try bench.context().count(for: Keeper.all) == keepers.count + 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a member that a refresh gives back to a deleted owner is deleted with it`(
    _ kind: StoreKind
  ) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    scene.commits[0].author = scene.ada
    scene.context.delete(scene.joe)
    try scene.context.processPendingChanges()
    #expect(!scene.commits[0].isDeleted && scene.commits[1].isDeleted)
    scene.context.refresh(scene.commits[0], mergeChanges: false)
    try scene.context.save()
    #expect(try bench.context().count(for: Commit.all) == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 a refreshed owner is not linked with deleted members`(_ kind: StoreKind) throws {
    let bench = try Bench(kind)
    let scene = try UndoScene(bench)
    let (team, rival) = (Team(context: scene.context), Team(context: scene.context))
    team.members = [scene.joe, scene.ada]
    team.allies = [rival]
    try scene.context.save()
    scene.context.delete(scene.ada)
    scene.context.delete(rival)
    try scene.context.processPendingChanges()
    scene.context.refresh(team, mergeChanges: false)
    try scene.context.processPendingChanges()
    #expect(Array(team.members) == [scene.joe] && team.allies.isEmpty)
    try scene.context.save()
    let reader = bench.context()
    let stored: Team = try reader.object(with: team.objectID)
    #expect(try reader.count(for: Team.all) == 1)
    #expect(stored.members.map(\.name) == ["Joe"])
    #expect(stored.allies.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `1D.4 in a child too a refreshed member refers to no deleted owner`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let (_, _, shelf, labels) = try rooms(context)
    let child = ManagedObjectContext(parent: context)
    let label: Label = try child.object(with: labels[0].objectID)
    child.delete(try child.existingObject(with: shelf.objectID))
    try child.processPendingChanges()
    child.refresh(label, mergeChanges: false)
    try child.save()
    #expect(label.shelf == nil && labels[0].shelf == nil)
    context.refresh(labels[0], mergeChanges: false)
    try context.save()
    try expectNoShelf(bench)
  }
}
