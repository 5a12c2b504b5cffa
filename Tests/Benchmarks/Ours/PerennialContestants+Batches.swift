// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W10: a list of all commits that loads rows as they are shown. B1 to B3: batch requests.

extension PerennialContestants {
  /// The newest commits as a list of all, of which the first window is looked at.
  static func batched(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    let count = Operation.windowCount
    let commits = try context.fetch(Commit.sorted(by: \.date, .reverse), batchSize: count)
    var sum = UInt64(commits.count)
    for commit in commits.prefix(count) {
      sum &+= rowSum(
        message: commit.message,
        sha: commit.sha,
        url: commit.url,
        date: commit.date
      )
    }
    return sum
  }
}

extension PerennialContestants {
  /// The dictionaries are made, and the authors are there, before the measured time.
  static var batchInsert: Contestant {
    Contestant(role: .ours, check: .stored) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      var authors = BatchInsertRequest(
        entityName: "Author",
        objects: trial.workload.authors.map { ["email": $0.email, "name": $0.name] }
      )
      authors.resultType = .objectIDs
      let ids = try context.execute(authors).objectIDs
      let commits: [[String: (any Sendable)?]] = trial.workload.commits.map {
        [
          "sha": $0.sha, "message": $0.message, "url": $0.url, "date": $0.date,
          "author": ids[$0.author],
        ]
      }
      return {
        defer { withExtendedLifetime(container) {} }
        try context.execute(BatchInsertRequest(entityName: "Commit", objects: commits))
        return 0
      }
    }
  }

  static func batchUpdate(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    var request = BatchUpdateRequest(Commit.self, where: "date > \(Date.distantPast)")
    request.set(\Commit.url, to: RawStatements.url)
    return UInt64(try context.execute(request).count)
  }

  static func batchDelete(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    let request = Commit.filter("date > \(Date.distantPast)")
    return UInt64(try context.execute(BatchDeleteRequest(request)).count)
  }
}
