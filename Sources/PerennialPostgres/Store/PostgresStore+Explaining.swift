// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore

extension PostgresStore {
  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    let translation = try translation(of: query)
    return try explanation(
      of: select(query, translation, .rows),
      inMemory: translation.isComplete ? [] : translation.remainder(of: query).memoryWork
    )
  }

  package func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
    let translation = try translation(of: query.rows)
    var translator = ProjectionTranslator(query, schema: schema, store: identifier)
    guard translation.isComplete, let statement = translator.statement(translation) else {
      let rest = translation.isComplete ? [] : translation.remainder(of: query.rows).memoryWork
      return try explanation(
        of: select(query.rows, translation, .rows),
        inMemory: rest + query.memoryWork
      )
    }
    return try explanation(
      of: SelectStatement(sql: statement.sql, bindings: statement.bindings),
      inMemory: []
    )
  }

  private func explanation(
    of statement: SelectStatement,
    inMemory: [String]
  ) throws(PerennialError) -> FetchExplanation {
    let question = schema.dialect.explanation(of: statement.sql)
    let steps = try run(SelectStatement(sql: question, bindings: statement.bindings))
    return FetchExplanation(
      sql: schema.dialect.finished(statement.sql),
      bindings: statement.bindings.map(\.description),
      plan: (0..<steps.count).map { steps.text($0, 0) },
      inMemory: inMemory
    )
  }
}
#endif
