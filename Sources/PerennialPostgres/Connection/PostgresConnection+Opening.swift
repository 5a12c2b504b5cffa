// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation

extension PostgresConnection {
  /// Connects to a server.
  ///
  /// The name of a host is looked up by the system, which has time-outs of its own; everything else
  /// ends after the location's `connectTimeout`. Of several hosts, one that does not answer is passed over
  /// when its part of the time is over: what is left, divided by the hosts that are.
  ///
  /// - Throws: What libpq or the server says, with the server's code if it got that far.
  package static func open(
    _ location: PostgresLocation
  ) throws(PostgresFailure) -> PostgresConnection {
    let wakeUp = try WakeUp()
    let deadline = ContinuousClock.now + location.limits.connectTimeout
    var rest = location
    while true {
      if let handle = try connect(&rest, wakeUp, until: deadline) {
        handle.becomeNonBlocking()
        try check(handle.serverVersion, location.limits.serverVersion)
        return PostgresConnection(handle, wakeUp, location)
      }
      guard !rest.hosts.isEmpty else {
        throw PostgresFailure(
          .connecting,
          "the server has not answered within \(location.limits.connectTimeout)",
          outcome: .notSent
        )
      }
    }
  }

  /// Connects to the first of several hosts that answers.
  ///
  /// - Parameters:
  ///   - location: The hosts; then those behind the last that was tried.
  ///   - wakeUp: Ends the waiting.
  ///   - deadline: When the time of the first host is over.
  /// - Returns: `nil` when that one's time is over.
  /// - Throws: Why none can be had.
  private static func connect(
    _ location: inout PostgresLocation,
    _ wakeUp: WakeUp,
    until deadline: ContinuousClock.Instant
  ) throws(PostgresFailure) -> LibpqHandle? {
    guard let handle = LibpqHandle(location.keywords) else {
      throw PostgresFailure(.connecting, "there is no memory", outcome: .notSent)
    }
    if handle.isBad { throw Self.refusal(handle) }
    var place = (handle.host, handle.port)
    var end = location.nextEnd(deadline)
    var progress = LibpqHandle.Progress.writing
    while progress != .done {
      let event = SocketWait.wait(
        for: handle.socket,
        reading: progress == .reading,
        writing: progress == .writing,
        wakeUp: wakeUp,
        until: end
      )
      if event == .timedOut { return nil }
      progress = handle.poll()
      if progress == .failed { throw Self.refusal(handle) }
      // libpq itself passes over hosts that refuse.
      let next = (handle.host, handle.port)
      guard next != place else { continue }
      place = next
      end = location.nextEnd(deadline)
    }
    return handle
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

extension PostgresLocation {
  /// Takes the first host away.
  ///
  /// - Returns: When its part of the time until a deadline is over.
  fileprivate mutating func nextEnd(
    _ deadline: ContinuousClock.Instant
  ) -> ContinuousClock.Instant {
    let now = ContinuousClock.now
    defer { hosts = Array(hosts.dropFirst()) }
    return now + (deadline - now) / max(1, hosts.count)
  }
}
#endif
