// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import Synchronization

/// Whose turn it is in this process to open the file of a SQLite store, or to put another file in its place.
///
/// Any number may open one path at once, or one has it alone, and nobody goes on without a turn. SQLite's locks keep
/// processes apart, but not two threads of one while another file takes a store's name: who has just opened the former
/// file would take the memory beside the new one's log for its own, and crash.
///
/// Stores of other kinds need no turns, and have none.
struct StoreTurn {
  private struct Place {
    var openerCount = 0
    /// How many have the path alone, or wait for that: openers that come then wait, or it might never be free.
    var claimCount = 0
    var isTaken = false
  }

  /// The paths that somebody has a turn for.
  private static let places = Mutex<[String: Place]>([:])
  /// Seconds between two attempts: at first, and at most.
  private static let pauses = (first: 0.005, longest: 0.1)

  /// The store's file, which a symbolic link leads to; `nil` for a store that needs no turns.
  private let path: String?
  /// When waiting ends, for whatever: a turn, or a lock.
  private let end: ContinuousClock.Instant
  private let progress: Progress?

  /// Turns for a store; they are waited for as long as its description says, from now on.
  init(_ description: StoreDescription) {
    let url = description.kind == .sqlite ? description.url : nil
    path = url?.absoluteURL.resolvingSymlinksInPath().path(percentEncoded: false)
    end = .now + description.busyTimeout
    progress = description.migration.progress
  }

  /// Opens the store while nobody puts another file in its place.
  ///
  /// - Throws: What the closure throws; `persistentStoreTimeout` or `migrationCancelled` for a wait that has ended.
  func open<Result>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    try take(
      { place in
        guard place.claimCount == 0 else { return false }
        place.openerCount += 1
        return true
      },
      giveBack: { $0.openerCount -= 1 },
      body
    )
  }

  /// Does what puts another file in the store's place while nobody opens it.
  ///
  /// - Throws: As ``open(_:)``.
  func replace<Result>(
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    claim(1)
    defer { claim(-1) }
    return try take(
      { place in
        guard place.openerCount == 0, !place.isTaken else { return false }
        place.isTaken = true
        return true
      },
      giveBack: { $0.isTaken = false },
      body
    )
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
  /// - Parameter attempt: What to try; its failure is why it has to be tried again.
  /// - Returns: What it gives.
  /// - Throws: What an attempt throws, the last failure, or `migrationCancelled` (134,120).
  func retrying<Success>(
    _ attempt: () throws(PerennialError) -> Result<Success, PerennialError>
  ) throws(PerennialError) -> Success {
    var pause = Self.pauses.first
    while true {
      switch try attempt() {
      case .success(let success): return success
      case .failure(let failure):
        if progress?.isCancelled == true { throw .migrationCancelled }
        guard ContinuousClock.now < end else { throw failure }
      }
      Thread.sleep(forTimeInterval: pause)
      pause = min(pause * 1.25, Self.pauses.longest)
    }
  }

  private func take<Result>(
    _ take: (inout Place) -> Bool,
    giveBack: (inout Place) -> Void,
    _ body: () throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    guard let path else { return try body() }
    try retrying { () throws(PerennialError) in
      Self.change(path, take) ? .success(()) : .failure(.isTaken(path))
    }
    defer { Self.change(path, giveBack) }
    return try body()
  }

  private func claim(_ change: Int) {
    if let path { Self.change(path) { $0.claimCount += change } }
  }

  private static func change<Answer>(
    _ path: String,
    _ body: (inout Place) -> Answer
  ) -> Answer {
    places.withLock { places in
      var place = places[path] ?? Place()
      let answer = body(&place)
      places[path] = place.openerCount == 0 && place.claimCount == 0 ? nil : place
      return answer
    }
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
