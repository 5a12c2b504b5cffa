// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialStore

extension SQLRowStore {
  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    let translation = try translation(of: query)
    return try explanation(
      of: select(query, translation),
      inMemory: translation.isComplete ? [] : translation.remainder(of: query).memoryWork
    )
  }

  package func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
    let translation = try translation(of: query.rows)
    var translator = ProjectionTranslator(query, schema: schema, store: identifier)
    guard translation.isComplete, let statement = translator.statement(translation) else {
      let rest = translation.isComplete ? [] : translation.remainder(of: query.rows).memoryWork
      return try explanation(
        of: select(query.rows, translation),
        inMemory: rest + query.memoryWork
      )
    }
    return try explanation(
      of: SelectStatement(sql: statement.sql, bindings: statement.bindings),
      inMemory: []
    )
  }

  /// The statement that gives the rows of a query.
  private func select(_ query: StoreQuery, _ translation: QueryTranslation) -> SelectStatement {
    var builder = SelectBuilder(query, output: .rows, schema: schema, translation: translation)
    return builder.build(columns: plan(of: query).columns)
  }

  private func explanation(
    of statement: SelectStatement,
    inMemory: [String]
  ) throws(PerennialError) -> FetchExplanation {
    var question = statement
    question.sql = schema.dialect.explanation(of: statement.sql)
    return FetchExplanation(
      sql: schema.dialect.finished(statement.sql),
      bindings: statement.bindings.map(\.description),
      plan: try steps(explainedBy: question),
      inMemory: inMemory
    )
  }
}
