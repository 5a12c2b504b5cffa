// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Dispatch
package import PerennialStore
import Synchronization

extension PostgresPool {
  /// Calls a closure with a connection, on a thread of the pool; the task blocks none while it waits.
  ///
  /// Cancelling the task ends the waiting, and what runs when the closure passes the cancellation on.
  ///
  /// - Parameter body: Uses the connection; gets what ends a statement when the task is cancelled.
  /// - Returns: What the closure returns.
  /// - Throws: What ``use(_:_:)`` throws.
  package func run<Value: Sendable>(
    _ body:
      @escaping @Sendable (PostgresConnection, FetchCancellation) throws(PostgresFailure) -> Value
  ) async throws(PostgresFailure) -> Value {
    let cancellation = FetchCancellation()
    let arrival = Arrival(self, cancellation, body)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { arrival.begin($0) }
    } onCancel: {
      cancellation.cancel()
      arrival.cancel()
    }
    return try result.get()
  }

  /// A thread that no other task uses.
  fileprivate func takeLane() -> DispatchQueue {
    // A serial queue of its own: a concurrent one makes threads that block a second late.
    state.withLock { $0.lanes.popLast() } ?? DispatchQueue(label: "perennial.postgres")
  }

  fileprivate func giveBack(_ lane: DispatchQueue) { state.withLock { $0.lanes.append(lane) } }
}

/// A task that wants a connection.
private final class Arrival<Value: Sendable>: Sendable {
  typealias Body =
    @Sendable (PostgresConnection, FetchCancellation) throws(PostgresFailure) -> Value
  typealias Continuation = CheckedContinuation<Result<Value, PostgresFailure>, Never>

  private let pool: PostgresPool
  private let cancellation: FetchCancellation
  private let body: Body
  private let waiter = Mutex<PoolWaiter?>(nil)

  init(_ pool: PostgresPool, _ cancellation: FetchCancellation, _ body: @escaping Body) {
    self.pool = pool
    self.cancellation = cancellation
    self.body = body
  }

  /// Gets a connection, now or later, and uses it.
  func begin(_ continuation: Continuation) {
    let waiter = PoolWaiter { self.proceed($0, continuation) }
    self.waiter.withLock { $0 = waiter }
    if let answer = pool.reserve(orWaitAs: waiter) {
      proceed(answer, continuation)
      return
    }
    if cancellation.isCancelled { cancel() }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + pool.location.limits.poolTimeout.dispatchInterval
    ) {
      [weak pool, weak waiter] in
      if let pool, let waiter { pool.dismiss(waiter, pool.exhausted) }
    }
  }

  /// Ends the waiting.
  func cancel() {
    if let waiter = waiter.withLock({ $0 }) { pool.dismiss(waiter, PostgresPool.cancelled) }
  }

  private func proceed(_ answer: PoolWaiter.Answer, _ continuation: Continuation) {
    switch answer {
    case .failure(let failure): continuation.resume(returning: .failure(failure))
    case .success(let grant):
      let lane = pool.takeLane()
      lane.async {
        let result = self.use(grant)
        self.pool.giveBack(lane)
        continuation.resume(returning: result)
      }
    }
  }

  private func use(_ grant: PoolGrant) -> Result<Value, PostgresFailure> {
    Result { () throws(PostgresFailure) in
      let connection = try pool.connection(for: grant)
      defer { pool.giveBack(connection) }
      return try body(connection, cancellation)
    }
  }
}
#endif
