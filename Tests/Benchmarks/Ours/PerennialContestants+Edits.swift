// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// W6 and W7: objects that were fetched before are changed or deleted, and saved.

extension PerennialContestants {
  /// A contestant that changes the oldest commits, fetched before the measured time.
  static func edit(
    _ work: @escaping ([Commit], ManagedObjectContext, Workload) throws -> Void
  ) -> Contestant {
    Contestant(role: .ours, check: .stored) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      let count = Operation.sampleCount(of: trial.rows)
      let commits = try context.fetch(Commit.sorted(by: \.date).limit(count))
      return {
        defer { withExtendedLifetime(container) {} }
        try work(commits, context, trial.workload)
        return 0
      }
    }
  }

  static func update(
    _ commits: [Commit],
    _ context: ManagedObjectContext,
    _ workload: Workload
  ) throws {
    for (commit, record) in zip(commits, workload.commits) { commit.message = record.message }
    try context.save()
  }

  static func delete(_ commits: [Commit], _ context: ManagedObjectContext) throws {
    for commit in commits { context.delete(commit) }
    try context.save()
  }
}
