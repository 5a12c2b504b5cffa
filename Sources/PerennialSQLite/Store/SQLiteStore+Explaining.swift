// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialSQL
package import PerennialStore

extension SQLiteStore {
  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    let translation = try translation(of: query)
    let statement = select(query, translation, .rows)
    return try explanation(
      of: statement.sql,
      statement.bindings,
      inMemory: translation.isComplete ? [] : translation.remainder(of: query).memoryWork
    )
  }

  package func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
    let translation = try translation(of: query.rows)
    var translator = ProjectionTranslator(query, schema: schema, store: identifier)
    guard translation.isComplete, let statement = translator.statement(translation) else {
      let rows = select(query.rows, translation, .rows)
      let rest = translation.isComplete ? [] : translation.remainder(of: query.rows).memoryWork
      return try explanation(of: rows.sql, rows.bindings, inMemory: rest + query.memoryWork)
    }
    return try explanation(of: statement.sql, statement.bindings, inMemory: [])
  }

  private func explanation(
    of sql: String,
    _ bindings: [SQLValue],
    inMemory: [String]
  ) throws(PerennialError) -> FetchExplanation {
    let question = schema.dialect.explanation(of: sql)
    let plan = try read { connection throws(SQLiteFailure) in
      let explaining = try connection.statement(.text(question)) { () throws(SQLiteFailure) in
        question
      }
      defer { explaining.clear() }
      try explaining.bind(bindings)
      var steps: [String] = []
      while try explaining.step() { steps.append(explaining.text(3)) }
      return steps
    }
    return FetchExplanation(
      sql: sql,
      bindings: bindings.map(\.description),
      plan: plan,
      inMemory: inMemory
    )
  }
}

extension SQLiteStore {
  /// How often statements that write have run, for tests of how many a save takes.
  package func writeCount() throws(PerennialError) -> Int {
    try write { connection throws(SQLiteFailure) in connection.runCount }
  }
}
