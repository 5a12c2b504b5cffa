// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W10 without batches, W14, and the list of W11.

extension PerennialContestants {
  /// The newest commits, so many times.
  static func first(turns: Int) -> Contestant {
    Contestant(role: .ours, check: .sum) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      let request = Commit.sorted(by: \.date, .reverse).limit(Operation.windowCount)
      return {
        defer { withExtendedLifetime(container) {} }
        var sum: UInt64 = 0
        for _ in 0..<turns {
          sum = try context.fetch(request).reduce(0) {
            $0 &+ rowSum(message: $1.message, sha: $1.sha, url: $1.url, date: $1.date)
          }
        }
        return sum
      }
    }
  }

  /// Opens the store and fetches some commits, so many times.
  static var open: Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let turns = Operation.open.turnCount
      return {
        var count = 0
        for _ in 0..<turns {
          let container = try container(at: trial.file)
          let context = container.newBackgroundContext()
          count += try context.fetch(Commit.all.limit(Operation.windowCount)).count
        }
        return UInt64(count == Operation.windowCount * turns ? trial.rows : count)
      }
    }
  }

  /// All commits as a list in batches, none of which is looked at.
  static func fetchList(_ context: ManagedObjectContext, _ workload: Workload) throws -> UInt64 {
    let request = Commit.sorted(by: \.date, .reverse)
    return UInt64(try context.fetch(request, batchSize: Operation.windowCount).count)
  }
}
