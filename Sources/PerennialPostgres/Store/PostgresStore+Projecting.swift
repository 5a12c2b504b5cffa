// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
package import PerennialSQL
package import PerennialStore

extension PostgresStore {
  package func values(of projection: ProjectionStatement) throws(PerennialError) -> ValueTable? {
    let rows = try run(SelectStatement(sql: projection.sql, bindings: projection.bindings))
    var table = ValueTable(columnCount: projection.readers.count)
    for row in 0..<rows.count {
      for (column, reader) in projection.readers.enumerated() {
        if case .object = reader {
          let key = rows.integer(row, column)
          guard key == 0 || PostgresFailure.possibleKeys.contains(key) else {
            throw PerennialError(
              PostgresFailure.impossibleKey(key, isOfOther: true),
              during: .reading,
              store: location
            )
          }
        }
        guard let value = reader.value(rows, row, column, schema, objectIDs) else { return nil }
        table.values.append(value)
      }
    }
    return table
  }
}
#endif
