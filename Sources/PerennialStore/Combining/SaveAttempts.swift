// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Synchronization

/// How far saves of several stores have come that one of the stores failed.
final class SaveAttempts: Sendable {
  /// What a store has done of its share of a change set.
  enum State: Sendable {
    /// It has been given its share, and has failed.
    case begun
    case saved
  }

  private struct Attempt: Sendable {
    let identifier: UInt64
    var states: [Int: State] = [:]
  }

  /// The last ones: a context that gives up its changes does not say so.
  private let attempts = Mutex<[Attempt]>([])
  private static let limit = 64

  func contains(_ identifier: UInt64) -> Bool {
    attempts.withLock { $0.contains { $0.identifier == identifier } }
  }

  /// - Returns: `nil` for a store that has not been given its share yet.
  func state(of identifier: UInt64, in store: Int) -> State? {
    attempts.withLock { $0.first { $0.identifier == identifier }?.states[store] }
  }

  func noteBeginning(of identifier: UInt64, in store: Int) {
    attempts.withLock { attempts in
      let place = attempts.firstIndex { $0.identifier == identifier }
      var attempt = place.map { attempts.remove(at: $0) } ?? Attempt(identifier: identifier)
      if attempt.states[store] == nil { attempt.states[store] = .begun }
      attempts.append(attempt)
      if attempts.count > Self.limit { attempts.removeFirst() }
    }
  }

  func noteEnd(of identifier: UInt64, in store: Int) {
    attempts.withLock { attempts in
      guard let place = attempts.firstIndex(where: { $0.identifier == identifier }) else { return }
      attempts[place].states[store] = .saved
    }
  }

  /// Every store has saved.
  func forget(_ identifier: UInt64) {
    attempts.withLock { $0.removeAll { $0.identifier == identifier } }
  }
}
