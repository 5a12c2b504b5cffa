// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Counts what it is told.
private final class ChangeCounter: FetchedResultsControllerDelegate {
  typealias Element = Commit

  private(set) var batches = 0

  func controllerDidChangeContent(_ controller: FetchedResultsController<Commit>) { batches += 1 }
}

/// R1 to R3: a list of all commits in sections by author. W13: many lists.
extension PerennialContestants {
  private static func controller(
    _ context: ManagedObjectContext
  ) throws -> FetchedResultsController<Commit> {
    try context.results(
      Commit.sorted(by: \.date, .reverse).batchSize(Operation.windowCount),
      sectionedBy: "author.name"
    )
  }

  static func results(_ context: ManagedObjectContext, _ workload: Workload) throws -> UInt64 {
    let sections = try controller(context).sections ?? []
    return sections.reduce(0) { $0 &+ UInt64($1.numberOfObjects * $1.numberOfObjects) }
  }

  /// Objects change their places, so many at a time, and the delegate hears of it.
  static func changes(by count: Int, _ operation: Operation) -> Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      let controller = try controller(context)
      let counter = ChangeCounter()
      controller.delegate = counter
      let steps = operation.stepCount(rows: trial.rows)
      let commits = try context.fetch(Commit.sorted(by: \.sha).limit(count * steps))
      let dates = commits.map { $0.date.addingTimeInterval(86_400 * 30) }
      return {
        defer { withExtendedLifetime((container, controller)) {} }
        for step in 0..<steps {
          for place in step * count..<min(commits.count, (step + 1) * count) {
            commits[place].date = dates[place]
          }
          try context.processPendingChanges()
        }
        return counter.batches == steps ? UInt64(trial.rows) : UInt64(counter.batches)
      }
    }
  }

  /// W13a: each list has about 1,000 commits, those of some authors; another context has changed 10,000.
  static var controllers: Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      context.automaticallyMergesChangesFromParent = true
      let counter = ChangeCounter()
      let authors = try context.fetch(Author.sorted(by: \.name))
      let share = min(authors.count, max(1, 1_000 * authors.count / trial.rows))
      let steps = Operation.controllers.stepCount(rows: trial.rows)
      let lists = (0..<steps).map { number in
        (0..<share).map { authors[(number + $0 * 97) % authors.count] }
      }
      let controllers = try lists.map { some in
        let controller = FetchedResultsController(
          fetchRequest: Commit.filter("author IN \(some)").sorted(by: \.date),
          managedObjectContext: context
        )
        controller.delegate = counter
        try controller.performFetch()
        return controller
      }
      let changed = try changeCommits(in: container, rows: trial.rows)
      // Where each list has one author, some have none of those whose commits have changed.
      let expected = lists.count { $0.contains { changed.contains($0.objectID) } }
      return {
        defer { withExtendedLifetime((container, controllers)) {} }
        try context.processPendingChanges()
        return counter.batches == expected ? UInt64(trial.rows) : UInt64(counter.batches)
      }
    }
  }

  /// W13b: one list of all commits in sections by author.
  static var sectionedController: Contestant {
    Contestant(role: .ours, check: .sum) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      context.automaticallyMergesChangesFromParent = true
      let counter = ChangeCounter()
      let controller = try controller(context)
      controller.delegate = counter
      try changeCommits(in: container, rows: trial.rows)
      return {
        defer { withExtendedLifetime(container) {} }
        try context.processPendingChanges()
        guard counter.batches == 1 else { return 0 }
        return (controller.sections ?? []).reduce(0) {
          $0 &+ UInt64($1.numberOfObjects * $1.numberOfObjects)
        }
      }
    }
  }

  /// Another context changes commits that are spread over all authors, and saves.
  ///
  /// - Returns: The IDs of their authors.
  @discardableResult
  private static func changeCommits(
    in container: PersistentContainer,
    rows: Int
  ) throws -> Set<ManagedObjectID> {
    let context = container.newBackgroundContext()
    let count = Operation.sampleCount(of: rows)
    let commits = try context.fetch(Commit.sorted(by: \.sha).limit(count))
    for commit in commits { commit.message = "changed " + commit.sha }
    try context.save()
    return Set(commits.compactMap { $0.author?.objectID })
  }
}
