// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
package import PerennialPredicate
import PerennialSQL

extension PostgresStore {
  package func fetchKeys(_ sql: RawSQL) throws(PerennialError) -> [Int64] {
    let call = PostgresCall(try statement(of: sql), schema.dialect)
    let options = PostgresRunOptions(isReading: true, commits: true)
    // Functions that write are refused, too.
    let rows = try read { connection throws(PostgresFailure) in
      try connection.transaction(.reading) { connection throws(PostgresFailure) in
        try connection.run(call.statement, call.parameters, options)
      }
    }
    return (0..<rows.count).map { rows.integer($0, 0) }
  }
}
#endif
