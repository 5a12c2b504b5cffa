// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Synchronization

/// A thread of our own that runs jobs one after the other.
///
/// SQLite and fsync block. On the concurrency pool they would take a thread from everybody else,
/// and wait behind everybody else's work. The thread begins with the first job: many have none.
final class BackgroundWorker: Sendable {
  private let queue = JobQueue()
  private let name: String
  private let hasStarted = Atomic(false)

  init(name: String) { self.name = name }

  deinit { queue.close() }

  private func start() {
    guard !hasStarted.exchange(true, ordering: .relaxed) else { return }
    let queue = queue
    let thread = Thread { while let job = queue.next() { job() } }
    thread.name = name
    thread.stackSize = 8 << 20
    thread.start()
  }

  /// Runs a closure on the thread, and releases it there before the caller goes on.
  ///
  /// So what only the closure held is gone by then: a store that the caller drops next is closed when
  /// it has dropped it, not when this thread gets round to it.
  ///
  /// - Throws: What the closure throws, or `CancellationError` when its turn comes and the task has been
  ///   cancelled meanwhile; it does not run then.
  func run<Result>(
    _ body: sending @escaping () throws -> sending Result
  ) async throws -> sending Result {
    start()
    let body = Transfer(body)
    let returned = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Returned<Result>, any Error>) in
        queue.append {
          do {
            continuation.resume(returning: Returned(value: try body.take()()))
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    } onCancel: {
      body.isCancelled.store(true, ordering: .relaxed)
    }
    return returned.value
  }
}

/// What a closure returned, on its way to the task that waits for it.
///
/// Safe because the result was `sending`: the thread that made it has no way to it any more, and only that
/// task takes it out.
private struct Returned<Result>: Sendable {
  nonisolated(unsafe) let value: Result
}

/// Hands a closure over to another thread, which runs it once.
///
/// Safe because the closure was `sending`: whoever made it has no way to it any more, and only the one
/// job that holds this takes it out.
private final class Transfer<Result>: @unchecked Sendable {
  private var body: (() throws -> sending Result)?
  /// Whether nobody wants it to run any more.
  let isCancelled = Atomic(false)

  init(_ body: sending @escaping () throws -> sending Result) { self.body = body }

  func take() throws(CancellationError) -> () throws -> sending Result {
    guard let taken = body.take() else { preconditionFailure("A job runs once.") }
    if isCancelled.load(ordering: .relaxed) { throw CancellationError() }
    return taken
  }
}

/// Jobs in the order of their arrival.
private final class JobQueue: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let arrivals = DispatchSemaphore(value: 0)

  func append(_ job: @escaping @Sendable () -> Void) {
    state.withLock { $0.jobs.append(job) }
    arrivals.signal()
  }

  /// Ends the thread when the jobs so far are done.
  func close() {
    state.withLock { $0.isClosed = true }
    arrivals.signal()
  }

  /// The next job, after waiting for one; `nil` when there will be none.
  func next() -> (@Sendable () -> Void)? {
    while true {
      arrivals.wait()
      let (job, isClosed) = state.withLock { state in
        (state.jobs.isEmpty ? nil : state.jobs.removeFirst(), state.isClosed)
      }
      if let job { return job }
      if isClosed { return nil }
    }
  }
}
