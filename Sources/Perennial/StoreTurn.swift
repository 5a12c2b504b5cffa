// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Synchronization

/// Whose turn it is in this process to open the file of a SQLite store, or to put another file in its place.
///
/// One path is one's at a time, in the order of coming, and nobody goes on without a turn. SQLite's locks keep
/// processes apart, but not two threads of one while another file takes a store's name: who has just opened the former
/// file would take the memory beside the new one's log for its own, and crash. Nor may who only looks at a store be the first to
/// open that memory while another thread opens it to write: both would have it to read only.
///
/// Stores of other kinds need no turns, and have none.
struct StoreTurn {
  private struct Turn {
    let id = UUID()
    let isForOpening: Bool
  }

  /// Who has a turn at a path, and who waits for one, in this order.
  private static let queues = Mutex<[String: [Turn]]>([:])
  /// Seconds between two attempts: at first, and at most.
  private static let pauses = (first: 0.005, longest: 0.05)
  /// How long others that only open the store are waited for at least: they do not lock it.
  private static let openingPatience = Duration.seconds(5)

  /// The store's file, which a symbolic link leads to; `nil` for a store that needs no turns.
  private let path: String?
  private let start = ContinuousClock.now
  /// When waiting ends, for whatever: a turn, or a lock.
  private let end: ContinuousClock.Instant
  private let progress: Progress?

  /// Turns for a store; they are waited for as long as its description says, from now on.
  init(_ description: StoreDescription) {
    let url = description.kind == .sqlite ? description.url : nil
    path = url?.absoluteURL.resolvingSymlinksInPath().path(percentEncoded: false)
    end = start + description.busyTimeout
    progress = description.migration.progress
  }

  /// Opens the store, or looks at it, while nobody puts another file in its place.
  ///
  /// - Throws: What the closure throws; `persistentStoreTimeout` or `migrationCancelled` for a wait that has ended.
  func open<Result>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    try take(Turn(isForOpening: true), body)
  }

  /// Does what puts another file in the store's place while nobody opens it.
  ///
  /// - Throws: As ``open(_:)``.
  func replace<Result>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    try take(Turn(isForOpening: false), body)
  }

  /// As ``replace(_:)``, while nobody puts another file in the place of the one that is copied either.
  func replace<Result>(
    copying source: StoreTurn,
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    try replace { () throws(PerennialError) in
      // A copy of a store over itself is refused by whoever makes it.
      source.path == path ? try body() : try source.open(body)
    }
  }

  /// Tries until it succeeds, the time is over or the migration is cancelled.
  ///
  /// - Parameters:
  ///   - longestPause: The seconds to which the pauses between attempts grow.
  ///   - attempt: What to try; its failure is why it has to be tried again, and it may say until when.
  /// - Returns: What it gives.
  /// - Throws: What an attempt throws, the last failure, or `migrationCancelled` (134120).
  func retrying<Success>(
    pausingUpTo longestPause: Double = Self.pauses.longest,
    _ attempt: (
      _ end: inout ContinuousClock.Instant
    ) throws(PerennialError) -> Result<Success, PerennialError>
  ) throws(PerennialError) -> Success {
    var pause = Self.pauses.first
    while true {
      var end = end
      switch try attempt(&end) {
      case .success(let success): return success
      case .failure(let failure):
        if progress?.isCancelled == true { throw .migrationCancelled }
        guard ContinuousClock.now < end else { throw failure }
      }
      Thread.sleep(forTimeInterval: pause)
      pause = min(pause * 1.25, longestPause)
    }
  }

  private func take<Result>(
    _ turn: Turn,
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    guard let path else { return try body() }
    Self.queues.withLock { $0[path, default: []].append(turn) }
    defer {
      Self.queues.withLock { queues in
        queues[path]?.removeAll { $0.id == turn.id }
        if queues[path]?.isEmpty == true { queues[path] = nil }
      }
    }
    // Only the next one may go on: who sleeps long lets all others wait.
    try retrying(pausingUpTo: Self.pauses.first) { end throws(PerennialError) in
      let before = Self.queues.withLock { $0[path, default: []].prefix { $0.id != turn.id } }
      if before.isEmpty { return .success(()) }
      if before.allSatisfy(\.isForOpening) { end = max(end, start + Self.openingPatience) }
      return .failure(.isTaken(path))
    }
    return try body()
  }
}

extension PerennialError {
  /// A store that somebody in this process is about to open, to migrate or to replace.
  fileprivate static func isTaken(_ path: String) -> PerennialError {
    let name = URL(filePath: path).lastPathComponent
    return PerennialError(
      .persistentStoreTimeout,
      "This process is opening, migrating or replacing the store '\(name)' already.",
      recovery:
        "try again, or raise 'busyTimeout'; the code of a migration cannot open the store itself"
    )
  }
}
