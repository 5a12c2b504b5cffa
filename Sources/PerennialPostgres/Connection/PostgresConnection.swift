// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import PerennialStore

/// One connection to a server, used by one caller at a time, whose thread waits for the answers.
///
/// Invariants:
/// 1. Between calls nothing is on its way: every answer has been read, or `isBroken` is set.
/// 2. A broken connection is never used again; whoever tries learns that nothing was sent.
/// 3. `statements` holds what the server has prepared and nothing else.
/// 4. `begin` is the beginning of a transaction that goes out with the next statement.
/// 5. libpq is only ever called by the caller's thread: others wake it, and it cancels. A cancellation
///    has reached the server, or the connection is broken, before anything else is sent.
package final class PostgresConnection {
  let handle: LibpqHandle
  let wakeUp: WakeUp
  /// Where the server is.
  package let location: PostgresLocation
  /// When the connection was made.
  package let openedAt = ContinuousClock.now
  /// Whether the connection cannot be used any more.
  package internal(set) var isBroken = false
  /// Whether the open transaction is somebody else's: whoever asks to begin, commit or undo one does nothing.
  var isHeld = false
  /// What has been asked since the pool last looked.
  package var counters = PostgresCounters()
  /// What has run, while somebody wants to know.
  var notes: [StatementNote]?
  var statements: StatementCache
  var begin: PostgresTransactionKind?
  /// What is being waited for.
  private var exchange = Exchange()

  /// One round trip.
  private struct Exchange {
    let start = ContinuousClock.now
    var deadline: ContinuousClock.Instant?
    /// Whether the server may have committed it when nobody has heard so.
    var mayCommit = false
    /// Why the server was told to cancel.
    var interruption: PostgresFailure.Kind?
    var cancellation: FetchCancellation?
    /// What the server was told.
    var request: CancelRequest?
  }

  init(_ handle: LibpqHandle, _ wakeUp: WakeUp, _ location: PostgresLocation) {
    self.handle = handle
    self.wakeUp = wakeUp
    self.location = location
    statements = StatementCache(limit: location.limits.statementCount)
  }

  /// The number of the server's process for this connection (`pg_backend_pid()`).
  package var processID: Int { handle.processID }
  /// The server's version as libpq counts: 150,018 is 15.18.
  package var serverVersion: Int { handle.serverVersion }
  /// Whether the connection is encrypted.
  package var isEncrypted: Bool { handle.isEncrypted }
  /// Whether a transaction is open.
  package var isInTransaction: Bool { begin != nil || handle.isInTransaction }
  /// How many statements are prepared.
  package var preparedCount: Int { statements.count }
}

extension PostgresConnection {
  /// Begins a round trip; ``endExchange()`` must follow, whatever happens.
  func beginExchange(_ options: PostgresRunOptions) throws(PostgresFailure) {
    guard !isBroken else {
      throw PostgresFailure(.connectionLost, "the connection is closed", outcome: .notSent)
    }
    wakeUp.clear()
    if let cancellation = options.cancellation {
      guard cancellation.begin({ [wakeUp] in wakeUp.signal() }) else {
        throw PostgresFailure(.cancelled, "cancelled before it began", outcome: .notSent)
      }
    }
    exchange = Exchange(
      deadline: (options.timeout ?? location.limits.statementTimeout).map { .now + $0 },
      mayCommit: !options.isReading && !isHeld && (options.commits || !isInTransaction),
      cancellation: options.cancellation
    )
    counters.roundTrips += 1
  }

  /// Whether the server may commit what is on its way.
  var isCommitting: Bool {
    get { exchange.mayCommit }
    set { exchange.mayCommit = newValue }
  }

  /// Notes a statement that has given so many rows, if somebody wants to know.
  func note(_ statement: PostgresStatement, _ parameters: PostgresFields, rows: Int) {
    guard notes != nil else { return }
    let seconds = (ContinuousClock.now - exchange.start) / .seconds(1)
    notes?.append(
      StatementNote(statement: statement, parameters: parameters, seconds: seconds, rowCount: rows)
    )
  }

  /// Whether the server has been told to cancel what runs.
  var isInterrupted: Bool { exchange.interruption != nil }

  /// Ends a round trip.
  func endExchange() {
    exchange.cancellation?.end()
    exchange.cancellation = nil
    if let request = exchange.request, let deadline = exchange.deadline {
      if !request.wait(until: deadline) { isBroken = true }
      exchange.request = nil
    }
  }

  /// The next answer; `nil` at the end of those to one statement.
  ///
  /// - Throws: That the connection was lost, or that the server does not even answer to being cancelled.
  func nextResult() throws(PostgresFailure) -> PostgresResult? {
    while true {
      // What cannot be sent shows when it is read: the server's last words come first.
      let isSending = handle.flush() > 0
      if !handle.isBusy { return handle.nextResult() }
      try waitForSocket(writing: isSending)
    }
  }

  /// The answer to one statement, with all that belongs to it.
  ///
  /// - Returns: `nil` when there is none.
  func nextAnswer() throws(PostgresFailure) -> PostgresResult? {
    guard let result = try nextResult() else { return nil }
    do throws(PostgresFailure) {
      while try nextResult() != nil {}
    } catch {
      // What the server said before it went says more.
      if let words = result.failure { throw understood(words) }
      throw error
    }
    return result
  }

  /// Waits until the socket can be read, or written, and reads what is there.
  func waitForSocket(writing: Bool) throws(PostgresFailure) {
    let event = SocketWait.wait(
      for: handle.socket,
      writing: writing,
      wakeUp: wakeUp,
      until: exchange.deadline
    )
    switch event {
    case .ready: if !handle.consume() { throw lost() }
    case .woken: try interrupt(.cancelled)
    case .timedOut: try interrupt(.timeout)
    }
  }

  /// Tells the server to cancel what runs; its answer says whether it has.
  private func interrupt(_ reason: PostgresFailure.Kind) throws(PostgresFailure) {
    if exchange.interruption != nil {
      // Already told: a second signal says nothing new, a second deadline that nobody is there.
      guard reason == .timeout else { return }
      throw givenUp()
    }
    exchange.interruption = reason
    exchange.deadline = .now + location.limits.cancelTimeout
    exchange.request = handle.cancel()
  }

  /// Tells the server to cancel what runs, as nobody wants the rest of it.
  func abandon() {
    guard exchange.interruption == nil else { return }
    exchange.interruption = .cancelled
    exchange.deadline = .now + location.limits.cancelTimeout
    exchange.request = handle.cancel()
  }

  /// The failure of a server that does not answer.
  private func givenUp() -> PostgresFailure {
    isBroken = true
    return PostgresFailure(
      exchange.interruption ?? .timeout,
      "the server does not answer",
      outcome: exchange.mayCommit ? .unknown : .undone
    )
  }

  /// The failure of a connection that has just been lost: the server's last words, if there are any.
  func lost() -> PostgresFailure {
    isBroken = true
    let message = handle.message.split(separator: "\n").first.map(String.init)
    var failure = PostgresFailure(.connectionLost, message ?? "the connection was closed")
    for _ in 0..<Self.lastWordCount {
      guard let result = handle.nextResult() else { break }
      if let words = result.failure, words.state != nil { failure = words }
    }
    failure.kind = .connectionLost
    failure.outcome = exchange.mayCommit ? .unknown : .undone
    return failure
  }

  private static let lastWordCount = 8

  /// A failure that the server has sent, as it is to be understood in this round trip.
  func understood(_ failure: PostgresFailure) -> PostgresFailure {
    var failure = failure
    if failure.breaksConnection {
      isBroken = true
      failure.outcome = exchange.mayCommit ? .unknown : .undone
    } else if failure.state == .queryCancelled, let interruption = exchange.interruption {
      failure.kind = interruption
      if interruption == .timeout { failure.message = "the time for an answer is over" }
    }
    return failure
  }
}
#endif
