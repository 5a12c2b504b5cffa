// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialSQL
package import PerennialStore

extension SQLiteStore {
  package func values(
    of projection: ProjectionStatement
  ) throws(PerennialError) -> ValueTable? {
    try read { connection throws(SQLiteFailure) in
      let statement = try connection.statement(.text(projection.sql)) { () throws(SQLiteFailure) in
        projection.sql
      }
      defer { statement.clear() }
      try statement.bind(projection.bindings)
      var table = ValueTable(columnCount: projection.readers.count)
      while try statement.step() {
        for (column, reader) in projection.readers.enumerated() {
          if case .object = reader {
            let key = statement.integer(column)
            guard (0...Self.greatestKey).contains(key) else {
              throw SQLiteFailure.impossibleKey(key, isOfOther: true)
            }
          }
          guard let value = reader.value(statement, column, schema, objectIDs) else { return nil }
          table.values.append(value)
        }
      }
      return table
    }
  }
}
