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

  /// W13: each list has the commits of a hundredth of the authors; another context has changed every
  /// tenth commit.
  static var controllers: Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      context.automaticallyMergesChangesFromParent = true
      let counter = ChangeCounter()
      let authors = try context.fetch(Author.sorted(by: \.name))
      let share = max(1, authors.count / 100)
      let steps = Operation.controllers.stepCount(rows: trial.rows)
      let controllers = try (0..<steps).map { number in
        let some = (0..<share).map { authors[(number + $0 * 97) % authors.count] }
        let controller = FetchedResultsController(
          fetchRequest: Commit.filter("author IN \(some)").sorted(by: \.date),
          managedObjectContext: context
        )
        controller.delegate = counter
        try controller.performFetch()
        return controller
      }
      let other = container.newBackgroundContext()
      let changed = try other.fetch(Commit.sorted(by: \.sha).limit(trial.rows / 10))
      for commit in changed { commit.message = "changed " + commit.sha }
      try other.save()
      return {
        defer { withExtendedLifetime((container, controllers)) {} }
        try context.processPendingChanges()
        return counter.batches == steps ? UInt64(trial.rows) : UInt64(counter.batches)
      }
    }
  }
}
