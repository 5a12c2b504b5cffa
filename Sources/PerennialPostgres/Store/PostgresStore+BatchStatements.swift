// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore
import Synchronization

extension PostgresStore {
  /// Changes the rows that a query selects by one statement.
  ///
  /// - Returns: What it did, or `nil` when SQL cannot say the query.
  package func execute(
    _ statement: BatchStatement
  ) throws(PerennialError) -> BatchOutcome? {
    try checkWritable()
    let translation = try translation(of: statement.query)
    guard translation.isComplete else { return nil }
    let call = call(statement, translation)
    let query = statement.query
    // What is known when the answer to the commit is lost, but not the commit.
    let changed = Box<[ObjectReference]>([])
    let number = try writeOnce { connection, token throws(PostgresFailure) in
      let log = SaveLog(connection, self)
      var pipeline = SavePipeline(connection)
      var call = call
      try Generation.check(generation, schema.names.metadata, with: &pipeline)
      try SaveToken.add(token, forgetting: [], to: &pipeline)
      if log.readsOldValues(statement) {
        try pipeline.flush()
        let result = try fetchReferences(query, translation, isForUpdate: true, on: connection)
        let old = try references(result, query)
        try log.noteOld(statement.action, old)
        // Others may have added rows since, of which nothing is noted.
        let chosen = BatchStatement(query: query.selecting(old), action: statement.action)
        call = self.call(chosen, QueryTranslation())
      }
      try pipeline.add(call.statement, call.parameters) { result throws(PostgresFailure) in
        changed.value = try self.references(result, query)
      }
      try pipeline.flush()
      log.note(statement.action, changed.value)
      return try log.commit(statement.author, &pipeline)
    }
    ownTransactions.note(number)
    let rows = changed.value
    return BatchOutcome(count: rows.count, references: statement.namesRows ? rows : [])
  }

  /// The statement, which gives the keys and numbers of entities of the rows that it changes.
  private func call(_ batch: BatchStatement, _ translation: QueryTranslation) -> PostgresCall {
    let table = schema.table(of: batch.query.entity)
    var builder = SelectBuilder(
      batch.query,
      output: .keys,
      schema: schema,
      translation: translation
    )
    let condition = builder.buildCondition()
    var types: [PostgresType] = []
    var parameters = PostgresFields()
    var action = "DELETE FROM \(table) AS t0"
    if case .update(let slots, let row) = batch.action {
      let packer = RowPacker(entity: batch.query.entity, slots: slots, schema: schema)
      action = WriteSQL.updateAll(table, columns: packer.names, schema.rows)
      types = packer.types
      packer.packRow(row.pointer, into: &parameters)
    }
    for value in condition.bindings.map({ PostgresValue($0) }) {
      types.append(value.type)
      parameters.append(value)
    }
    let number = schema.entityNumber(of: batch.query.entity, alias: "t0")
    let sql = action + condition.sql + " RETURNING t0.\(schema.rows.key), \(number)"
    return PostgresCall(PostgresStatement(schema.dialect.finished(sql), types), parameters)
  }

  /// Runs a closure in a transaction that it commits itself, and that adds a token: as a save, it is done once.
  ///
  /// - Returns: The number of the transaction in the log; `nil` also when the answer to its commit was lost.
  private func writeOnce(
    _ body: (PostgresConnection, _ token: Int64) throws(PostgresFailure) -> Int64?
  ) throws(PerennialError) -> Int64? {
    var attempts = Attempts()
    while true {
      let token = Int64.random(in: .min ... .max)
      do throws(PostgresFailure) {
        let number = try inTransaction { connection throws(PostgresFailure) in
          try body(connection, token)
        }
        written.withLock { $0.giveBack([token]) }
        return number
      } catch {
        var failure = error
        if failure.outcome == .unknown {
          if try isCommitted(token) { return nil }
          failure.outcome = .undone
        }
        guard attempts.mayRepeat(after: failure) else { throw problem(failure) }
      }
    }
  }

  /// Runs a closure in a transaction that it commits itself, again if need be: twice is as good as once.
  func write<Result>(
    _ body: (PostgresConnection) throws(PostgresFailure) -> Result
  ) throws(PerennialError) -> Result {
    var attempts = Attempts()
    while true {
      do throws(PostgresFailure) {
        return try inTransaction(body)
      } catch {
        var failure = error
        if failure.breaksConnection { failure.outcome = .undone }
        guard attempts.mayRepeat(after: failure) else { throw problem(error) }
      }
    }
  }

  /// Runs a closure once, in a transaction that it commits itself.
  func inTransaction<Result>(
    _ body: (PostgresConnection) throws(PostgresFailure) -> Result
  ) throws(PostgresFailure) -> Result {
    do throws(PostgresFailure) {
      return try pool.use { connection throws(PostgresFailure) in
        try noting(on: connection) { connection throws(PostgresFailure) in
          try connection.transaction(.readCommitted, body)
        }
      }
    } catch {
      if error.kind == .oldValuesWanted { keepsOldValues.store(true, ordering: .relaxed) }
      throw error
    }
  }
}
#endif
