// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation

extension PostgresConnection {
  /// Connects to a server.
  ///
  /// The name of a host is looked up by the system, which has time-outs of its own; everything else
  /// ends after the location's `connectTimeout`.
  ///
  /// - Throws: What libpq or the server says, with the server's code if it got that far.
  package static func open(
    _ location: PostgresLocation
  ) throws(PostgresFailure) -> PostgresConnection {
    let wakeUp = try WakeUp()
    let deadline = ContinuousClock.now + location.limits.connectTimeout
    guard let handle = LibpqHandle(location.keywords) else {
      throw PostgresFailure(.connecting, "there is no memory", outcome: .notSent)
    }
    if handle.isBad { throw Self.refusal(handle) }
    var progress = LibpqHandle.Progress.writing
    while progress != .done {
      let event = SocketWait.wait(
        for: handle.socket,
        reading: progress == .reading,
        writing: progress == .writing,
        wakeUp: wakeUp,
        until: deadline
      )
      if event == .timedOut {
        let seconds = location.limits.connectTimeout
        throw PostgresFailure(
          .connecting,
          "the server has not answered within \(seconds)",
          outcome: .notSent
        )
      }
      progress = handle.poll()
      if progress == .failed { throw Self.refusal(handle) }
    }
    handle.becomeNonBlocking()
    try check(handle.serverVersion, location.limits.serverVersion)
    return PostgresConnection(handle, wakeUp, location)
  }

  /// Throws when a server is too old.
  private static func check(_ version: Int, _ least: Int) throws(PostgresFailure) {
    guard version < least else { return }
    throw PostgresFailure(
      .oldServer,
      "it is version \(version / 10_000), and \(least / 10_000) is the least",
      outcome: .notSent
    )
  }

  /// Why no connection came about: libpq says it in words only, among them the server's code.
  private static func refusal(_ handle: LibpqHandle) -> PostgresFailure {
    let words = handle.message
    // "… failed: FATAL:  28P01: password authentication failed for user …"
    if let match = words.matches(of: /[^\n]*:  ([0-9A-Z]{5}): ([^\n]*)/).last {
      return PostgresFailure(
        .connecting,
        String(match.2),
        state: SQLState(String(match.1)),
        outcome: .notSent
      )
    }
    let lines = words.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    return PostgresFailure(.connecting, lines.joined(separator: " "), outcome: .notSent)
  }
}
#endif
