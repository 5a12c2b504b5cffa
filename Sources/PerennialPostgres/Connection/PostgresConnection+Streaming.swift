// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
extension PostgresConnection {
  /// Runs a query and hands on its rows as they arrive: what is not yet wanted waits at the server.
  ///
  /// For many rows, which ``run(_:_:_:)`` would hold all at once; it takes an eighth longer. One round trip,
  /// and another one when a transaction is to begin with it.
  ///
  /// - Parameters:
  ///   - statement: The query; it is not prepared for this.
  ///   - parameters: Its parameters.
  ///   - options: As for other statements; `commits` does nothing.
  ///   - body: Gets some of the rows, in order. When it throws, the server is told to cancel.
  /// - Throws: What the closure throws, or the server says; rows may have been given before.
  package func forEachRows(
    _ statement: PostgresStatement,
    _ parameters: PostgresFields = PostgresFields(),
    _ options: PostgresRunOptions = PostgresRunOptions(),
    _ body: (PostgresResult) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) {
    try Self.check(parameters)
    if let beginning = begin {
      begin = nil
      try execute(beginning.rawValue, options)
    }
    let name = statement.isKept ? statements.name(of: statement) : nil
    try beginExchange(options)
    defer { endExchange() }
    guard send(statement, named: name, parameters), handle.wantSingleRows() else { throw lost() }
    var first: PostgresFailure?
    var count = 0
    while true {
      do throws(PostgresFailure) {
        guard let result = try nextResult() else { break }
        if let failure = result.failure {
          first = first ?? understood(failure)
        } else if result.count > 0, first == nil {
          count += result.count
          try give(result, to: body)
        }
      } catch {
        if isBroken { throw first ?? error }
        first = first ?? error
      }
    }
    counters.statements += 1
    counters.rows += count
    note(statement, parameters, rows: count)
    if let first { throw first }
  }

  /// Hands on rows; no more are wanted when that fails.
  private func give(
    _ rows: PostgresResult,
    to body: (PostgresResult) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) {
    do throws(PostgresFailure) {
      try body(rows)
    } catch {
      abandon()
      throw error
    }
  }
}
#endif
