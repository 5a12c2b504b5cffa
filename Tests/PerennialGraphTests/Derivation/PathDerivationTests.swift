// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import PerennialSQLite
import PerennialStore
import Testing

@Suite("SEMANTICS 1A.9: attributes derived through to-one relationships")
struct PathDerivationTests {
  /// A label on a shelf in a room with a keeper, saved.
  private func label(_ context: ManagedObjectContext) throws -> Label {
    let (room, keeper) = (Room(context: context), Keeper(context: context))
    (room.name, keeper.rank, room.keeper) = ("Hall", 3, keeper)
    let shelf = Shelf(context: context)
    (shelf.title, shelf.room) = ("Büro A", room)
    let label = Label(context: context)
    label.shelf = shelf
    try context.save()
    return label
  }

  /// What a new context reads.
  private func stored(_ bench: Bench) throws -> [String] {
    try #require(try bench.context().fetch(Label.all).first).copies
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 a new object copies what its path leads to`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let label = try label(context)
    let expected = ["Büro A", "buro a", "BÜRO A", "büro a", "Hall", "3"]
    #expect(label.copies == expected)
    #expect(try stored(bench) == expected)
    #expect(label.shelf?.room?.keeper?.roomName == "Hall")
    #expect(!label.hasChanges)
    let request = Label.filter(format: "folded == 'buro a' AND rank > 2")
    #expect(try bench.context().count(for: request) == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 a change at the end of the path is seen before the save and stored by it`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let label = try label(context)
    label.shelf?.title = "Z"
    label.shelf?.room?.name = "Attic"
    label.shelf?.room?.keeper?.rank = 9
    try context.processPendingChanges()
    let expected = ["Z", "z", "Z", "z", "Attic", "9"]
    #expect(label.copies == expected)
    #expect(try context.count(for: Label.filter(format: "title == 'Z' AND rank == 9")) == 1)
    try context.save()
    #expect(label.copies == expected)
    #expect(try stored(bench) == expected)
    label.shelf?.title = "Y"
    try context.processPendingChanges()
    #expect(label.title == "Y")
    context.rollback()
    #expect(label.copies == expected)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 another object, none and a deleted one on the path count`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let label = try label(context)
    let first = try #require(label.shelf)
    let other = Shelf(context: context)
    other.title = "Other"
    label.shelf = other
    try context.processPendingChanges()
    #expect(label.title == "Other" && label.room == nil && label.rank == nil)
    try context.save()
    #expect(try stored(bench) == label.copies)
    label.shelf = first
    try context.save()
    #expect(label.rank == 3)
    #expect(try stored(bench) == label.copies)
    first.room?.keeper = nil
    try context.save()
    #expect(label.rank == nil && label.room == "Hall")
    #expect(try stored(bench) == label.copies)
    context.delete(try #require(first.room))
    try context.processPendingChanges()
    #expect(label.room == nil && label.title == "Büro A")
    try context.save()
    #expect(try stored(bench) == label.copies)
    context.delete(first)
    try context.save()
    #expect(label.copies == Array(repeating: "nil", count: 6))
    #expect(try stored(bench) == label.copies)
    label.shelf = nil
    label.shelf = other
    label.shelf = nil
    try context.save()
    #expect(try stored(bench) == label.copies)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 owners that are not loaded are found and written in the same save`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let writer = bench.context()
    let room = try #require(try label(writer).shelf?.room?.objectID)
    let context = bench.context()
    let mine = try #require(try context.existingObject(with: room) as? Room)
    mine.name = "Cellar"
    mine.keeper?.rank = 1
    #expect(try context.count(for: Label.filter(format: "roomName == 'Cellar' AND rank == 1")) == 1)
    #expect(try context.count(for: Keeper.filter(format: "roomName == 'Cellar'")) == 1)
    try context.save()
    #expect(try stored(bench).suffix(2) == ["Cellar", "1"])
    #expect(try bench.context().fetch(Keeper.all).map(\.roomName) == ["Cellar"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 subentities inherit the derivation`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let context = bench.context()
    let shelf = Shelf(context: context)
    let (label, gold) = (Label(context: context), GoldLabel(context: context))
    (label.shelf, gold.shelf) = (shelf, shelf)
    try context.save()
    shelf.title = "x"
    try context.save()
    #expect(label.upper == "X" && gold.upper == "X")
    #expect(try bench.context().fetch(GoldLabel.all).map(\.title) == ["x"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 an owner that was stored in the meantime is computed too`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let first = bench.context()
    let label = try label(first)
    let shelf = try #require(label.shelf)
    shelf.title = "renamed"
    try first.processPendingChanges()
    let second = bench.context()
    let late = Label(context: second)
    late.shelf = try second.existingObject(with: shelf.objectID) as? Shelf
    try second.save()
    #expect(late.title == "Büro A")
    try first.save()
    #expect(try bench.context().fetch(Label.all).map(\.title) == ["renamed", "renamed"])
    let last = Label(context: second)
    last.shelf = late.shelf
    try second.save()
    #expect(
      try bench.context().fetch(Label.all).map(\.title) == Array(repeating: "renamed", count: 3)
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 contexts that merge see the new values, whoever changed the row`(
    _ kind: StoreKind
  ) throws {
    let bench = try roomsBench(kind)
    let (first, second) = (bench.context(), bench.context())
    for context in [first, second] { context.automaticallyMergesChangesFromParent = true }
    let label = try label(first)
    let theirs = try #require(try second.fetch(Label.all).first)
    label.shelf?.title = "new"
    try first.save()
    theirs.text = "edited"
    try second.processPendingChanges()
    #expect(theirs.title == "new")
    try second.save()
    try first.processPendingChanges()
    #expect(label.text == "edited" && label.title == "new")
    #expect(try stored(bench) == label.copies)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 parent and child that change both ends do not conflict`(_ kind: StoreKind) throws {
    let bench = try roomsBench(kind)
    let parent = bench.context()
    let label = try label(parent)
    let child = ManagedObjectContext(parent: parent)
    let theirs = try #require(try child.existingObject(with: label.objectID) as? Label)
    theirs.shelf?.room?.name = "child"
    try child.processPendingChanges()
    #expect(theirs.room == "child")
    label.shelf?.title = "parent"
    try parent.processPendingChanges()
    try child.save()
    try parent.save()
    #expect(try stored(bench).prefix(1) == ["parent"])
    #expect(try stored(bench)[4] == "child")
    #expect(label.copies == label.expectedCopies)
  }

  @Test func `1A.9 a path without an inverse is refused with what to do`() throws {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Note",
        properties: [
          .toOne("topic", "Topic"),
          .attribute("title", .string, optional: true, derived: "topic.title"),
        ]
      ),
      EntityDescription("Topic", properties: [.attribute("title", .string, default: "")])
    )
    do {
      try StoreCoordinator.check(model)
      Issue.record("it was taken")
    } catch {
      #expect(error.code == .invalidModel)
      #expect(error.message == "'Note.title' cannot be derived: 'Note.topic' has no inverse.")
      #expect(error.recovery.hasPrefix("give it one"))
    }
  }

  @Test(arguments: [
    "shelf", "shelf.titel", "shelf.labels.text", "shelf.room", "shelf.room.name.x", "text.title",
    "shelf.room.keeper.roomName", "shelf.room.keeper.rank", "shelf..title",
    "uppercase:(shelf.rank)",
  ])
  func `1A.9 a path that leads to no stored attribute of the type is refused`(
    _ text: String
  ) throws {
    var entity = Label.entity
    entity.properties.append(.attribute("extra", .string, optional: true, derived: text))
    let model = try ManagedObjectModel(Room.entity, Keeper.entity, Shelf.entity, entity)
    #expect(code { try StoreCoordinator.check(model) } == .invalidModel)
  }

  @Test(arguments: StoreKind.allCases)
  func `1A.9 the questions and statements for one shelf do not grow with its labels`(
    _ kind: StoreKind
  ) throws {
    var costs: [[Int]] = []
    for count in [10, 10_000] {
      let bench = try roomsBench(kind)
      let writer = bench.context()
      let shelf = Shelf(context: writer)
      for _ in 0..<count { Label(context: writer).shelf = shelf }
      try writer.save()
      let store = CountingStore(bench.coordinator.store)
      let coordinator = StoreCoordinator(
        store: store,
        classes: Dictionary(
          uniqueKeysWithValues: bench.coordinator.classes.map { ($0.entityName, $0) }
        )
      )
      let context = ManagedObjectContext(coordinator: coordinator)
      let mine = try #require(try context.fetch(Shelf.all).first)
      let before = try (bench.coordinator.store as? SQLiteStore)?.writeCount() ?? 0
      let asked = try store.asked {
        mine.title = "new"
        try context.save()
      }
      let after = try (bench.coordinator.store as? SQLiteStore)?.writeCount() ?? 0
      costs.append([asked.total, after - before])
      #expect(try bench.context().count(for: Label.filter(format: "upper == 'NEW'")) == count)
    }
    #expect(costs[0] == costs[1])
    #expect(costs[1][0] <= 2)
    #expect(costs[1][1] <= 16)
  }
}
