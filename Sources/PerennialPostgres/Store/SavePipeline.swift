// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL

/// Statements of a save that go out together, each with what is done with its answer.
struct SavePipeline {
  typealias Answer = (PostgresResult) throws(PostgresFailure) -> Void

  private let connection: PostgresConnection
  private var calls: [PostgresCall] = []
  private var answers: [Answer] = []
  /// What calls stand for that divide by zero, by their places.
  private var checks: [Int: PostgresFailure] = [:]
  private var byteCount = 0

  /// From so many bytes on, what waits is sent: else it would lie in memory twice.
  static let greatestByteCount = 4 << 20

  init(_ connection: PostgresConnection) { self.connection = connection }

  /// Adds a statement; sends what has gathered, when it is much.
  mutating func add(
    _ sql: String,
    _ types: [PostgresType],
    _ parameters: PostgresFields,
    _ answer: @escaping Answer = { (_) throws(PostgresFailure) in }
  ) throws(PostgresFailure) {
    try add(PostgresStatement(sql, types), parameters, answer)
  }

  /// Adds a statement that is kept.
  mutating func add(
    _ statement: PostgresStatement,
    _ parameters: PostgresFields,
    _ answer: @escaping Answer = { (_) throws(PostgresFailure) in }
  ) throws(PostgresFailure) {
    calls.append(PostgresCall(statement, parameters))
    answers.append(answer)
    byteCount += parameters.bytes.count
    if byteCount >= Self.greatestByteCount { try flush() }
  }

  /// Adds a statement that divides by zero when something is not as expected: so the server does not commit, also when
  /// nobody looks at the answer before.
  mutating func addCheck(
    _ statement: PostgresStatement,
    _ parameters: PostgresFields,
    _ failure: PostgresFailure,
    _ answer: @escaping Answer = { (_) throws(PostgresFailure) in }
  ) throws(PostgresFailure) {
    checks[calls.count] = failure
    try add(statement, parameters, answer)
  }

  /// Sends what has gathered, in one round trip.
  ///
  /// - Parameter commits: Whether the transaction ends with it.
  /// - Throws: What the server says, or an answer does.
  mutating func flush(commits: Bool = false) throws(PostgresFailure) {
    guard !calls.isEmpty || commits else { return }
    let results: [PostgresResult]
    do throws(PostgresFailure) {
      results = try connection.run(calls, PostgresRunOptions(commits: commits))
    } catch {
      guard error.state == .divisionByZero, let call = error.call, let failure = checks[call] else {
        throw error
      }
      throw failure
    }
    let answers = answers
    calls = []
    checks = [:]
    self.answers = []
    byteCount = 0
    for (result, answer) in zip(results, answers) { try answer(result) }
  }
}

/// A variable that answers share with whoever waits for them.
final class Box<Value> {
  var value: Value

  init(_ value: Value) { self.value = value }
}

#endif
