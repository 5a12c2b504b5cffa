// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import CPostgres
import Dispatch
import Foundation

/// A request to end what a server does for a connection, on its way.
///
/// libpq waits until the server has heard it, for ever if the network is cut: so another thread does.
///
/// Safe because libpq lets any thread use what `PQgetCancel` gives, which is a copy of what it needs of
/// the connection, and one thread alone uses and frees it.
final class CancelRequest: Sendable {
  private struct Request: @unchecked Sendable {
    let pointer: OpaquePointer
  }

  private let isOver = DispatchSemaphore(value: 0)

  init(_ pointer: OpaquePointer) {
    let request = Request(pointer: pointer)
    Thread.detachNewThread { [isOver] in
      withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) {
        // Whether it has arrived, the answer to what runs will say.
        _ = PQcancel(request.pointer, $0.baseAddress, 256)
      }
      PQfreeCancel(request.pointer)
      isOver.signal()
    }
  }

  /// Waits until the server has heard it, lest it end what the connection does next.
  ///
  /// - Returns: Whether it has, before the time is over.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    let rest = max(.zero, deadline - ContinuousClock.now)
    return isOver.wait(timeout: .now() + rest.dispatchInterval) == .success
  }
}
#endif
