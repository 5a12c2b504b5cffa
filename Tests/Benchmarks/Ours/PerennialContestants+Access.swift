// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

// A1 to A3: what it costs to read a property whose object is loaded.

extension PerennialContestants {
  private static let objectCount = 1_000

  /// Adds up what a closure makes of each object, so many times.
  ///
  /// Safe because the caller holds the objects meanwhile: without it each step would also measure
  /// that the loop retains and releases its object.
  @inline(__always)
  private static func sum<Object: ManagedObject>(
    of objects: [Object],
    turns: Int,
    _ value: (Object) -> Int
  ) -> Int {
    let places = objects.map(Unmanaged.passUnretained)
    var sum = 0
    for _ in 0..<turns {
      for place in places { sum &+= place._withUnsafeGuaranteedRef(value) }
    }
    return sum
  }

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
        defer { withExtendedLifetime((container, context, topics)) {} }
        let sum = sum(of: topics, turns: turns) { $0.number }
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
        defer { withExtendedLifetime((container, context, commits)) {} }
        let sum = sum(of: commits, turns: turns) { $0.sha.utf8.count }
        return sum == turns * commits.count * 40 ? UInt64(trial.rows) : 0
      }
    }
  }
}
