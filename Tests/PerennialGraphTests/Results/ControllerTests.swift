// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// The numbered scenarios of the second part of the results page, up to 62.
@Suite("SEMANTICS 1K: results controllers, scenario by scenario")
struct ControllerTests {
  @Test(arguments: StoreKind.allCases)
  func `1K.1 a controller has nothing before its first fetch (scenario 46)`(kind: StoreKind) throws
  {
    let stage = try ResultsStage(kind, "a")
    let controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.message),
      managedObjectContext: stage.context
    )
    #expect(controller.fetchedObjects == nil)
    #expect(controller.sections == nil)
    #expect(controller.snapshot == nil)
    #expect(controller.sectionIndexTitles == [])
    #expect(controller.indexPath(forObject: try stage.commit("a")) == nil)
    try controller.performFetch()
    #expect(controller.fetchedObjects?.map(\.sha) == ["a"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.1 a request without a sort is an error (scenario 47)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a")
    let context = stage.context
    #expect(code { _ = try context.results(Commit.all) } == .invalidRequest)
    #expect(code { _ = try context.results(Commit.all, sectionedBy: "kind") } == nil)
    let sorted = Commit.sorted(by: \.message)
    for wrong in ["nothing", "author", "author.nothing", "author.commits", "author.commits.sha"] {
      #expect(
        code { _ = try context.results(sorted, sectionedBy: wrong) } == .unknownName,
        "\(wrong)"
      )
    }
    #expect(try context.results(sorted).fetchedObjects?.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.1 an object keeps its place when it is saved after the fetch`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a")
    let new = stage.add("n", at: "z")
    let controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.message),
      managedObjectContext: stage.context
    )
    try controller.performFetch()
    #expect(controller.indexPath(forObject: new) == [0, 1])
    try stage.context.save()
    #expect(controller.indexPath(forObject: new) == [0, 1])
    #expect(controller.object(at: [0, 1]) === new)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.1 a fetch that fails leaves the list as it was`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b")
    let (controller, mirror) = try stage.list()
    controller.fetchRequest.predicate = "nothing == 1"
    #expect(code { try controller.performFetch() } == .unknownName)
    #expect(ResultsStage.words(controller) == "a b")
    stage.add("c")
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert c - 0.2", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.2 without a delegate nothing is followed (scenario 48)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a")
    let controller = try stage.context.results(Commit.sorted(by: \.message))
    stage.add("b")
    try stage.context.save()
    #expect(controller.fetchedObjects?.count == 1)
    // What it has missed is told when somebody begins to listen and the next event ends.
    let mirror = ListMirror<Commit>(name: { $0.sha }, text: { $0.message })
    controller.delegate = mirror
    mirror.reload(controller)
    try stage.context.processPendingChanges()
    stage.add("c")
    try stage.context.processPendingChanges()
    #expect(ResultsStage.words(controller) == "a b c")
    #expect(mirror.sections.flatMap(\.rows).map(\.object.sha) == ["a", "b", "c"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.2 a delegate with one empty method is enough (scenario 49)`(kind: StoreKind) throws {
    final class Quiet: FetchedResultsControllerDelegate {
      typealias Element = Commit
      func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) {}
    }
    let stage = try ResultsStage(kind, "a")
    let quiet = Quiet()
    let controller = try stage.context.results(Commit.sorted(by: \.message))
    controller.delegate = quiet
    stage.add("b")
    try stage.context.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 2)
    withExtendedLifetime(quiet) {}
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 a change shows at the end of its event (scenario 50)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b c")
    let (controller, mirror) = try stage.list()
    let a = try stage.commit("a")
    a.message = "d"
    #expect(controller.indexPath(forObject: a) == [0, 0])
    #expect(mirror.told.isEmpty)
    try stage.context.processPendingChanges()
    #expect(controller.indexPath(forObject: a) == [0, 2])
    #expect(mirror.takeTold() == ["will", "move a 0.0 0.2", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 an insertion is told once, before its save (scenarios 51 and 52)`(kind: StoreKind)
    throws
  {
    let stage = try ResultsStage(kind, "a c")
    let (controller, mirror) = try stage.list()
    let b = stage.add("b")
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert b - 0.1", "did"])
    #expect(b.objectID.isTemporaryID)
    b.message = "0"
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "move b 0.1 0.0", "did"])
    try stage.context.save()
    #expect(mirror.told.isEmpty)
    #expect(controller.snapshot?.objectIDs.contains { $0.isTemporaryID } == false)
    #expect(controller.indexPath(forObject: b) == [0, 0])
    stage.context.delete(b)
    try stage.context.save()
    #expect(mirror.takeTold() == ["will", "delete b 0.0 -", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 another context's save is told when it is merged (scenario 53)`(
    kind: StoreKind
  ) async throws {
    let stage = try ResultsStage(kind, "a b d")
    stage.context.automaticallyMergesChangesFromParent = false
    let (controller, mirror) = try stage.list()
    let other = stage.bench.context()
    var saves = stage.bench.coordinator.saves().makeAsyncIterator()
    stage.add("c", in: other)
    try stage.commit("a", in: other).message = "e"
    other.delete(try stage.commit("b", in: other))
    try other.save()
    try stage.context.processPendingChanges()
    #expect(mirror.told.isEmpty)
    let save = try #require(await saves.next())
    stage.context.mergeChanges(fromContextDidSave: save)
    #expect(
      mirror.takeTold() == ["will", "delete b 0.1 -", "insert c - 0.0", "move a 0.0 0.2", "did"]
    )
    #expect(ResultsStage.words(controller) == "c d a")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 an object that was never loaded comes when it matches (scenario 54)`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b c")
    stage.context.reset()
    let (controller, mirror) = try stage.list(
      Commit.filter("kind == 'merge'").sorted(by: \.message)
    )
    #expect(controller.fetchedObjects?.isEmpty == true)
    let other = stage.bench.context()
    try stage.commit("b", in: other).kind = .merge
    try other.save()
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "insert b - 0.0", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 rollback and refresh place objects again (scenario 55)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b c")
    let (_, mirror) = try stage.list(Commit.filter("kind == 'normal'").sorted(by: \.message))
    let (a, b) = (try stage.commit("a"), try stage.commit("b"))
    a.message = "x"
    b.kind = .merge
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "delete b 0.1 -", "move a 0.0 0.1", "did"])
    stage.context.rollback()
    #expect(mirror.takeTold() == ["will", "insert b - 0.1", "move a 0.1 0.0", "did"])
    a.message = "bb"
    try stage.context.processPendingChanges()
    _ = mirror.takeTold()
    stage.context.refresh(a, mergeChanges: false)
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "move a 0.1 0.0", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.5 an object whose row is gone is told as deleted (scenario 56)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b")
    let (_, mirror) = try stage.list()
    let other = stage.bench.context()
    _ = try other.execute(BatchDeleteRequest(Commit.filter("sha == 'a'")))
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "delete a 0.0 -", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.5 a reset is told: the list is read again (scenario 57)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b")
    let (controller, mirror) = try stage.list()
    let old = try stage.commit("a")
    stage.add("c")
    try stage.context.processPendingChanges()
    _ = mirror.takeTold()
    stage.context.reset()
    #expect(
      mirror.takeTold() == [
        "will", "delete  0.2 -", "update a 0.0 0.0", "update b 0.1 0.1", "did",
      ]
    )
    let new = controller.object(at: [0, 0])
    #expect(new !== old && new.sha == "a" && new.managedObjectContext === stage.context)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.1 another condition is fetched silently, or reported (scenario 58)`(kind: StoreKind)
    throws
  {
    let stage = try ResultsStage(kind, "a b c d")
    let (controller, mirror) = try stage.list()
    controller.fetchRequest.predicate = "message > 'b'"
    try controller.performFetch()
    #expect(mirror.told.isEmpty)
    #expect(ResultsStage.words(controller) == "c d")
    mirror.reload(controller)
    controller.fetchRequest.predicate = "message != 'd'"
    controller.fetchRequest.sortDescriptors = [FetchSort("message", ascending: false)]
    try controller.performFetch(reportingChanges: true)
    #expect(
      mirror.takeTold() == ["will", "delete d 0.1 -", "insert b - 0.1", "insert a - 0.2", "did"]
    )
    #expect(mirror.sections.flatMap(\.rows).map(\.object.sha) == ["c", "b", "a"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 related objects are followed (scenario 59)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind)
    let (ann, bob) = (stage.author("ann"), stage.author("bob"))
    for (name, author) in [("a", ann), ("b", ann), ("c", bob)] { stage.add(name, by: author) }
    try stage.context.save()
    let (sections, inSections) = try stage.list(sectionedBy: "author.name")
    let (_, sorted) = try stage.list(
      Commit.all.sorted(by: FetchSort("author.name", ascending: false))
    )
    let (_, filtered) = try stage.list(Commit.filter("author.name == 'bob'").sorted(by: \.message))
    let (_, counted) = try stage.list(
      Commit.filter("author.commits.@count > 1").sorted(by: \.message)
    )
    let other = stage.bench.context()
    try other.first(Author.filter("name == 'ann'"))?.name = "cyd"
    try other.save()
    try stage.context.processPendingChanges()
    #expect(
      inSections.takeTold() == [
        "will", "section delete ann 0", "section insert cyd 1", "move a 0.0 1.0", "move b 0.1 1.1",
        "did",
      ]
    )
    #expect(ResultsStage.words(sections) == "bob: c | cyd: a b")
    #expect(sorted.takeTold().filter { $0.hasPrefix("move") }.count == 2)
    #expect(filtered.told.isEmpty)
    bob.name = "dan"
    try stage.context.processPendingChanges()
    #expect(filtered.takeTold() == ["will", "delete c 0.0 -", "did"])
    _ = counted.takeTold()
    try stage.commit("a").author = bob
    try stage.context.processPendingChanges()
    #expect(
      counted.takeTold() == ["will", "delete b 0.1 -", "insert c - 0.1", "update a 0.0 0.0", "did"]
    )
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 a limit stays one (scenario 60)`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "b c d e")
    let (controller, mirror) = try stage.list(Commit.sorted(by: \.message).limit(3))
    stage.add("a")
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "delete d 0.2 -", "insert a - 0.0", "did"])
    stage.context.delete(try stage.commit("b"))
    try stage.context.save()
    #expect(mirror.takeTold() == ["will", "delete b 0.1 -", "insert d - 0.2", "did"])
    #expect(ResultsStage.words(controller) == "a c d")
    let (offset, _) = try stage.list(Commit.sorted(by: \.message).limit(2).offset(1))
    #expect(ResultsStage.words(offset) == "c d")
  }
}
