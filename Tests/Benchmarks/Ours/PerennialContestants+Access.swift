// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// A1 to A3: what it costs to read a property whose object is loaded.

extension PerennialContestants {
  private static let objectCount = 1_000

  /// The numbers of some objects, read again and again.
  static func readNumber(isEdited: Bool) -> Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let container = try PersistentContainer(
        name: "Memory",
        entities: Topic.self,
        Post.self,
        Label.self,
        store: .inMemory
      )
      let maker = container.newBackgroundContext()
      for _ in 0..<objectCount { Topic(context: maker).number = 1 }
      try maker.save()
      let context = container.newBackgroundContext()
      let topics = try context.fetch(Topic.all)
      if isEdited { for topic in topics { topic.number = 2 } }
      let turns = Operation.readNumber.stepCount(rows: 0) / objectCount
      return {
        defer { withExtendedLifetime((container, context)) {} }
        var sum = 0
        for _ in 0..<turns { for topic in topics { sum &+= topic.number } }
        return sum == turns * objectCount * (isEdited ? 2 : 1) ? UInt64(trial.rows) : 0
      }
    }
  }

  /// The shas of some commits, read again and again.
  static var readText: Contestant {
    Contestant(role: .ours, check: .count) { trial in
      let container = try container(at: trial.file)
      let context = container.newBackgroundContext()
      let commits = try context.fetch(Commit.sorted(by: \.sha).limit(objectCount))
      for commit in commits { _ = commit.sha }
      let turns = Operation.readText.stepCount(rows: 0) / max(1, commits.count)
      return {
        defer { withExtendedLifetime((container, context)) {} }
        var sum = 0
        for _ in 0..<turns { for commit in commits { sum &+= commit.sha.utf8.count } }
        return sum == turns * commits.count * 40 ? UInt64(trial.rows) : 0
      }
    }
  }
}
