// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL

/// The row by which one learns later whether a save has been committed, when the connection was lost meanwhile.
///
/// Each attempt to save begins with a row of its own. Whoever does not know how an attempt has ended inserts a row of
/// the same token that is dead: the server lets it wait until the attempt has ended, if it still runs. Then either the
/// attempt's row is there, or the dead one, and the attempt can never be committed any more.
enum SaveToken {
  static let table = "perennial_save"

  static let definition = """
    CREATE TABLE \(table) (token bigint PRIMARY KEY, dead boolean NOT NULL,
    since timestamptz NOT NULL DEFAULT now())
    """

  /// Forgets the attempts of processes that have ended without doing so.
  static let tidying = "DELETE FROM \(table) WHERE since < now() - INTERVAL '1 day'"

  /// Begins an attempt, and forgets others whose end is known.
  static func add(
    _ token: Int64,
    forgetting old: [Int64],
    to pipeline: inout SavePipeline
  ) throws(PostgresFailure) {
    var parameters = PostgresFields()
    parameters.append(token)
    parameters.append(old)
    try pipeline.add(beginning, parameters)
  }

  private static let beginning = PostgresStatement(
    """
    WITH old AS (DELETE FROM \(table) WHERE token = ANY ($2))
    INSERT INTO \(table) (token, dead) VALUES ($1, FALSE)
    """,
    [.integer, PostgresType.integer.array]
  )

  /// Whether an attempt has been committed; if not, it never will be.
  static func isCommitted(
    _ token: Int64,
    _ connection: PostgresConnection
  ) throws(PostgresFailure) -> Bool {
    let results = try connection.run([
      PostgresCall(
        "INSERT INTO \(table) (token, dead) VALUES ($1, TRUE) ON CONFLICT DO NOTHING",
        [.integer(token)]
      ),
      PostgresCall("SELECT dead FROM \(table) WHERE token = $1", [.integer(token)]),
    ])
    guard let answer = results.last, answer.count == 1 else {
      throw PostgresFailure(.unexpectedAnswer, "the row of a save is missing")
    }
    return !answer.bool(0, 0)
  }
}
#endif
