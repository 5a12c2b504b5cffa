// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import FaultyFiles
import Foundation
import Synchronization

/// Files and memory that fail, one call after the other, in everything that is done to a store.
///
/// Every scenario on every kind of store is a process of its own, as many at a time as there are processors: what ends
/// it is a breach, and it goes on with the next call.
struct FaultTrial: Trial {
  static let name = "faults"
  static let about = "files and memory fail at every call, once and from then on"
  static let usualCount =
    "--count counts the calls of each job that fail, in each mode: all of them, or a few with --short."

  static func run(_ options: TrialOptions) throws -> Verdict {
    let total = Mutex(Result<FaultTally, any Error>.success(FaultTally()))
    DispatchQueue.concurrentPerform(iterations: FaultJob.all.count) { number in
      let job = FaultJob.all[number]
      let limit = options.count ?? (options.isShort ? job.shortCount : nil)
      let result = Result { try job.runInChild(limit: limit, seed: options.seed) }
      total.withLock { total in
        total = Result {
          var sum = try total.get()
          sum.add(try result.get())
          return sum
        }
      }
    }
    return try total.withLock { try $0.get() }.verdict
  }

  /// `JOB LIMIT SEED [MODE NUMBER]`: one job, from a call on; `JOB only MODE NUMBER`: one call of it.
  static func child(_ arguments: [String]) throws {
    guard let job = FaultJob.all.first(where: { $0.name == arguments.first }) else {
      let names = FaultJob.all.map(\.name).joined(separator: " ")
      throw UsageError(message: "name one of the jobs: \(names)")
    }
    // SQLite must not have been used before.
    guard failing_install() == 0 else { throw UsageError(message: "SQLite was used already") }
    let rest = Array(arguments.dropFirst())
    if rest.first == "only", rest.count == 3, let number = Int(rest[2]) {
      return try job.run(FaultPlan(only: rest[1], number))
    }
    var plan = FaultPlan()
    if rest.count > 1 { (plan.limit, plan.seed) = (Int(rest[0]), UInt64(rest[1]) ?? 0) }
    if rest.count > 3 { plan.start = (rest[2], Int(rest[3]) ?? 1) }
    try job.run(plan)
  }
}

/// Which calls of a job fail.
struct FaultPlan {
  /// How many of each mode; `nil` for all.
  var limit: Int?
  var seed: UInt64 = 0
  /// The mode to begin with, and the call.
  var start: (mode: String, number: Int)?
  /// Whether it ends there.
  var isOne = false

  init() {}

  init(only mode: String, _ number: Int) {
    start = (mode, number)
    isOne = true
  }

  /// The faults of a series, of so many that there are when nothing fails; there may be more when something does.
  func numbers(_ count: Int, from first: Int) -> any Sequence<Int> {
    if isOne { return first...first }
    guard let limit, limit < count else { return first... }
    let step = max(1, count / max(1, limit))
    return stride(from: Int(seed % UInt64(step)) + 1, through: count, by: step)
      .filter { $0 >= first }
  }
}
