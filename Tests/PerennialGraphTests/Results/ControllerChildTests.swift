// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialPredicate
import Testing

/// Lists of a child context, of what happens above.
@Suite("SEMANTICS 1K: lists of a child context")
struct ControllerChildTests {
  /// Keeps what was deleted.
  private final class Departures: FetchedResultsControllerDelegate {
    var objects: [Commit] = []

    func controller(
      _ controller: FetchedResultsController<Commit>,
      didChange anObject: Commit,
      at indexPath: IndexPath?,
      for type: FetchedResultsChangeType,
      newIndexPath: IndexPath?
    ) { if type == .delete { objects.append(anObject) } }
  }

  /// What happens to a row of a child's list.
  enum End: CaseIterable {
    case deletion
    case savedDeletion
    case rollback
  }

  @Test(arguments: StoreKind.allCases, End.allCases)
  func `1K.1 what leaves a child's list is the child's object, whoever has taken it away`(
    kind: StoreKind,
    end: End
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let c = stage.add("c")
    try stage.context.processPendingChanges()
    let child = ManagedObjectContext(parent: stage.context)
    let controller = try child.results(Commit.sorted(by: \.message))
    let delegate = Departures()
    controller.delegate = delegate
    let rows = Array(try #require(controller.fetchedObjects))
    #expect(rows.map(\.sha) == ["a", "b", "c"])
    switch end {
    case .deletion: stage.context.delete(c)
    case .savedDeletion:
      stage.context.delete(c)
      try stage.context.save()
    case .rollback: stage.context.rollback()
    }
    try stage.context.processPendingChanges()
    try child.processPendingChanges()
    #expect(delegate.objects.count == 1)
    #expect(delegate.objects.first === rows[2])
    #expect(controller.fetchedObjects?.map(\.sha) == ["a", "b"])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.1 a child's list has what its parent has changed before anybody followed it`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let child = ManagedObjectContext(parent: stage.context)
    let controller = try child.results(Commit.sorted(by: \.message))
    #expect(controller.fetchedObjects?.map(\.sha) == ["a", "b"])
    stage.add("c")
    stage.context.delete(try stage.commit("a"))
    let delegate = Departures()
    controller.delegate = delegate
    try stage.context.processPendingChanges()
    try child.processPendingChanges()
    #expect(controller.fetchedObjects?.map(\.sha) == ["b", "c"])
    #expect(delegate.objects.count == 1)
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.3 a child's stream has permanent IDs of what its parent has not saved`(
    kind: StoreKind
  ) async throws {
    let stage = try ResultsStage(kind)
    let child = ManagedObjectContext(parent: stage.context)
    var controller: FetchedResultsController<Commit>? = try child.results(
      Commit.sorted(by: \.message)
    )
    let changes = try #require(controller).changes
    let commit = stage.add("a")
    for text in ["new", "newer", "newest"] {
      commit.message = text
      try stage.context.processPendingChanges()
      try child.processPendingChanges()
      #expect(controller?.fetchedObjects?.map(\.sha) == ["a"])
    }
    try stage.context.save()
    try child.processPendingChanges()
    controller = nil
    var replica = ResultsReplica()
    for await change in changes {
      try replica.apply(change)
      #expect(replica.matches(change.after))
      #expect(change.after.objectIDs.contains { $0.isTemporaryID } == false)
    }
    #expect(replica.objectIDs == [commit.objectID])
  }

  @Test(arguments: StoreKind.allCases)
  func `1K.6 a child's list of stored values has what its parent changes, beside its own edits`(
    kind: StoreKind
  ) throws {
    let stage = try ResultsStage(kind, "a b")
    let child = ManagedObjectContext(parent: stage.context)
    var stored = Commit.sorted(by: \.message)
    stored.includesPendingChanges = false
    let controller = try child.results(stored)
    let delegate = Departures()
    controller.delegate = delegate
    try stage.commit("b", in: child).message = "z"
    try child.processPendingChanges()
    stage.add("c")
    try stage.context.processPendingChanges()
    try child.processPendingChanges()
    #expect(controller.fetchedObjects?.map(\.sha) == ["a", "b", "c"])
  }
}
