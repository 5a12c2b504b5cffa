// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialSQL
package import PerennialStore

extension SQLiteStore {
  /// Changes the rows that a query selects by one statement.
  ///
  /// - Returns: What it did, or `nil` when SQL cannot say the query.
  package func execute(
    _ statement: BatchStatement
  ) throws(PerennialError) -> BatchOutcome? {
    let translation = try translation(of: statement.query)
    guard translation.isComplete else { return nil }
    return try write { connection throws(SQLiteFailure) in
      let (outcome, number) = try connection.transaction(.immediate) {
        () throws(SQLiteFailure) -> (BatchOutcome, Int64?) in
        let history = try makeHistory(on: connection)
        guard statement.namesRows || history != nil else {
          let count = try run(statement, translation, on: connection)
          return (BatchOutcome(count: count, references: []), nil)
        }
        let references = try fetchReferences(statement.query, translation, on: connection)
        try history?.note(statement.action, references)
        let count = try run(statement, translation, selected: references, on: connection)
        let outcome = BatchOutcome(
          count: count,
          references: statement.namesRows ? references : []
        )
        return (outcome, try history?.end(statement.author))
      }
      ownTransactions.note(number)
      return outcome
    }
  }

  /// Runs a statement on the rows that its query has selected.
  ///
  /// - Returns: The number of rows.
  private func run(
    _ statement: BatchStatement,
    _ translation: QueryTranslation,
    selected references: [ObjectReference],
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Int {
    let query = statement.query
    guard query.hasWindow else { return try run(statement, translation, on: connection) }
    let chosen = BatchStatement(query: query.selecting(references), action: statement.action)
    return try run(chosen, QueryTranslation(), on: connection)
  }

  /// - Returns: The number of rows.
  private func run(
    _ batch: BatchStatement,
    _ translation: QueryTranslation,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Int {
    let table = schema.table(of: batch.query.entity)
    var builder = SelectBuilder(
      batch.query,
      output: .keys,
      schema: schema,
      translation: translation
    )
    let condition = builder.buildCondition()
    var binder: RowBinder?
    var action = "DELETE FROM \(table) AS t0"
    if case .update(let slots, _) = batch.action {
      let found = RowBinder(entity: batch.query.entity, slots: slots, schema: schema)
      action = WriteSQL.updateAll(table, columns: found.columns, schema.rows)
      binder = found
    }
    let statement = try connection.prepare(action + condition.sql)
    defer { statement.finalize() }
    var next = 1
    if case .update(_, let row) = batch.action, let binder {
      next = try binder.bind(row.pointer, to: statement, from: next, nil)
    }
    for (offset, value) in condition.bindings.enumerated() {
      try statement.bind(next + offset, value)
    }
    try statement.run()
    return connection.changeCount
  }
}
