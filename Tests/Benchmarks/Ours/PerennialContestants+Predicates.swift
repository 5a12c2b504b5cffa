// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// The entity of the other commits, with a full-text index.
@Managed("Commit")
private final class IndexedCommit: ManagedObject {
  var date: Date
  @Indexed(.fullText) var message: String
  @Unique var sha: String
  var url: String
  var author: IndexedAuthor?
}

@Managed("Author")
private final class IndexedAuthor: ManagedObject {
  var email: String
  var name: String
  var commits: ToMany<IndexedCommit>
}

/// W4, and P1 to P6.
extension PerennialContestants {
  /// Gives a store a full-text index.
  static func indexText(of file: URL) throws { _ = try indexedContainer(at: file) }

  private static func indexedContainer(at file: URL) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Benchmark",
      entities: IndexedCommit.self,
      IndexedAuthor.self,
      store: .sqlite(file)
    )
  }

  static func finding(
    _ operation: Operation
  ) -> (ManagedObjectContext, Workload) throws -> UInt64 {
    let word = operation.word ?? ""
    var request =
      operation == .accentScan
      ? Commit.filter("message CONTAINS[cd] \(word)") : Commit.filter("message CONTAINS[c] \(word)")
    if operation == .search { request = request.sorted(by: \.date, .reverse) }
    return { context, _ in
      try context.fetch(request).reduce(0) {
        $0 &+ rowSum(message: $1.message, sha: $1.sha, url: $1.url, date: $1.date)
      }
    }
  }

  static func indexed(_ operation: Operation) -> Contestant {
    Contestant(role: .ours, check: .sum) { trial in
      let container = try indexedContainer(at: trial.file)
      let context = container.newBackgroundContext()
      let request = IndexedCommit.filter("message CONTAINS[c] \(operation.word ?? "")")
      // The raw side's connection is open, too.
      _ = try context.first(IndexedCommit.filter("sha == ''"))
      return {
        defer { withExtendedLifetime(container) {} }
        return try context.fetch(request).reduce(0) {
          $0 &+ rowSum(message: $1.message, sha: $1.sha, url: $1.url, date: $1.date)
        }
      }
    }
  }

  static func parse(_ context: ManagedObjectContext, _ workload: Workload) throws -> UInt64 {
    let format = "message CONTAINS[c] 'fix' AND author.name == 'Joe Groff' OR x"
    for number in 0..<Operation.parse.stepCount(rows: 0) {
      _ = try FetchPredicate(parsing: format + " > \(number % 10)")
    }
    return UInt64(workload.commits.count)
  }

  /// Counts in a store in memory, which evaluates the condition for each of its rows.
  static var evaluate: Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let container = try PersistentContainer(
        name: "Benchmark",
        entities: Commit.self,
        Author.self,
        store: .inMemory
      )
      let context = container.newBackgroundContext()
      for record in trial.workload.commits {
        let commit = Commit(context: context)
        commit.sha = record.sha
        commit.message = record.message
        commit.url = record.url
        commit.date = record.date
      }
      try context.save()
      context.reset()
      // One commit in a thousand is found.
      let dates = trial.workload.commits.map(\.date).sorted()
      let found = max(1, dates.count / 1_000)
      let request = Commit.filter("date >= \(dates[dates.count - found])")
      return {
        defer { withExtendedLifetime(container) {} }
        return try context.count(for: request) == found ? UInt64(trial.rows) : 0
      }
    }
  }
}
