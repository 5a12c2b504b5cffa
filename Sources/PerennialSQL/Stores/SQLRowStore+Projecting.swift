// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
package import PerennialStore

// Values instead of rows: one statement, or else memory on the rows that SQL selects.

extension SQLRowStore {
  package func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    let translation = try translation(of: query.rows)
    var translator = ProjectionTranslator(query, schema: schema, store: identifier)
    guard translation.isComplete, let statement = translator.statement(translation) else {
      return try ProjectionEvaluator(query)
        .evaluate(try allRows(query.rows), reader: RelatedRows(self))
    }
    guard var table = try values(of: statement) else { throw EvaluationError.overflow(.sum) }
    for (number, column) in query.columns.enumerated() where column.needsConversion {
      for place in stride(from: number, to: table.values.count, by: table.columnCount) {
        table.values[place] = table.values[place].converted(to: column.resultType)
      }
    }
    return table
  }
}
