// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

@Suite("SEMANTICS 1K.3: the forms of a change, and delegates that act")
struct ControllerReportTests {
  /// Takes snapshots; that it is told otherwise too is a mistake.
  private final class Snapshots: FetchedResultsControllerDelegate {
    var snapshots: [ResultsSnapshot] = []
    var others = 0

    func controller(
      _ controller: FetchedResultsController<Commit>,
      didChangeContentWith snapshot: ResultsSnapshot
    ) { snapshots.append(snapshot) }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Commit>) { others += 1 }
    func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) { others += 1 }
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 a delegate for snapshots is told by them only (scenarios 67 and 68)`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let delegate = Snapshots()
    let controller = FetchedResultsController(
      fetchRequest: Commit.sorted(by: \.message),
      managedObjectContext: stage.context,
      sectionNameKeyPath: "message"
    )
    controller.delegate = delegate
    try controller.performFetch()
    #expect(delegate.snapshots.map(\.numberOfObjects) == [2])
    let c = stage.add("c")
    try stage.context.processPendingChanges()
    // The IDs are those that the objects will have when they are saved.
    #expect(delegate.snapshots.last?.objectIDs.last == c.objectID)
    #expect(c.objectID.isTemporaryID == false)
    try stage.context.save()
    #expect(delegate.snapshots.count == 2)
    #expect(delegate.snapshots.last == controller.snapshot)
    #expect(delegate.snapshots.last?.sections.map(\.name) == ["a", "b", "c"])
    #expect(delegate.others == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 a delegate for differences is told by them only, without sections (scenario 69)`(
    kind: StoreKind
  ) throws {
    final class Differences: FetchedResultsControllerDelegate {
      var differences: [CollectionDifference<ManagedObjectID>] = []
      var others = 0
      func controller(
        _ controller: FetchedResultsController<Commit>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>
      ) { differences.append(difference) }
      func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) {
        others += 1
      }
    }
    let stage = try ResultsStage(kind, "a b c")
    let delegate = Differences()
    let controller = try stage.context.results(Commit.sorted(by: \.message))
    controller.delegate = delegate
    var ids = Array(try #require(controller.snapshot).objectIDs)
    let (b, c) = (try stage.commit("b"), try stage.commit("c"))
    stage.add("aa")
    b.url = "new"
    stage.context.delete(c)
    try stage.context.processPendingChanges()
    let difference = try #require(delegate.differences.first)
    #expect(delegate.differences.count == 1 && delegate.others == 0)
    #expect(difference.removals.count == 2 && difference.insertions.count == 2)
    ids = try #require(ids.applying(difference))
    #expect(ids == Array(try #require(controller.snapshot).objectIDs))
    let sectioned = try stage.context.results(Commit.sorted(by: \.message), sectionedBy: "message")
    sectioned.delegate = delegate
    stage.add("x")
    try stage.context.processPendingChanges()
    #expect(delegate.others == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.2 a stream tells every change, each with the lists before and after`(
    kind: StoreKind
  ) async throws {
    let stage = try ResultsStage(kind, "a b")
    var controller: FetchedResultsController? = try stage.context.results(
      Commit.sorted(by: \.message)
    )
    let changes = try #require(controller).changes
    stage.add("c")
    try stage.context.save()
    try stage.commit("a").message = "z"
    stage.context.delete(try stage.commit("b"))
    try stage.context.save()
    controller = nil
    var replica = ResultsReplica()
    var last: ResultsSnapshot?
    var counts: [Int] = []
    for await change in changes {
      if let last { #expect(change.before == last) }
      #expect(change.isInitial == (last == nil))
      try replica.apply(change)
      #expect(replica.matches(change.after))
      last = change.after
      counts.append(change.after.numberOfObjects)
    }
    #expect(counts == [2, 3, 3, 2])
    #expect(last?.objectIDs.contains { $0.isTemporaryID } == false)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 an object that is deleted and changed is deleted (scenario 72)`(kind: StoreKind) throws
  {
    let stage = try ResultsStage(kind, "a b")
    let (_, mirror) = try stage.list()
    let a = try stage.commit("a")
    a.message = "c"
    stage.context.delete(a)
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "delete a 0.0 -", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 two new twins and a stored one are one row, an update (scenario 43)`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let (controller, mirror) = try stage.list()
    for place in ["x", "y"] {
      let twin = Commit(context: stage.context)
      twin.sha = "a"
      twin.url = place
    }
    try stage.context.processPendingChanges()
    #expect(mirror.takeTold() == ["will", "update a 0.0 0.0", "did"])
    #expect(controller.fetchedObjects?.map(\.url) == ["y", ""])
    try stage.context.save()
    #expect(mirror.told.isEmpty)
  }

  /// Does something in one of its methods, once.
  private final class Acting: FetchedResultsControllerDelegate {
    var act: ((FetchedResultsController<Commit>) throws -> Void)?
    let atObject: Bool
    var depth = 0
    var told: [String] = []
    var errors: [any Error] = []

    init(atObject: Bool) { self.atObject = atObject }

    private func run(_ controller: FetchedResultsController<Commit>) {
      guard let act else { return }
      self.act = nil
      do { try act(controller) } catch { errors.append(error) }
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Commit>) {
      depth += 1
      told.append("will \(depth)")
    }

    func controller(
      _ controller: FetchedResultsController<Commit>,
      didChange anObject: Commit,
      at indexPath: IndexPath?,
      for type: FetchedResultsChangeType,
      newIndexPath: IndexPath?
    ) {
      told.append("\(type) \(anObject.sha)")
      if atObject { run(controller) }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) {
      if !atObject { run(controller) }
      told.append("did")
      depth -= 1
    }
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1K.3 what a delegate changes and saves is told afterwards (scenarios 73 and 74)`(
    kind: StoreKind,
    atObject: Bool
  ) throws {
    let stage = try ResultsStage(kind, "a")
    let delegate = Acting(atObject: atObject)
    let (controller, _) = try stage.list()
    controller.delegate = delegate
    delegate.act = { controller in
      stage.add("c")
      stage.context.delete(try stage.commit("a"))
      try stage.context.save()
      #expect(controller.fetchedObjects?.count == 2, "the list stays during a report")
    }
    stage.add("b")
    try stage.context.processPendingChanges()
    #expect(delegate.errors.isEmpty)
    #expect(
      delegate.told == ["will 1", "insert b", "did", "will 1", "delete a", "insert c", "did"]
    )
    #expect(ResultsStage.words(controller) == "b c")
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1K.3 a delegate that fetches again ends the report`(kind: StoreKind, atObject: Bool) throws
  {
    let stage = try ResultsStage(kind, "a b c")
    let delegate = Acting(atObject: atObject)
    let (controller, _) = try stage.list()
    controller.delegate = delegate
    delegate.act = { controller in
      controller.fetchRequest.predicate = "message > 'b'"
      try controller.performFetch()
    }
    for name in ["d", "e"] { stage.add(name) }
    try stage.context.processPendingChanges()
    #expect(
      delegate.told
        == (atObject ? ["will 1", "insert d", "did"] : ["will 1", "insert d", "insert e", "did"])
    )
    #expect(ResultsStage.words(controller) == "c d e")
    stage.context.delete(try stage.commit("c"))
    try stage.context.processPendingChanges()
    #expect(delegate.told.suffix(3) == ["will 1", "delete c", "did"])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func `1K.3 what a delegate does while a fetch reports is told afterwards (scenarios 73 and 74)`(
    kind: StoreKind,
    atObject: Bool
  ) throws {
    let stage = try ResultsStage(kind, "a b c d")
    let delegate = Acting(atObject: atObject)
    let (controller, _) = try stage.list()
    controller.delegate = delegate
    delegate.act = { _ in
      stage.add("e")
      try stage.context.save()
    }
    controller.fetchRequest.predicate = "message > 'b'"
    try controller.performFetch(reportingChanges: true)
    #expect(delegate.errors.isEmpty)
    #expect(
      delegate.told == ["will 1", "delete b", "delete a", "did", "will 1", "insert e", "did"]
    )
    #expect(ResultsStage.words(controller) == "c d e")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 a fetch that reports, made by a delegate, leaves nothing out`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind, "a b")
    let delegate = Acting(atObject: true)
    let (controller, _) = try stage.list()
    controller.delegate = delegate
    delegate.act = { controller in
      controller.fetchRequest.predicate = "message > 'a'"
      try controller.performFetch(reportingChanges: true)
    }
    for name in ["c", "d"] { stage.add(name) }
    try stage.context.processPendingChanges()
    #expect(delegate.errors.isEmpty)
    #expect(
      delegate.told
        == ["will 1", "insert c", "insert d", "did", "will 1", "delete a", "did"]
    )
    #expect(ResultsStage.words(controller) == "b c d")
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.2 several controllers are all in step before any delegate hears`(kind: StoreKind) throws
  {
    let stage = try ResultsStage(kind, "a")
    let (first, second) = (Acting(atObject: false), Acting(atObject: false))
    let one = try stage.context.results(Commit.sorted(by: \.message))
    let two = try stage.context.results(Commit.sorted(by: \.message, .reverse))
    (one.delegate, two.delegate) = (first, second)
    first.act = { _ in
      #expect(two.fetchedObjects?.count == 2)
      stage.add("c")
      try stage.context.processPendingChanges()
    }
    stage.add("b")
    try stage.context.processPendingChanges()
    #expect(first.told == ["will 1", "insert b", "did", "will 1", "insert c", "did"])
    #expect(second.told == ["will 1", "insert b", "did", "will 1", "insert c", "did"])
    #expect(one.fetchedObjects?.map(\.sha) == two.fetchedObjects?.reversed().map(\.sha))
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 a delegate for differences that is set after the fetch begins with permanent IDs`(
    kind: StoreKind
  ) throws {
    final class Copy: FetchedResultsControllerDelegate {
      var ids: [ManagedObjectID] = []
      func controller(
        _ controller: FetchedResultsController<Commit>,
        didChangeContentWith difference: CollectionDifference<ManagedObjectID>
      ) { ids = ids.applying(difference) ?? [] }
    }
    let stage = try ResultsStage(kind, "a")
    let b = stage.add("b")
    let copy = Copy()
    let controller = try stage.context.results(Commit.sorted(by: \.message))
    controller.delegate = copy
    copy.ids = Array(try #require(controller.snapshot).objectIDs)
    #expect(copy.ids.count == 2 && copy.ids.contains { $0.isTemporaryID } == false)
    b.message = "0"
    try stage.context.processPendingChanges()
    try stage.context.save()
    let saved = try #require(controller.fetchedObjects).map(\.objectID)
    #expect(copy.ids == saved)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.1 a controller keeps its context, and a released one hears nothing`(kind: StoreKind)
    throws
  {
    let bench = try Bench(kind)
    let delegate = Acting(atObject: false)
    weak var weakContext: ManagedObjectContext?
    var controller: FetchedResultsController<Commit>?
    do {
      let context = bench.context()
      weakContext = context
      controller = try context.results(Commit.sorted(by: \.message))
    }
    controller?.delegate = delegate
    let context = try #require(weakContext)
    let commit = Commit(context: context)
    commit.sha = "a"
    try context.save()
    #expect(controller?.object(at: [0, 0]).sha == "a")
    controller = nil
    Commit(context: context).sha = "b"
    try context.processPendingChanges()
    #expect(delegate.told == ["will 1", "insert a", "did"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.4 as many sections as rows`(kind: StoreKind) throws {
    let stage = try ResultsStage(kind)
    for number in 0..<20_000 { stage.add("\(number + 100_000)") }
    try stage.context.save()
    let (controller, mirror) = try stage.list(sectionedBy: "message")
    #expect(controller.sections?.count == 20_000)
    try stage.commit("110000").message = "000000"
    stage.add("999999")
    try stage.context.processPendingChanges()
    #expect(
      mirror.takeTold() == [
        "will", "section delete 110000 10000", "section insert 000000 0",
        "section insert 999999 20000", "insert 999999 - 20000.0", "move 110000 10000.0 0.0", "did",
      ]
    )
  }
}
