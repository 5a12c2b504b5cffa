// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
extension PostgresConnection {
  /// A part of a pipeline, each with one answer.
  private enum Step {
    /// Something whose answer nobody reads: the beginning of a transaction.
    case command
    /// The end of the transaction.
    case commit
    /// The server forgets a prepared statement.
    case forget
    case prepare(PostgresStatement)
    /// The call of this number.
    case call(Int)
  }

  /// Runs statements in one round trip.
  ///
  /// Outside of a transaction they are one: when one fails, nothing of the others is done either.
  ///
  /// - Parameters:
  ///   - calls: The statements, in their order.
  ///   - options: With `commits`, the open transaction ends in the same round trip.
  /// - Returns: One result for each call.
  /// - Throws: The first failure, with the number of its call. Statements that the server has forgotten, or
  ///   whose tables have changed, are tried once more when no transaction is open.
  package func run(
    _ calls: [PostgresCall],
    _ options: PostgresRunOptions = PostgresRunOptions()
  ) throws(PostgresFailure) -> [PostgresResult] {
    let mayRetry = !isInTransaction
    do throws(PostgresFailure) {
      return try runOnce(calls, options)
    } catch {
      guard error.isAboutStaleStatement else { throw error }
      // The others may be as old. The next ones have other names; the server keeps the old ones until
      // the connection ends.
      for call in calls { statements.remove(call.statement) }
      guard mayRetry, !isBroken else { throw error }
      return try runOnce(calls, options)
    }
  }

  func runOnce(
    _ calls: [PostgresCall],
    _ options: PostgresRunOptions
  ) throws(PostgresFailure) -> [PostgresResult] {
    if calls.isEmpty, !options.commits { return [] }
    for (index, call) in calls.enumerated() {
      do throws(PostgresFailure) {
        try Self.check(call.parameters)
      } catch {
        var failure = error
        failure.call = index
        throw failure
      }
    }
    try beginExchange(options)
    defer { endExchange() }
    guard handle.enterPipeline() else { throw lost() }
    var steps: [Step] = []
    let isSent = send(calls, commits: options.commits && isInTransaction && !isHeld, &steps)
    begin = nil
    guard isSent, handle.sendSync() else {
      forgetPrepared(in: steps[...])
      throw lost()
    }
    return try receive(steps, calls)
  }

  private func send(_ calls: [PostgresCall], commits: Bool, _ steps: inout [Step]) -> Bool {
    if let begin {
      steps.append(.command)
      guard handle.sendOnce(begin.rawValue, [], PostgresFields()) else { return false }
    }
    for (index, call) in calls.enumerated() {
      guard send(call, index, of: calls, &steps) else { return false }
    }
    guard commits else { return true }
    steps.append(.commit)
    return handle.sendOnce("COMMIT", [], PostgresFields())
  }

  private func send(
    _ call: PostgresCall,
    _ index: Int,
    of calls: [PostgresCall],
    _ steps: inout [Step]
  ) -> Bool {
    let statement = call.statement
    guard statement.isKept else {
      steps.append(.call(index))
      return handle.sendOnce(statement.sql, statement.types, call.parameters)
    }
    var name = statements.name(of: statement)
    if name == nil {
      if let old = statements.makeRoom(keeping: calls) {
        steps.append(.forget)
        guard handle.sendOnce("DEALLOCATE \(old)", [], PostgresFields()) else { return false }
      }
      let new = statements.add(statement)
      steps.append(.prepare(statement))
      guard handle.sendPrepare(new, statement.sql, statement.types) else { return false }
      name = new
    }
    guard let name else { return false }
    steps.append(.call(index))
    return handle.sendPrepared(name, call.parameters)
  }

  /// Reads the answers, all of them also when one is a failure.
  private func receive(
    _ steps: [Step],
    _ calls: [PostgresCall]
  ) throws(PostgresFailure) -> [PostgresResult] {
    var results: [PostgresResult] = []
    results.reserveCapacity(calls.count)
    var first: PostgresFailure?
    for (position, step) in steps.enumerated() {
      let result: PostgresResult?
      do throws(PostgresFailure) {
        result = try nextAnswer()
      } catch {
        forgetPrepared(in: steps[position...])
        throw first ?? error
      }
      guard let result, result.status != .skipped, result.failure == nil else {
        if case .prepare(let statement) = step { statements.remove(statement) }
        if first == nil {
          var failure = understood(result?.failure ?? Self.noAnswer)
          failure.call = Self.call(of: steps[position...])
          first = failure
        }
        continue
      }
      switch step {
      case .command: break
      case .commit:
        if result.tag != "COMMIT" { first = first ?? Self.rolledBack }
      case .forget: break
      case .prepare: counters.prepared += 1
      case .call(let index):
        note(result)
        note(calls[index].statement, calls[index].parameters, rows: result.count)
        results.append(result)
      }
    }
    try finish(first)
    return results
  }

  /// Reads the end of a pipeline, at which the server commits what is in no transaction.
  private func finish(_ earlier: PostgresFailure?) throws(PostgresFailure) {
    var first = earlier
    while true {
      let end: PostgresResult?
      do throws(PostgresFailure) { end = try nextResult() } catch { throw first ?? error }
      guard let end else { throw first ?? lost() }
      if end.status == .synchronised { break }
      // Constraints that are checked late fail here.
      if let words = end.failure { first = first ?? understood(words) }
      do throws(PostgresFailure) { while try nextResult() != nil {} } catch { throw first ?? error }
    }
    guard handle.exitPipeline() else { throw first ?? lost() }
    if let first { throw first }
  }

  /// The number of the call that the first of some steps belongs to.
  private static func call(of steps: ArraySlice<Step>) -> Int? {
    for step in steps { if case .call(let index) = step { return index } }
    return nil
  }

  /// Forgets statements of which nobody knows whether the server has prepared them.
  private func forgetPrepared(in steps: ArraySlice<Step>) {
    for step in steps { if case .prepare(let statement) = step { statements.remove(statement) } }
  }

  /// The failure of a commit that the server has made a rollback of.
  static let rolledBack = PostgresFailure(
    .server,
    "the transaction has been rolled back, because a statement of it failed",
    state: .failedTransaction
  )
}
#endif
