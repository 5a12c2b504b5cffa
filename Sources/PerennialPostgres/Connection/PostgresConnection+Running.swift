// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
extension PostgresConnection {
  /// Runs a statement in one round trip, also when it has to be prepared first.
  ///
  /// - Throws: What the server says. A statement that the server has forgotten, or whose tables have
  ///   changed, is prepared anew and tried once more when no transaction is open.
  package func run(
    _ statement: PostgresStatement,
    _ parameters: PostgresFields = PostgresFields(),
    _ options: PostgresRunOptions = PostgresRunOptions()
  ) throws(PostgresFailure) -> PostgresResult {
    let mayRetry = !isInTransaction
    do throws(PostgresFailure) {
      return try runOnce(statement, parameters, options)
    } catch {
      guard error.isAboutStaleStatement else { throw error }
      // The next one has another name; the server keeps the old one until the connection ends.
      statements.remove(statement)
      guard mayRetry, !isBroken else { throw error }
      return try runOnce(statement, parameters, options)
    }
  }

  /// Runs a text with values.
  package func run(
    _ sql: String,
    _ values: [PostgresValue] = [],
    _ options: PostgresRunOptions = PostgresRunOptions()
  ) throws(PostgresFailure) -> PostgresResult {
    let call = PostgresCall(sql, values)
    return try run(call.statement, call.parameters, options)
  }

  private func runOnce(
    _ statement: PostgresStatement,
    _ parameters: PostgresFields,
    _ options: PostgresRunOptions
  ) throws(PostgresFailure) -> PostgresResult {
    let name = statement.isKept ? statements.name(of: statement) : nil
    guard begin == nil, !options.commits, !(statement.isKept && name == nil) else {
      let results = try runOnce([PostgresCall(statement, parameters)], options)
      guard let result = results.first else { throw Self.noAnswer }
      return result
    }
    try Self.check(parameters)
    try beginExchange(options)
    defer { endExchange() }
    guard send(statement, named: name, parameters) else { throw lost() }
    guard let result = try nextAnswer() else { throw Self.noAnswer }
    if let failure = result.failure { throw understood(failure) }
    note(result)
    note(statement, parameters, rows: result.count)
    return result
  }

  /// Sends a statement by the name under which it was prepared, or else with its text.
  func send(
    _ statement: PostgresStatement,
    named name: String?,
    _ parameters: PostgresFields
  ) -> Bool {
    if let name { return handle.sendPrepared(name, parameters) }
    return handle.sendOnce(statement.sql, statement.types, parameters)
  }

  /// Counts a statement that has run.
  func note(_ result: PostgresResult) {
    counters.statements += 1
    counters.rows += result.count
  }

  /// Throws when parameters cannot be sent.
  static func check(_ parameters: PostgresFields) throws(PostgresFailure) {
    if let index = parameters.indexOfNUL {
      throw PostgresFailure(.nulInText, "it is parameter \(index + 1)", outcome: .notSent)
    }
    guard parameters.count <= 65_535, parameters.bytes.count < byteLimit else {
      throw PostgresFailure(
        .tooLarge,
        "\(parameters.count) parameters of \(parameters.bytes.count) bytes",
        outcome: .notSent
      )
    }
  }

  /// The first number of bytes that a message of the protocol cannot have.
  static let byteLimit = 1 << 30

  /// The failure of an answer that ends too early.
  static let noAnswer = PostgresFailure(.unexpectedAnswer, "there is none")
}

extension PostgresConnection {
  /// Runs statements that give nothing, several of them separated by semicolons.
  ///
  /// Outside of a transaction they are one: all of them, or none.
  package func execute(
    _ sql: String,
    _ options: PostgresRunOptions = PostgresRunOptions()
  ) throws(PostgresFailure) {
    guard !sql.utf8.contains(0) else {
      throw PostgresFailure(.nulInText, "it is in the statement", outcome: .notSent)
    }
    let beginning = begin
    try beginExchange(options)
    defer { endExchange() }
    begin = nil
    guard handle.send((beginning.map { $0.rawValue + "; " } ?? "") + sql) else { throw lost() }
    var first: PostgresFailure?
    while true {
      do throws(PostgresFailure) {
        guard let result = try nextResult() else { break }
        if let failure = result.failure {
          first = first ?? understood(failure)
        } else if result.status == .copyIn {
          _ = handle.endCopy("no rows were expected")
        } else if !Self.transactionTags.contains(result.tag) {
          note(result)
        }
      } catch {
        throw first ?? error
      }
    }
    if let first { throw first }
    note(PostgresStatement(sql), PostgresFields(), rows: 0)
  }

  /// What begins and ends transactions is not counted.
  private static let transactionTags: Set<String> = ["BEGIN", "COMMIT", "ROLLBACK"]
}
#endif
