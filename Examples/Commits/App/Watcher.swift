// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CommitsKit
import Console
import ConsoleStore
import Foundation
import Perennial

/// Shows a list of commits that moves by itself: on the whole screen, or as lines where no terminal
/// shows the output.
///
/// The changes of the results controller alone decide when something is shown.
@MainActor
final class Watcher {
  /// How many commits are loaded at a time.
  private static let batchSize = 50

  private let listing: Listing
  private let follower: CheckoutFollower?
  private let container: PersistentContainer
  private let controller: FetchedResultsController<Commit>
  private var marks = ChangeMarks()
  /// Whether the list may stay as it is, although others save.
  private let mayMissChanges: Bool
  /// Why the checkout was not imported, nil when it was.
  private var problem: String?

  /// Opens the store, and makes it when it is missing; one that cannot be written is shown, unless it shall be imported
  /// into.
  init(_ listing: Listing, store: StoreOptions) throws {
    self.listing = listing
    // A wrong request or checkout is reported before a store is made.
    let request = try listing.checkedRequest()
    follower = try listing.options.importPath.map { try CheckoutFollower(path: $0) }
    let access: StoreAccess = follower == nil && store.isOnlyReadable ? .read : .create
    mayMissChanges = access == .read && store.mayMissChanges
    container = try CommitStore.open(store, for: access, watchesOthers: true)
    container.viewContext.retainsRegisteredObjects = mayMissChanges
    controller = FetchedResultsController(
      fetchRequest: mayMissChanges
        ? request.prefetching(\.author) : request.batchSize(Self.batchSize),
      managedObjectContext: container.viewContext,
      sectionNameKeyPath: listing.options.isByAuthor ? "author.name" : nil
    )
    try listing.explainingFormat { try controller.performFetch() }
  }

  /// Shows the list until the user ends it.
  func run() async throws {
    let (signals, signal) = AsyncStream<Void>.makeStream()
    let following = follow(signal)
    defer { following?.cancel() }
    if listing.terminal.hasScreen, !listing.isJSON {
      try await showScreen(signals, signal)
    } else {
      try await printLines()
    }
  }

  /// Imports the checkout that the list shall follow; the list goes on when that fails.
  private func follow(_ signal: AsyncStream<Void>.Continuation) -> Task<Void, Never>? {
    guard let problems = follower?.problems(importingInto: container) else { return nil }
    return Task { @MainActor [weak self] in
      for await problem in problems {
        guard let self, problem != self.problem else { continue }
        self.problem = problem
        signal.yield()
        if !listing.terminal.hasScreen, let problem { listing.terminal.note(problem) }
      }
    }
  }

  private func summary(of count: Int) -> String {
    count.counted("commit") + (mayMissChanges ? ", \(StoreOptions.missesChanges)" : "")
  }

  // MARK: Lines

  private func printLines() async throws {
    let terminal = listing.terminal
    let report = ChangeReport(controller) { commit in
      let row = CommitRow(commit)
      return (row.line(style: terminal.style, width: nil, zone: .current), row.json)
    }
    for await change in controller.changes {
      for (line, json) in report.lines(of: change) {
        try terminal.output.writeLine(listing.isJSON ? json.text : line)
      }
      try terminal.output.flush()
      if change.isInitial {
        terminal.note("Watching \(summary(of: change.after.numberOfObjects)).")
      }
    }
    try Task.checkCancellation()
  }

  // MARK: Screen

  private func showScreen(
    _ signals: AsyncStream<Void>,
    _ signal: AsyncStream<Void>.Continuation
  ) async throws {
    let changes = controller.changes
    let task = Task { @MainActor [weak self] in
      for await change in changes {
        self?.marks = ChangeMarks(change)
        signal.yield()
      }
      signal.finish()
    }
    defer { task.cancel() }
    let list = try LiveList(listing.terminal) { [self] in content() }
    try await list.run(drawing: signals)
  }

  private func content() -> LiveList.Content {
    let sections = controller.sections ?? []
    let count = controller.fetchedObjects?.count ?? 0
    let isByAuthor = listing.options.isByAuthor
    let frame = LiveFrame(
      title: "commits",
      summary: problem ?? summary(of: count),
      emptyText: listing.options.hasConditions ? "No commits match." : "There are no commits yet.",
      sections: sections.map { section in
        let title = section.name.isEmpty && isByAuthor ? CommitRow.noName : section.name
        return LiveFrame.Section(title: title, count: section.numberOfObjects)
      },
      size: .current,
      offset: 0
    )
    return LiveList.Content(frame: frame, focus: marks.focus) { [controller, marks] place, width in
      let commit = controller.object(at: IndexPath(indexes: [place.section, place.row]))
      let row = CommitRow(commit)
      return (
        text: { style in
          row.line(style: style, width: width, zone: .current, showsAuthor: !isByAuthor)
        },
        mark: marks[commit.objectID]
      )
    }
  }
}
