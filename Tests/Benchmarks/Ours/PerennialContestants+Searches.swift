// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W3ids: all objects as faults. W5: objects by a unique value. W12: how many fit a condition.

extension PerennialContestants {
  static func fetchFaults(
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws -> UInt64 {
    var request = Commit.all
    request.includesPropertyValues = false
    return UInt64(try context.fetch(request).count)
  }

  static func fetchIDs(_ context: ManagedObjectContext, _ workload: Workload) throws -> UInt64 {
    UInt64(try context.fetchObjectIDs(Commit.all).count)
  }

  static func countMatches(_ context: ManagedObjectContext, _ workload: Workload) throws -> UInt64 {
    let word = Operation.countMatches.word ?? ""
    return UInt64(try context.count(for: Commit.filter("message CONTAINS[c] \(word)")))
  }

  /// The shas are drawn before the measured time, as on the raw side.
  static var lookUp: Contestant {
    Contestant(role: .ours, check: .sum) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      let shas = trial.workload.lookUps(Operation.sampleCount(of: trial.rows))
      return {
        defer { withExtendedLifetime(container) {} }
        return try lookUp(context, shas)
      }
    }
  }

  private static func lookUp(
    _ context: ManagedObjectContext,
    _ shas: [String]
  ) throws -> UInt64 {
    var sum: UInt64 = 0
    for sha in shas {
      guard let commit = try context.first(Commit.filter("sha == \(sha)")) else { continue }
      sum &+= rowSum(
        message: commit.message,
        sha: commit.sha,
        url: commit.url,
        date: commit.date
      )
    }
    return sum
  }

  static var lookUpBatches: Contestant {
    Contestant(role: .ours, check: .sum) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      let batches = trial.lookUpBatches
      return {
        defer { withExtendedLifetime(container) {} }
        return try batches.reduce(0) { sum, shas in
          try context.fetch(Commit.filter("sha IN \(shas)")).reduce(sum) {
            $0 &+ rowSum(message: $1.message, sha: $1.sha, url: $1.url, date: $1.date)
          }
        }
      }
    }
  }
}
