// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Objects that go and come back while somebody else changes or deletes what is stored of them.
@Suite("SEMANTICS 1K: lists of objects that come back")
struct ControllerReturnTests {
  private let byDate = Commit.sorted(by: \.date)

  private func setDate(_ number: Double, of commit: Commit) {
    commit.date = Date(timeIntervalSinceReferenceDate: number)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.2 an object whose deletion is undone has what others have saved meanwhile`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let context = stage.context
    context.undoManager = ContextUndoManager()
    let (controller, mirror) = try stage.list(byDate)
    let commit = try stage.commit("a")
    setDate(1, of: try stage.commit("b"))
    try context.save()
    context.delete(commit)
    try context.processPendingChanges()
    let other = stage.bench.context()
    setDate(2, of: try stage.commit("a", in: other))
    try other.save()
    try context.processPendingChanges()
    context.undoManager?.undo()
    try context.processPendingChanges()
    #expect(commit.date.timeIntervalSinceReferenceDate == 2)
    #expect(ResultsStage.words(controller) == "b a")
    try context.save()
    #expect(try context.fetch(byDate).map(\.sha) == ["b", "a"])
    #expect(mirror.sections.flatMap(\.rows).map(\.object.sha) == ["b", "a"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.2 the undo of a deletion that others have made too stores the object again`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let context = stage.context
    context.undoManager = ContextUndoManager()
    let (controller, mirror) = try stage.list()
    context.delete(try stage.commit("a"))
    try context.processPendingChanges()
    let other = stage.bench.context()
    other.delete(try stage.commit("a", in: other))
    try other.save()
    try context.processPendingChanges()
    _ = mirror.takeTold()
    context.undoManager?.undo()
    try context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "a b")
    #expect(mirror.takeTold() == ["will", "insert a - 0.0", "did"])
    #expect(try context.fetch(Commit.sorted(by: \.message)).map(\.sha) == ["a", "b"])
    try context.save()
    #expect(try stage.bench.context().fetch(Commit.sorted(by: \.message)).map(\.sha) == ["a", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 rows whose author comes back and goes again move from section to section`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind)
    let context = stage.context
    context.undoManager = ContextUndoManager()
    let author = stage.author("ann")
    stage.add("a", by: author)
    stage.add("b")
    try context.save()
    let (controller, mirror) = try stage.list(sectionedBy: "author.name")
    // Somebody else gives the author another commit while the author is deleted here.
    let other = stage.bench.context()
    stage.add("c", by: try other.first(Author.all), in: other)
    context.delete(author)
    try context.save()
    try other.save()
    try context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "b c")
    context.undoManager?.undo()
    try context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "b | ann: a c")
    context.rollback()
    try context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "b c")
    #expect(mirror.complaints == [])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.8 a new row that turns out to be another one leaves the list`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b")
    let child = ManagedObjectContext(coordinator: stage.bench.coordinator, parent: stage.context)
    child.mergePolicy = .mergeByPropertyObjectTrump
    stage.context.delete(try stage.commit("a"))
    stage.add("a", at: "c")
    try stage.context.processPendingChanges()
    let controller = FetchedResultsController(fetchRequest: byDate, managedObjectContext: child)
    let mirror = ListMirror<Commit>(name: { $0.sha }, text: { $0.message })
    controller.delegate = mirror
    try controller.performFetch()
    mirror.reload(controller)
    setDate(7, of: try stage.commit("a", in: child))
    stage.context.rollback()
    try child.save()
    try child.processPendingChanges()
    let shown = controller.fetchedObjects.map(Array.init) ?? []
    #expect(shown.map(\.sha).sorted() == ["a", "b"])
    #expect(mirror.sections.flatMap(\.rows).map(\.object) == shown)
    #expect(mirror.complaints == [])
  }
}
