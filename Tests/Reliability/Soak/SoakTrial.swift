// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import FaultyFiles
import Foundation
import Perennial
import RowTesting

/// A program that works for long, and uses no more memory at the end than at the beginning.
///
/// The count is that of seconds. What is measured is what was allocated and not freed, between two rounds,
/// when no object is held and nothing is pending.
struct SoakTrial: Trial {
  static let name = "soak"
  static let about = "edits, saves, merges and lists for ten minutes: memory stays flat"
  static let usualCount =
    "--count counts the seconds, for all kinds of stores together: 600, or 12 with --short."

  /// What a cache may differ by from one moment to another, in bytes.
  private static let tolerance = 512 * 1024

  static func run(_ options: TrialOptions) throws -> Verdict {
    let folder = try TemporaryFolder()
    let kinds: [(String, StoreDescription)] = [
      ("sqlite", .sqlite(folder.url.appending(path: "soak.sqlite"))),
      ("json", .json(folder.url.appending(path: "soak.json"))),
      ("memory", .inMemory),
    ]
    let seconds = options.count(usually: 600, short: 12) / kinds.count
    var (saveCount, changeCount, greatestGrowth) = (0, 0, Int.min)
    for (name, store) in kinds {
      let work = try SoakWork(store, seed: options.seed)
      let growth = try growth(of: work, seconds: seconds)
      Reliability.say("soak: \(name): \(work.saveCount) saves, \(growth / 1024) KB more")
      saveCount += work.saveCount
      changeCount += work.changeCount
      greatestGrowth = max(greatestGrowth, growth)
    }
    guard used_memory() > 0 else {
      throw UsageError(message: "the system does not tell what is allocated")
    }
    return Verdict(
      counts:
        "\(saveCount) saves, \(changeCount) changes of lists, \(greatestGrowth / 1024) KB more at the end",
      isKept: greatestGrowth <= tolerance && changeCount > 0
    )
  }

  /// How much more memory the last third of the rounds uses than the second: the first fills caches.
  private static func growth(of work: SoakWork, seconds: Int) throws -> Int {
    let end = ContinuousClock.now + .seconds(seconds)
    var used: [Int] = []
    repeat {
      try work.round()
      used.append(Int(used_memory()))
    } while ContinuousClock.now < end || used.count < 6
    let third = used.count / 3
    return median(used.suffix(third)) - median(used.dropFirst(third).prefix(third))
  }

  private static func median(_ numbers: ArraySlice<Int>) -> Int {
    numbers.sorted()[numbers.count / 2]
  }
}
