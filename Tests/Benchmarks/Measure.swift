// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import BenchmarksRawC
import Foundation

/// Runs the contestants of one operation in turn, on one file, and takes medians.
///
/// One warm-up, then five repetitions; in each the contestants alternate, and another one begins.
/// Every repetition opens a new connection or context, which is not measured; one that begins with
/// an empty store gets a file of its own.
final class Measure {
  private static let repetitions = 5

  private let workload: Workload
  private let stores: StoreFiles
  private var revision = 0

  init(workload: Workload, stores: StoreFiles) {
    self.workload = workload
    self.stores = stores
  }

  /// The medians in milliseconds, in the order of `contestants`.
  func medians(of operation: Operation, _ contestants: [Contestant]) throws -> [Double] {
    let shared = try stores.copyOfFilled()
    defer { stores.remove(shared) }
    var times = contestants.map { _ in [Double]() }
    for repetition in 0...Self.repetitions {
      for turn in contestants.indices {
        let index = (turn + repetition) % contestants.count
        let own = operation.startsEmpty ? try stores.copyOfEmpty() : nil
        defer { own.map(stores.remove) }
        let time = try self.time(contestants[index], operation, own ?? shared)
        if repetition > 0 { times[index].append(time) }
      }
    }
    return times.map(Self.median)
  }

  /// The time of one repetition in milliseconds.
  private func time(
    _ contestant: Contestant,
    _ operation: Operation,
    _ file: URL
  ) throws -> Double {
    let trial = Trial(file: file, workload: nextWorkload(for: operation))
    let sum: UInt64
    let elapsed: Duration
    do {
      let work = try contestant.prepare(trial)
      let clock = ContinuousClock()
      let start = clock.now
      sum = try work()
      elapsed = clock.now - start
    }
    try check(contestant, operation, trial, sum)
    return Double(elapsed.components.seconds) * 1e3
      + Double(elapsed.components.attoseconds) / 1e15
  }

  private func nextWorkload(for operation: Operation) -> Workload {
    guard operation.needsRevision else { return workload }
    revision += 1
    return workload.revised(revision)
  }

  private func check(
    _ contestant: Contestant,
    _ operation: Operation,
    _ trial: Trial,
    _ sum: UInt64
  ) throws {
    let isRight =
      switch contestant.check {
      case .count: sum == UInt64(trial.workload.commits.count)
      case .sum: sum == expectedSum(of: operation, trial)
      case .stored: try Self.digest(of: trial.file) == trial.workload.digest
      }
    guard isRight else {
      throw BenchmarkError(
        "\(operation.rawValue): the values of '\(contestant.role)' are not those of the workload."
      )
    }
  }

  private func expectedSum(of operation: Operation, _ trial: Trial) -> UInt64 {
    guard operation == .lookUp else { return trial.workload.sum }
    return trial.workload.sum(ofShas: trial.workload.lookUps(Operation.lookUpCount))
  }

  private static func digest(of file: URL) throws -> UInt64 {
    let connection = try RawConnection(file, isWriter: false)
    var digest: UInt64 = 0
    try connection.check(rawc_digest(connection.handle, &digest))
    return digest
  }

  private static func median(_ times: [Double]) -> Double {
    times.sorted()[times.count / 2]
  }
}
