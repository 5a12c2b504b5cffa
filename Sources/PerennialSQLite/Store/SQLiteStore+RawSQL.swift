// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate
import PerennialSQL

extension SQLiteStore {
  package func fetchKeys(_ sql: RawSQL) throws(PerennialError) -> [Int64] {
    let statement = try statement(of: sql)
    return try read { connection throws(SQLiteFailure) in
      let compiled = try connection.statement(.text(statement.sql)) { () throws(SQLiteFailure) in
        statement.sql
      }
      defer { compiled.clear() }
      try compiled.bind(statement.bindings)
      var keys: [Int64] = []
      while try compiled.step() { keys.append(compiled.integer(0)) }
      return keys
    }
  }
}
