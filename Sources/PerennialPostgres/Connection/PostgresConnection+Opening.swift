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
    var handle = try start(location.keywords)
    var servers = ServerList(handle)
    while let silent = try silentServer(of: handle, servers, wakeUp, until: deadline) {
      servers.drop(silent)
      guard !servers.isEmpty, ContinuousClock.now < deadline else {
        throw PostgresFailure(
          .connecting,
          "the server has not answered within \(location.limits.connectTimeout)",
          outcome: .notSent
        )
      }
      let others = location.keywords.filter { !["host", "hostaddr", "port"].contains($0.name) }
      handle = try start(others + servers.keywords)
    }
    handle.becomeNonBlocking()
    try check(handle.serverVersion, location.limits.serverVersion)
    return PostgresConnection(handle, wakeUp, location)
  }

  /// Begins to connect to the first of several hosts that answers.
  private static func start(
    _ keywords: [(name: String, value: String)]
  ) throws(PostgresFailure) -> LibpqHandle {
    guard let handle = LibpqHandle(keywords) else {
      throw PostgresFailure(.connecting, "there is no memory", outcome: .notSent)
    }
    if handle.isBad { throw Self.refusal(handle) }
    return handle
  }

  /// Waits until there is a connection.
  ///
  /// - Parameters:
  ///   - handle: What connects.
  ///   - servers: Where it may lead.
  ///   - wakeUp: Ends the waiting.
  ///   - deadline: When the time of all servers is over.
  /// - Returns: A server whose time was over before it had answered; `nil` when there is a connection.
  /// - Throws: Why none can be had.
  private static func silentServer(
    of handle: LibpqHandle,
    _ servers: ServerList,
    _ wakeUp: WakeUp,
    until deadline: ContinuousClock.Instant
  ) throws(PostgresFailure) -> ServerList.Place? {
    var rest = servers
    var place = handle.place
    var end = rest.begin(place, until: deadline)
    var progress = LibpqHandle.Progress.writing
    while progress != .done {
      let event = SocketWait.wait(
        for: handle.socket,
        reading: progress == .reading,
        writing: progress == .writing,
        wakeUp: wakeUp,
        until: end
      )
      if event == .timedOut { return place }
      progress = handle.poll()
      if progress == .failed { throw Self.refusal(handle) }
      // libpq itself passes over hosts that refuse.
      let next = handle.place
      guard next != place else { continue }
      place = next
      end = rest.begin(place, until: deadline)
    }
    return nil
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
