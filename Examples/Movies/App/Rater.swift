// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Console
import Foundation
import MoviesKit
import Perennial

/// Looks popularities up, a few at a time, and saves each when it comes.
struct Rater: Sendable {
  /// A movie to look up.
  struct Target: Sendable {
    var id: ManagedObjectID
    var title: String
  }

  /// How many movies are asked for at once.
  private static let width = 4

  let lookup: MovieLookup
  let container: PersistentContainer

  /// The movies to look up, by title.
  ///
  /// - Parameter all: Whether those with a popularity are among them.
  /// - Returns: The movies.
  /// - Throws: The store's errors.
  func targets(all: Bool) async throws -> [Target] {
    try await container.performBackgroundTask { context in
      let movies = all ? Family.byTitle : Family.byTitle.filter(format: "popularity == nil")
      return try context.fetch(movies).map { Target(id: $0.objectID, title: $0.title) }
    }
  }

  /// Looks a movie up and saves its popularity, also when others have changed the movie meanwhile.
  ///
  /// - Throws: `CancellationError` when the task is cancelled, the store's errors.
  func rate(_ target: Target) async throws -> LookupOutcome {
    let outcome = try await lookup.lookUp(target.title)
    if case .found(let popularity) = outcome {
      try await container.performBackgroundTask { context in
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.persist {
          try context.object(Movie.self, with: target.id).popularity = popularity
        }
      }
    }
    return outcome
  }

  /// Looks movies up until all are done, or until asking on makes no sense.
  ///
  /// - Parameters:
  ///   - targets: The movies.
  ///   - onProgress: Called after each of them.
  /// - Returns: What was done.
  /// - Throws: As ``rate(_:)``.
  func rate(
    _ targets: [Target],
    onProgress: (RatingSummary) -> Void
  ) async throws -> RatingSummary {
    try await withThrowingTaskGroup(of: LookupOutcome.self) { group in
      var summary = RatingSummary(total: targets.count)
      var waiting = targets[...]
      for target in waiting.prefix(Self.width) {
        group.addTask { try await rate(target) }
      }
      waiting = waiting.dropFirst(Self.width)
      while let outcome = try await group.next() {
        summary.note(outcome)
        onProgress(summary)
        guard !summary.isOver, let target = waiting.popFirst() else { continue }
        group.addTask { try await rate(target) }
      }
      return summary
    }
  }
}
