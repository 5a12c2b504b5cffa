// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Dispatch
import Synchronization

/// Somebody who waits for a connection: a thread that blocks, or a task that does not.
///
/// Invariant: a waiter is told once.
final class PoolWaiter: Sendable {
  /// What somebody who waited gets.
  typealias Answer = Result<PoolGrant, PostgresFailure>

  private let tell: @Sendable (Answer) -> Void

  init(_ tell: @escaping @Sendable (Answer) -> Void) { self.tell = tell }

  /// Ends the waiting.
  func resume(with answer: Answer) { tell(answer) }
}

/// The right to use a connection.
enum PoolGrant: Sendable {
  /// This one.
  case connection(ConfinedConnection)
  /// A new one, which the receiver opens.
  case permit
}

/// Safe because only ever one owner has the connection: the pool moves it from one to the next.
struct ConfinedConnection: @unchecked Sendable {
  let connection: PostgresConnection
}

/// A connection that nobody uses.
struct IdleConnection: Sendable {
  let confined: ConfinedConnection
  /// When it was given back.
  let since: ContinuousClock.Instant
}

/// A thread's place to wait for one answer.
final class PoolSeat: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private let answer = Mutex<PoolWaiter.Answer?>(nil)

  /// The waiter that fills the seat.
  func waiter() -> PoolWaiter {
    PoolWaiter { answer in
      self.answer.withLock { $0 = answer }
      self.semaphore.signal()
    }
  }

  /// Waits for the answer.
  ///
  /// - Returns: `nil` when the time is over.
  func wait(_ limit: Duration) -> PoolWaiter.Answer? {
    _ = semaphore.wait(timeout: .now() + limit.dispatchInterval)
    return answer.withLock { $0 }
  }

  /// Waits for an answer that is certain to come.
  func wait() -> PoolWaiter.Answer {
    semaphore.wait()
    return answer.withLock { $0 } ?? .failure(PostgresFailure(.poolClosed, "the pool is closed"))
  }
}

extension Duration {
  /// The time as Dispatch counts it, in whole microseconds.
  var dispatchInterval: DispatchTimeInterval {
    let (seconds, attoseconds) = components
    return .microseconds(Int(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
  }
}
#endif
