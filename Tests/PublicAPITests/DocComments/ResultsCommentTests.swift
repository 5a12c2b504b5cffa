// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Samples in the comments of live results.
@Suite("Samples in comments: results")
@MainActor struct ResultsCommentTests {
  /// As the comment of `FetchedResultsController` has it.
  @MainActor final class Screen: @MainActor FetchedResultsControllerDelegate {
    var shown: [String] = []

    func open(_ container: PersistentContainer) throws -> FetchedResultsController<Commit> {
      let controller = FetchedResultsController(
        fetchRequest: Commit.sorted(by: \.date, .reverse).batchSize(20),
        managedObjectContext: container.viewContext,
        sectionNameKeyPath: "author.name"
      )
      controller.delegate = self
      try controller.performFetch()
      return controller
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) {
      shown = controller.fetchedObjects?.map(\.sha) ?? []
    }
  }

  @MainActor final class CommitList: @MainActor FetchedResultsControllerDelegate {
    func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) { reload() }
  }

  /// What a table view of a user interface has: compiled only.
  final class TableView {
    enum Animation { case automatic }

    func performBatchUpdates(_ updates: () -> Void) { updates() }
    func deleteSections(_ sections: IndexSet, with animation: Animation) {}
    func insertSections(_ sections: IndexSet, with animation: Animation) {}
    func deleteRows(at paths: [IndexPath], with animation: Animation) {}
    func insertRows(at paths: [IndexPath], with animation: Animation) {}
    func reloadRows(at paths: [IndexPath], with animation: Animation) {}
    func moveRow(at path: IndexPath, to other: IndexPath) {}
    func reconfigureRows(at paths: [IndexPath]) {}

    func show(_ change: ResultsChange) {
      let tableView = self
      let updates = change.tableUpdates
      tableView.performBatchUpdates {
        tableView.deleteSections(updates.deletedSections, with: .automatic)
        tableView.insertSections(updates.insertedSections, with: .automatic)
        tableView.deleteRows(at: updates.deletedRows, with: .automatic)
        tableView.insertRows(at: updates.insertedRows, with: .automatic)
        tableView.reloadRows(at: updates.reloadedRows, with: .automatic)
        for move in updates.movedRows { tableView.moveRow(at: move.from, to: move.to) }
      }
      tableView.reconfigureRows(at: updates.reconfiguredRows)
    }
  }

  /// The rows of a table: compiled only.
  final class Rows {
    func apply(_ change: ResultsChange) {}
  }

  private let store: TourStore

  init() async throws {
    store = try TourStore(.inMemory)
    try await store.addCommits()
  }

  @Test func `a list follows its context`() throws {
    let context = store.container.viewContext
    let screen = Screen()
    let list = CommitList()
    let controller = try screen.open(store.container)
    try context.first(Commit.filter("sha == 'sha0'"))?.message = "Changed"
    try context.processPendingChanges()
    #expect(screen.shown.count == 3)
    controller.delegate = list
    try context.first(Commit.filter("sha == 'sha0'"))?.message = "Changed again"
    try context.processPendingChanges()
    #expect(CommitList.reloads == 1)
  }

  @Test func `results by author`() throws {
    let context = store.container.viewContext
    do {
      let results = try context.results(Commit.sorted(by: \.date), sectionedBy: \.author, \.name)
      #expect(results.sections?.count == 2)
    }
  }

  /// Streams that do not end by themselves: compiled only.
  private func streams(_ context: ManagedObjectContext, table: Rows) async throws {
    let results = try context.results(
      Commit.sorted(by: \.date, .reverse),
      sectionedBy: "author.name"
    )
    for await change in results.changes { table.apply(change) }
    let controller = results
    for await change in controller.changes {
      print(change.insertions.count, "new of", change.after.numberOfObjects)
    }
    var replica = ResultsReplica()
    for await change in controller.changes { try replica.apply(change) }
  }

  @Test func `numbers by author`() throws {
    let context = store.container.viewContext
    let lastWeek = Date.distantPast
    let live = try context.aggregates(
      of: Commit.filter(format: "date > %@", lastWeek),
      [.count, .max(\.date)],
      groupedBy: \.author,
      \.name
    )
    for group in live.groups {
      let newest = group.value(of: .max(\.date), as: Date.self)
      print(group.key(as: String.self) ?? "nobody", group.count, newest ?? .distantPast)
    }
    #expect(live.groups.count == 2)
    var shown = 0
    func show(_ groups: [AggregateGroup<Commit>]) { shown = groups.count }
    do {
      let live = try context.aggregates(
        of: Commit.all,
        [.count, .max(\.date)],
        groupedBy: "author.name"
      )
      live.onChange = { change in show(change.groups) }
      Commit(context: context).message = "by nobody"
      try context.processPendingChanges()
      #expect(shown == 3)
    }
  }

  /// A stream that does not end by itself: compiled only.
  private func stream(_ live: LiveAggregates<Commit>) async {
    for await change in live.changes { print(change.updated.count, "authors have other numbers") }
  }
}

extension ResultsCommentTests.CommitList {
  static var reloads = 0

  fileprivate func reload() { Self.reloads += 1 }
}
