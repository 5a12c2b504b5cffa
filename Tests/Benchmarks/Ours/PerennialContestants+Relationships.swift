// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W8: to-one targets by faults, to-many counts without loading.

extension PerennialContestants {
  static func authorNames(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    var sum: UInt64 = 0
    for commit in try context.fetch(Commit.all) { sum &+= nameSum(commit.author?.name ?? "") }
    return sum
  }

  static func commitCounts(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    var sum: UInt64 = 0
    for author in try context.fetch(Author.all) {
      sum &+= weightedCount(author.commits.count, of: author.name)
    }
    return sum
  }
}
