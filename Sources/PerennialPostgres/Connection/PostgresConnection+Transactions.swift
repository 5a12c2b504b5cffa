// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
extension PostgresConnection {
  /// Calls a closure in a transaction: committed when it returns, undone when it throws.
  ///
  /// The beginning costs no round trip, as it goes out with the first statement; the end costs none
  /// when the last statements run with `commits`.
  ///
  /// - Throws: The closure's failure, or that of the commit. Its `outcome` says what is known.
  package func transaction<Result>(
    _ kind: PostgresTransactionKind = .readCommitted,
    _ body: (PostgresConnection) throws(PostgresFailure) -> Result
  ) throws(PostgresFailure) -> Result {
    if isHeld { return try body(self) }
    precondition(!isInTransaction, "A transaction begins only after the last one has ended.")
    begin = kind
    let result: Result
    do throws(PostgresFailure) {
      result = try body(self)
    } catch {
      rollBack()
      throw error
    }
    try commit(kind)
    return result
  }

  /// Commits what is open.
  private func commit(_ kind: PostgresTransactionKind) throws(PostgresFailure) {
    // Nothing has run.
    if begin != nil {
      begin = nil
      return
    }
    guard handle.isInTransaction else { return }
    guard !handle.isTransactionFailed else {
      rollBack()
      throw Self.rolledBack
    }
    _ = try run([], PostgresRunOptions(isReading: kind == .reading, commits: true))
  }

  /// Undoes what is open; a connection on which that fails is broken.
  package func rollBack() {
    begin = nil
    guard !isBroken, !isHeld, handle.isInTransaction else { return }
    let limit = location.limits.cancelTimeout
    do throws(PostgresFailure) {
      try execute("ROLLBACK", PostgresRunOptions(timeout: limit, isReading: true))
    } catch {
      isBroken = true
    }
  }
}

extension PostgresConnection {
  /// Makes the connection fit for its next user: no transaction is open.
  ///
  /// - Returns: Whether it is.
  func settle() -> Bool {
    rollBack()
    return !isBroken && !handle.isActive && !handle.isBad
  }

  /// Whether the server is still there, as far as can be told without asking it.
  func isAlive() -> Bool {
    for _ in 0..<Self.newsCount where !isBroken && SocketWait.hasNews(handle.socket) {
      if !handle.consume() || handle.isBad { isBroken = true }
      _ = handle.isBusy
    }
    return !isBroken && !handle.isBad
  }

  /// How often an idle connection is read, in which there may be a message and then the end.
  private static let newsCount = 4
}
#endif
