// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation

/// Holds answers back until a test lets them go: a slow server without a clock.
public final class LoopbackGate: Sendable {
  private let lock = DispatchSemaphore(value: 0)
  private let hasArrival = DispatchSemaphore(value: 0)
  private let arrivals: AsyncStream<Void>
  private let arrival: AsyncStream<Void>.Continuation

  /// A closed gate.
  public init() {
    (arrivals, arrival) = AsyncStream.makeStream()
  }

  /// Returns when as many requests as named wait at the gate, or have waited there.
  ///
  /// Only one task may wait, and each request counts for one call.
  public func isReached(by count: Int = 1) async {
    var missing = count
    for await _ in arrivals {
      missing -= 1
      if missing == 0 { return }
    }
  }

  /// Does something on a thread of its own when so many requests wait at the gate, however busy the
  /// concurrency pool is; for requests that a program gives up after a time.
  public func whenReached(by count: Int = 1, _ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [hasArrival] in
      for _ in 0..<count { hasArrival.wait() }
      body()
    }
  }

  /// Lets every waiting request go on, and all later ones.
  public func open() { lock.signal() }

  func pass() {
    arrival.yield()
    hasArrival.signal()
    lock.wait()
    lock.signal()
  }
}
