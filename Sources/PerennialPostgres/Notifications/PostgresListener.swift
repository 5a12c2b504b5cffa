// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import Synchronization

/// A connection of its own that waits for notifications, and connects again when it is lost.
///
/// What is notified between a loss and the next ``Event/listening`` is missed, and of a consumer that
/// is slow only the latest events are kept: an event says "look at the change log", and no more.
package final class PostgresListener: Sendable {
  /// What happens to a listener.
  package enum Event: Sendable, Hashable {
    /// From here on nothing is missed; what came before may have been.
    case listening
    /// Somebody has called `NOTIFY`.
    case notification(channel: String, payload: String)
    /// The connection is lost or could not be made; another is on its way.
    case lost(PostgresFailure)
  }

  /// What happens, in order, for one reader; ends with ``stop()``, and the listener with its reader's task.
  package let events: AsyncStream<Event>
  private let location: PostgresLocation
  private let channels: [String]
  private let continuation: AsyncStream<Event>.Continuation
  private let stopper: WakeUp
  private let isStopped = Mutex(false)
  private let processNumber = Mutex<Int?>(nil)

  /// Begins to listen, on a thread of its own.
  ///
  /// - Parameters:
  ///   - location: Where the server is.
  ///   - channels: The names that `NOTIFY` uses, as they are: capitals count.
  /// - Throws: That the system is out of file descriptors. What is wrong with the server is an event.
  package init(_ location: PostgresLocation, channels: [String]) throws(PostgresFailure) {
    self.location = location
    self.channels = channels
    stopper = try WakeUp()
    (events, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(256))
    continuation.onTermination = { [weak self] _ in self?.stop() }
    Thread.detachNewThread { [self] in
      run()
      continuation.finish()
    }
  }

  /// Ends the listening; the thread ends as soon as it can.
  package func stop() {
    isStopped.withLock { $0 = true }
    stopper.signal()
  }

  /// The number of the server's process for the connection there is.
  package var processID: Int? { processNumber.withLock { $0 } }

  private var mustStop: Bool { isStopped.withLock { $0 } }

  private func run() {
    var pause = Self.firstPause
    while !mustStop {
      do throws(PostgresFailure) {
        try listen { pause = Self.firstPause }
      } catch {
        processNumber.withLock { $0 = nil }
        continuation.yield(.lost(error))
      }
      if mustStop { return }
      _ = SocketWait.wait(for: -1, writing: false, wakeUp: stopper, until: .now + pause)
      pause = min(pause * 2, Self.longestPause)
    }
  }

  /// Connects, and hands on what comes until the connection is lost.
  private func listen(_ onSuccess: () -> Void) throws(PostgresFailure) {
    let connection = try PostgresConnection.open(location)
    let names = channels.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
    let limits = PostgresRunOptions(timeout: location.limits.connectTimeout, isReading: true)
    try connection.execute(names.map { "LISTEN \($0)" }.joined(separator: "; "), limits)
    processNumber.withLock { $0 = connection.processID }
    onSuccess()
    continuation.yield(.listening)
    while !mustStop {
      while let (channel, payload) = connection.handle.nextNotification() {
        continuation.yield(.notification(channel: channel, payload: payload))
      }
      let event = SocketWait.wait(
        for: connection.handle.socket,
        writing: false,
        wakeUp: stopper,
        until: .now + Self.silence
      )
      switch event {
      case .ready:
        if !connection.handle.consume() { throw connection.lost() }
        // Takes apart what was read.
        _ = connection.handle.isBusy
      case .woken: break
      // A network that was cut says nothing.
      case .timedOut: _ = try connection.run("SELECT 1", [], limits)
      }
    }
  }

  private static let firstPause: Duration = .milliseconds(20)
  private static let longestPause: Duration = .seconds(30)
  /// How long nothing comes until the server is asked whether it is still there.
  private static let silence: Duration = .seconds(60)
}
#endif
