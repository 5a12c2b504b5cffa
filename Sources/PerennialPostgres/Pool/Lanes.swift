// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Dispatch
import Synchronization

/// A number of threads for work that waits for a server: what is too much waits without one.
///
/// Invariant: nothing waits while there is an idle lane; what waits is done in order.
final class Lanes: Sendable {
  typealias Work = @Sendable () -> Void

  private struct State: Sendable {
    var idle: [DispatchQueue] = []
    /// How many lanes were made so far.
    var count = 0
    var waiting: [Work] = []
  }

  private let state = Mutex(State())
  private let greatestCount: Int

  /// - Parameter greatestCount: How many threads there are at most.
  init(_ greatestCount: Int) { self.greatestCount = max(1, greatestCount) }

  /// How much waits for a thread.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Does something on one of the threads, as soon as one is free.
  func run(_ work: @escaping Work) {
    let lane = state.withLock { state -> DispatchQueue? in
      if let lane = state.idle.popLast() { return lane }
      guard state.count < greatestCount else {
        state.waiting.append(work)
        return nil
      }
      state.count += 1
      // A serial queue of its own: a concurrent one makes threads that block a second late.
      return DispatchQueue(label: "perennial.postgres.\(state.count)")
    }
    if let lane { start(work, on: lane) }
  }

  private func start(_ work: @escaping Work, on lane: DispatchQueue) {
    lane.async {
      work()
      let next = self.state.withLock { state -> Work? in
        if !state.waiting.isEmpty { return state.waiting.removeFirst() }
        state.idle.append(lane)
        return nil
      }
      if let next { self.start(next, on: lane) }
    }
  }
}
#endif
