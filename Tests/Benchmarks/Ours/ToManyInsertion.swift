// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Inserts new objects one by one into one to-many relationship, and saves.
enum ToManyInsertion {
  private static let repetitions = 5

  /// The cost of four times as many objects, which may be five times that of a quarter.
  static func growth(in folder: URL) throws -> Growth {
    let (few, many) = (4_000, 16_000)
    var samples = Samples(of: [.ours, .ours])
    for repetition in 0...repetitions {
      for (index, count) in [few, many].enumerated() {
        let file = folder.appending(path: "to-many-\(repetition)-\(count).sqlite")
        let time = try time(of: count, at: file)
        if repetition > 0 { samples.add(time, to: index) }
      }
    }
    return Growth(
      name: "to-many",
      rows: many,
      small: samples.median(of: 0),
      large: samples.median(of: 1),
      limit: 5,
      rawFactor: nil,
      isJudged: true
    )
  }

  /// The time in milliseconds.
  private static func time(of count: Int, at file: URL) throws -> Double {
    let records = Workload(rows: count).commits
    let container = try PerennialContestants.container(at: file)
    let context = container.newBackgroundContext()
    let clock = ContinuousClock()
    let elapsed = try clock.measure {
      let author = Author(context: context)
      author.email = "one@example.org"
      author.name = "One"
      for record in records {
        let commit = Commit(context: context)
        commit.sha = record.sha
        commit.message = record.message
        commit.url = record.url
        commit.date = record.date
        author.commits.insert(commit)
      }
      try context.save()
      guard author.commits.count == count else {
        throw BenchmarkError("The to-many relationship has not all of its objects.")
      }
    }
    return Double(elapsed.components.seconds) * 1e3
      + Double(elapsed.components.attoseconds) / 1e15
  }
}
