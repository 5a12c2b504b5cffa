// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation

/// Says whether work that has failed is done again from its beginning, and waits a little first.
///
/// Serialisation failures and deadlocks are undone by the server, and are rare a second time; the first connection of
/// a pool may be one that the server has closed long ago, and its statements may be forgotten.
struct Attempts {
  private var lossCount = 0
  private var collisionCount = 0
  private var conflictCount = 0
  private var hasPreparedAnew = false
  private let beginning = ContinuousClock.now
  /// How long one asks a server that is away how a save has ended.
  private let questionTime: Duration

  init(askingFor questionTime: Duration = .zero) { self.questionTime = questionTime }

  /// A server that restarts takes some seconds.
  private static let greatestLossCount = 3
  private static let greatestCollisionCount = 20
  private static let greatestConflictCount = 3
  private static let questionPause = 0.2

  /// Whether to do it again after a failure that has left nothing done.
  mutating func mayRepeat(after failure: PostgresFailure) -> Bool {
    guard failure.outcome != .unknown else { return false }
    if failure.isRetryable {
      collisionCount += 1
      guard collisionCount <= Self.greatestCollisionCount else { return false }
      // Whoever was in the way should not be there again.
      let longest = min(0.001 * Double(1 << min(collisionCount, 8)), 0.1)
      Thread.sleep(forTimeInterval: .random(in: 0...longest))
      return true
    }
    if failure.isAboutStaleStatement, !hasPreparedAnew {
      hasPreparedAnew = true
      return true
    }
    // From now on they are read: it cannot fail so a second time.
    if failure.kind == .oldValuesWanted { return true }
    guard failure.kind == .connectionLost else { return false }
    lossCount += 1
    return lossCount <= Self.greatestLossCount
  }

  /// Whether to try once more after a conflict for which there is no reason any more.
  mutating func mayRepeatConflict() -> Bool {
    conflictCount += 1
    return conflictCount <= Self.greatestConflictCount
  }

  /// Whether to ask again how an attempt has ended, also when the server cannot be reached: it may be starting.
  mutating func mayAskAgain(after failure: PostgresFailure) -> Bool {
    if mayRepeat(after: failure) { return true }
    guard failure.kind == .connecting,
      ContinuousClock.now - beginning < questionTime
    else { return false }
    Thread.sleep(forTimeInterval: Self.questionPause)
    return true
  }
}
#endif
