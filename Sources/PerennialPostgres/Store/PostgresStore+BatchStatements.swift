// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore

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
    let (rows, number) = try write { connection throws(PostgresFailure) in
      let log = SaveLog(connection, self)
      var pipeline = SavePipeline(connection)
      try Generation.check(generation, with: &pipeline)
      if log.readsOldValues(statement) {
        try pipeline.flush()
        let old = try fetchReferences(query, translation, isForUpdate: true, on: connection)
        try log.noteOld(statement.action, references(old, query))
      }
      let changed = Box<[ObjectReference]>([])
      try pipeline.add(call.statement, call.parameters) { result throws(PostgresFailure) in
        changed.value = self.references(result, query)
      }
      try pipeline.flush()
      let rows = changed.value
      log.note(statement.action, rows)
      let number = try log.commit(
        statement.author,
        &pipeline,
        notifying: canNotify ? channel : nil
      )
      return (rows, number)
    }
    noteOwn(number)
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
      action = WriteSQL.updateAll(table, columns: packer.names)
      types = packer.types
      packer.packRow(row.pointer, into: &parameters)
    }
    for value in condition.bindings.map({ PostgresValue($0) }) {
      types.append(value.type)
      parameters.append(value)
    }
    let sql = action + condition.sql + " RETURNING t0.Z_PK, t0.Z_ENT"
    return PostgresCall(PostgresStatement(schema.dialect.finished(sql), types), parameters)
  }

  /// Runs a closure in a transaction that it commits itself; what the server undoes because others were in the way is
  /// done again.
  func write<Result>(
    _ body: (PostgresConnection) throws(PostgresFailure) -> Result
  ) throws(PerennialError) -> Result {
    var attempts = Attempts()
    while true {
      do throws(PostgresFailure) {
        return try pool.use { connection throws(PostgresFailure) in
          try noting(on: connection) { connection throws(PostgresFailure) in
            try connection.transaction(.readCommitted, body)
          }
        }
      } catch {
        guard attempts.mayRepeat(after: error) else { throw problem(error) }
      }
    }
  }
}
#endif
