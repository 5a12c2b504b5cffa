// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialStore

/// The tables of what saves have changed: a row for each save, numbered in the order in which they were committed.
///
/// Whoever saves locks the one row of the clock as the last thing before the commit, so that a number is seen only when
/// all smaller ones are: a reader that goes on after the last number it has seen misses nothing.
enum ChangeLog {
  static let table = "perennial_log"
  static let clock = "perennial_clock"

  static let definitions = [
    """
    CREATE TABLE \(table) (number bigint PRIMARY KEY, first_change bigint NOT NULL,
    saved double precision NOT NULL, author text COLLATE "C", context text COLLATE "C", process text, bundle text,
    changes text NOT NULL)
    """,
    """
    CREATE TABLE \(clock) (one boolean PRIMARY KEY DEFAULT TRUE CHECK (one), number bigint NOT NULL,
    change bigint NOT NULL, is_wanted boolean NOT NULL, keeps_old_values boolean NOT NULL)
    """,
    "INSERT INTO \(clock) (number, change, is_wanted, keeps_old_values) VALUES (0, 0, FALSE, FALSE)",
  ]

  /// Writes what a save has done, and gives its number; divides by zero when old values are wanted that it has not.
  private static let insertion = PostgresStatement(
    """
    WITH c AS (UPDATE \(clock) SET number = number + 1, change = change + $1
    WHERE 1 / CASE WHEN keeps_old_values AND NOT $8 THEN 0 ELSE 1 END = 1 RETURNING number, change)
    INSERT INTO \(table) (number, first_change, saved, author, context, process, bundle, changes)
    SELECT c.number, c.change - $1 + 1, $2, $3, $4, $5, $6, $7 FROM c RETURNING number
    """,
    [.integer, .double, .text, .text, .text, .text, .text, .bool]
  )

  /// What the next attempt must read before it writes: somebody has asked for it since the store was opened.
  private static let oldValuesWanted = PostgresFailure(
    .oldValuesWanted,
    "the history has begun to keep old values"
  )

  /// Adds a save to a pipeline whose end commits it.
  ///
  /// - Parameters:
  ///   - record: What it has changed.
  ///   - author: Who saves.
  ///   - hasOldValues: Whether the record has what was replaced.
  ///   - pipeline: What has not been sent yet.
  ///   - answer: Is told the number of the save.
  /// - Throws: That the changes have no text, or one that is too large.
  static func add(
    _ record: HistoryRecord,
    _ author: ChangeSet.Author,
    hasOldValues: Bool,
    to pipeline: inout SavePipeline,
    _ answer: @escaping (Int64) -> Void
  ) throws(PostgresFailure) {
    guard let text = record.text() else {
      throw PostgresFailure(.unexpectedAnswer, "the changes have no text")
    }
    var parameters = PostgresFields()
    parameters.append(record.count)
    parameters.append(Date().timeIntervalSinceReferenceDate)
    for name in [
      author.name, author.contextName, HistoryProcess.name, HistoryProcess.bundleIdentifier,
    ] {
      if let name { parameters.append(name) } else { parameters.appendNull() }
    }
    parameters.append(text)
    parameters.append(hasOldValues)
    if hasOldValues { try checkOldValues(byteCount: parameters.bytes.count) }
    try pipeline.addCheck(insertion, parameters, oldValuesWanted) {
      (result) throws(PostgresFailure) in
      guard result.count == 1 else {
        throw PostgresFailure(.unexpectedAnswer, "the row of '\(clock)' is missing")
      }
      answer(result.integer(0, 0))
    }
  }

  /// Throws when old values make a transaction larger than a message can be: only they do.
  static func checkOldValues(byteCount: Int) throws(PostgresFailure) {
    guard byteCount >= PostgresConnection.byteLimit else { return }
    throw PostgresFailure(
      .tooLarge,
      "'historyKeepsOldValues' would keep \(byteCount) bytes of what is replaced",
      outcome: .notSent
    )
  }

  /// The number of a transaction or a change.
  static func number(
    _ result: PostgresResult,
    _ row: Int,
    _ column: Int
  ) throws(PostgresFailure) -> Int64 {
    let number = result.integer(row, column)
    guard HistoryRecord.numbers.contains(number) else {
      throw PostgresFailure(
        .unexpectedAnswer,
        "the history has the number \(number), which nothing can have"
      )
    }
    return number
  }

  /// Asks for more to be kept from now on; what somebody has asked for once stays.
  static func want(_ history: HistoryOptions) -> PostgresCall? {
    guard history.isOn else { return nil }
    return PostgresCall(
      "UPDATE \(clock) SET is_wanted = TRUE, keeps_old_values = keeps_old_values OR $1",
      [.bool(history.keepsOldValues)]
    )
  }

  /// Deletes what nobody has asked to keep and no running program needs any more.
  static let tidying = """
    DELETE FROM \(table) WHERE saved < extract(epoch FROM now() - INTERVAL '7 days') - 978307200
    AND NOT (SELECT is_wanted FROM \(clock))
    """
}
#endif
