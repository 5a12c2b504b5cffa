// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import BenchmarksRawC
import Foundation

/// Runs the contestants of one operation in turn, on one file.
///
/// One warm-up, then the repetitions; in each the contestants alternate, and another one begins. What takes little
/// time is repeated more often, since what else the machine does weighs more there.
/// Every repetition opens a new connection or context, which is not measured; one that begins with
/// an empty store, or that deletes, gets a file of its own.
final class Measure {
  private let workload: Workload
  private let stores: StoreFiles
  private let repetitions: Int
  private let isWarmedUp: Bool
  private let clock: Clock
  private var revision = 0

  /// What tells the time.
  enum Clock {
    case wall
    /// The time that the threads of this process have run.
    case processor

    /// The time in milliseconds since some moment.
    var now: Double {
      var time = timespec()
      clock_gettime(self == .wall ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &time)
      return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
  }

  init(
    workload: Workload,
    stores: StoreFiles,
    repetitions: Int,
    isWarmedUp: Bool,
    clock: Clock
  ) {
    self.workload = workload
    self.stores = stores
    self.repetitions = repetitions
    self.isWarmedUp = isWarmedUp
    self.clock = clock
  }

  /// How often a store of so many rows is measured: large ones are slow, and less noisy.
  static func repetitions(rows: Int) -> Int { rows < 1_000_000 ? 5 : 3 }

  /// What a short operation is repeated for: until all contestants together have taken so many milliseconds.
  private static let leastTime = 3_000.0
  /// How often a short operation is repeated at most.
  private static let mostRepetitions = 15

  /// Adds the times of the repetitions, in milliseconds; the samples are in the order of the
  /// contestants.
  func measure(
    _ operation: Operation,
    _ contestants: [Contestant],
    into samples: inout Samples
  ) throws {
    let shared = try sharedFile(for: operation)
    defer { shared.map(stores.remove) }
    var repetition = isWarmedUp ? 0 : 1
    var total = 0.0
    while repetition <= repetitions
      || isWarmedUp && repetition <= Self.mostRepetitions && total < Self.leastTime
    {
      for turn in contestants.indices {
        let index = (turn + repetition) % contestants.count
        let own = try ownFile(for: operation)
        defer { own.map(stores.remove) }
        let file = try shared ?? own ?? stores.large(for: operation).file
        let time = try self.time(contestants[index], operation, file)
        if repetition > 0 {
          samples.add(time, to: index)
          total += time
        }
      }
      repetition += 1
    }
  }

  private func sharedFile(for operation: Operation) throws -> URL? {
    switch operation.store {
    case .shared: try stores.copyOfFilled()
    case .indexed: try stores.copyOfIndexed()
    case .empty, .own, .large, .largeUnindexed: nil
    }
  }

  private func ownFile(for operation: Operation) throws -> URL? {
    switch operation.store {
    case .empty: try stores.copyOfEmpty()
    case .own: try stores.copyOfFilled()
    case .shared, .indexed, .large, .largeUnindexed: nil
    }
  }

  /// The time of one repetition in milliseconds.
  private func time(
    _ contestant: Contestant,
    _ operation: Operation,
    _ file: URL
  ) throws -> Double {
    let rows = try operation.isLarge ? stores.large().rows : workload.commits.count
    let trial = Trial(file: file, workload: nextWorkload(for: operation), rows: rows)
    let sum: UInt64
    let milliseconds: Double
    do {
      let work = try contestant.prepare(trial)
      let start = clock.now
      sum = try work()
      milliseconds = clock.now - start
    }
    try check(contestant, operation, trial, sum)
    return milliseconds / Double(operation.turnCount)
  }

  /// The workload, changed where each repetition writes what no other has written before.
  private func nextWorkload(for operation: Operation) -> Workload {
    let count = workload.commits.count
    revision += 1
    return switch operation {
    case .update: workload.revised(revision, first: Operation.sampleCount(of: count))
    case .upsertChanged: workload.revised(revision, first: count)
    default: workload
    }
  }

  private func check(
    _ contestant: Contestant,
    _ operation: Operation,
    _ trial: Trial,
    _ sum: UInt64
  ) throws {
    let isRight =
      switch contestant.check {
      case .count: sum == UInt64(trial.rows)
      case .sum: try sum == expectedSum(of: operation, trial)
      case .stored: try Self.digest(of: trial.file) == expectedDigest(of: operation, trial)
      }
    guard isRight else {
      throw BenchmarkError(
        "\(operation.rawValue): the values of '\(contestant.role)' are not those of the workload."
      )
    }
  }

  private func expectedSum(of operation: Operation, _ trial: Trial) throws -> UInt64 {
    switch operation {
    case .lookUp:
      trial.workload.sum(
        ofShas: trial.workload.lookUps(Operation.sampleCount(of: trial.rows))
      )
    case .lookUpBatches:
      trial.workload.sum(
        ofShas: trial.lookUpBatches.flatMap(\.self)
      )
    case .toOne: trial.workload.authorNameSum
    case .toManyCount: trial.workload.countSum
    case .groupedCount, .results, .sectionedController: trial.workload.countSquareSum
    case .batched, .batchedIndexed: try stores.large().windowSum
    case .first, .firstIndexed: try stores.large().windowSum &- UInt64(trial.rows)
    case .countMatches: trial.workload.count(ofWord: operation.word ?? "")
    case .search, .scan, .accentScan, .words, .rareWords:
      trial.workload.sum(ofWord: operation.word ?? "")
    default: trial.workload.sum
    }
  }

  private func expectedDigest(of operation: Operation, _ trial: Trial) -> UInt64 {
    guard operation == .delete else { return trial.workload.digest }
    return trial.workload.dropping(first: Operation.sampleCount(of: trial.rows)).digest
  }

  private static func digest(of file: URL) throws -> UInt64 {
    let connection = try RawConnection(file, isWriter: false)
    var digest: UInt64 = 0
    try connection.check(rawc_digest(connection.handle, &digest))
    return digest
  }
}
