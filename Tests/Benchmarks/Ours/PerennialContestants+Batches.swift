// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W10: a list of all commits that loads rows as they are shown.

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
