// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A pipe with which any thread wakes the one that waits for a server.
///
/// The ends are open from `init` to `deinit`, and the calls are those that POSIX lets any thread make at
/// the same time.
final class WakeUp: Sendable {
  let readEnd: Int32
  private let writeEnd: Int32

  init() throws(PostgresFailure) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw PostgresFailure(
        .connecting,
        "no pipe: \(String(cString: strerror(errno)))",
        outcome: .notSent
      )
    }
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Wakes whoever waits, or the next one who does.
  func signal() {
    var byte: UInt8 = 1
    _ = write(writeEnd, &byte, 1)
  }

  /// Forgets the signals that nobody has waited for.
  func clear() {
    var bytes: [UInt8] = Array(repeating: 0, count: 64)
    while read(readEnd, &bytes, bytes.count) > 0 {}
  }
}

/// Waiting for a socket.
enum SocketWait {
  enum Event {
    /// The socket can be read or written, or is closed.
    case ready
    /// Somebody has called ``WakeUp/signal()``.
    case woken
    /// The time is over.
    case timedOut
  }

  /// Waits until a socket can be read (and written, if that is wanted), or something else happens.
  static func wait(
    for socket: Int32,
    reading: Bool = true,
    writing: Bool,
    wakeUp: WakeUp,
    until deadline: ContinuousClock.Instant?
  ) -> Event {
    let events = (reading ? Int16(POLLIN) : 0) | (writing ? Int16(POLLOUT) : 0)
    var places = [
      pollfd(fd: socket, events: events, revents: 0),
      pollfd(fd: wakeUp.readEnd, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let result = poll(&places, 2, milliseconds(until: deadline))
      // A signal of the process: wait for what is left of the time.
      if result < 0, errno == EINTR { continue }
      if result == 0 {
        // The longest wait is 24 days.
        if let deadline, ContinuousClock.now >= deadline { return .timedOut }
        continue
      }
      if places[1].revents != 0 {
        wakeUp.clear()
        return .woken
      }
      return .ready
    }
  }

  /// Whether something of an idle socket can be read: a message that nobody asked for, or its end.
  static func hasNews(_ socket: Int32) -> Bool {
    var place = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    return poll(&place, 1, 0) != 0
  }

  private static func milliseconds(until deadline: ContinuousClock.Instant?) -> Int32 {
    guard let deadline else { return -1 }
    let (seconds, attoseconds) = (deadline - .now).components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let rounded = seconds.multipliedReportingOverflow(by: 1000)
    if rounded.overflow { return Int32.max }
    return Int32(clamping: rounded.partialValue + attoseconds / 1_000_000_000_000_000 + 1)
  }
}
#endif
