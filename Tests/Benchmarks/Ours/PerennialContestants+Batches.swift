// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W10: a list of all commits that loads rows as they are shown.

extension PerennialContestants {
  static func batched(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    let list = try context.fetch(
      Commit.sorted(by: \.date, .reverse),
      batchSize: Operation.windowCount
    )
    var sum = UInt64(list.count)
    for commit in list.prefix(Operation.windowCount) {
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
