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

  /// Q1: the number of commits of each author, as dictionaries.
  static func groupedCount(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    let count = ExpressionDescription("count", format: "count(sha)")
    let request = Commit.all.fetching("author", .expression(count)).grouped(by: "author")
    return try context.fetchDictionaries(request).reduce(0) { sum, row in
      let count = row["count"] as? Int64 ?? 0
      return sum &+ UInt64(count * count)
    }
  }
}
