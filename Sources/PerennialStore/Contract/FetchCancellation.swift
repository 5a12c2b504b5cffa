// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import Synchronization

/// Ends one fetch from another thread.
///
/// Invariants: `interrupt` is set exactly while a statement of this fetch may run, on a connection that
/// nobody else uses; it is called under the lock only, so that it never reaches the connection's next user.
package final class FetchCancellation: Sendable {
  private struct State {
    var isCancelled = false
    var interrupt: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether the fetch must end.
  package var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// Whether a statement of the fetch may be running.
  package var isRunning: Bool { state.withLock { $0.interrupt != nil } }

  /// Ends the fetch, now or when it begins.
  package func cancel() {
    state.withLock { state in
      state.isCancelled = true
      state.interrupt?()
    }
  }

  /// Throws when the fetch must end.
  package func check() throws(PerennialError) {
    if isCancelled { throw .fetchCancelled }
  }

  /// Notes how what runs now is interrupted.
  ///
  /// - Parameter interrupt: Ends it; called from any thread.
  /// - Returns: Whether it may run: the fetch is not cancelled.
  package func begin(_ interrupt: @escaping @Sendable () -> Void) -> Bool {
    state.withLock { state in
      if !state.isCancelled { state.interrupt = interrupt }
      return !state.isCancelled
    }
  }

  /// Notes that nothing runs any more.
  package func end() { state.withLock { $0.interrupt = nil } }
}

extension PerennialError {
  /// A fetch that was cancelled.
  package static let fetchCancelled = PerennialError(
    .fetchCancelled,
    "The fetch was cancelled.",
    recovery: "fetch again if the result is still wanted: the context is as it was"
  )
}
