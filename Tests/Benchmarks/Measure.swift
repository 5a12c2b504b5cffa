// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import BenchmarksRawC
import Foundation

/// Runs the contestants of one operation in turn, on one file, and takes medians.
///
/// One warm-up, then five repetitions; in each the contestants alternate, and another one begins.
/// Every repetition opens a new connection or context, which is not measured.
final class Measure {
  private static let repetitions = 5

  private let workload: Workload
  private let folder: URL
  private let emptyStore: URL
  private let filledStore: URL
  private var revision = 0

  /// Makes the empty and the filled store in `folder`; `createStore` makes an empty one.
  init(workload: Workload, folder: URL, createStore: (URL) throws -> Void) throws {
    self.workload = workload
    self.folder = folder
    emptyStore = folder.appending(path: "empty.sqlite")
    filledStore = folder.appending(path: "filled.sqlite")
    try createStore(emptyStore)
    try Self.checkpoint(emptyStore)
    try Self.copy(emptyStore, to: filledStore)
    let connection = try RawConnection(filledStore, isWriter: true)
    try RawInsert(connection: connection, rowsPerStatement: RawInsert.rowsOfTheStore)
      .run(workload)
  }

  /// The medians in milliseconds, in the order of `contestants`.
  func medians(of operation: Operation, _ contestants: [Contestant]) throws -> [Double] {
    let file = folder.appending(path: "\(operation.rawValue).sqlite")
    try Self.copy(filledStore, to: file)
    defer { Self.remove(file) }
    var times = contestants.map { _ in [Double]() }
    for repetition in 0...Self.repetitions {
      for turn in contestants.indices {
        let index = (turn + repetition) % contestants.count
        let time = try self.time(contestants[index], operation, file)
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
    if operation.startsEmpty { try Self.copy(emptyStore, to: file) }
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

  private static func checkpoint(_ file: URL) throws {
    try RawConnection(file, isWriter: true).execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  private static func copy(_ source: URL, to target: URL) throws {
    remove(target)
    try FileManager.default.copyItem(at: source, to: target)
  }

  /// Removes a store and the files that SQLite keeps beside it; missing ones do not matter.
  private static func remove(_ file: URL) {
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }
}
