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
      try connection.transaction(.immediate) { () throws(SQLiteFailure) in
        let history = try makeHistory(on: connection)
        let references =
          statement.namesRows || history != nil
          ? try fetchReferences(statement.query, translation, on: connection) : []
        try history?.note(statement.action, references)
        let outcome = BatchOutcome(
          count: try run(statement, translation, on: connection),
          references: statement.namesRows ? references : []
        )
        try ownTransactions.note(history?.end(statement.author))
        return outcome
      }
    }
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
