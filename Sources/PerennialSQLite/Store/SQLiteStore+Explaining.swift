// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialStore

extension SQLiteStore {
  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    let translation = try translation(of: query)
    let statement = select(query, translation, .rows)
    let sql = "EXPLAIN QUERY PLAN " + statement.sql
    let plan = try read { connection throws(SQLiteFailure) in
      let explaining = try connection.statement(.text(sql)) { () throws(SQLiteFailure) in sql }
      defer { explaining.clear() }
      try explaining.bind(statement.bindings)
      var steps: [String] = []
      while try explaining.step() { steps.append(explaining.text(3)) }
      return steps
    }
    return FetchExplanation(
      sql: statement.sql,
      bindings: statement.bindings.map(\.description),
      plan: plan,
      inMemory: translation.isComplete ? [] : translation.remainder(of: query).memoryWork
    )
  }
}

extension SQLiteStore {
  /// How often statements that write have run, for tests of how many a save takes.
  package func writeCount() throws(PerennialError) -> Int {
    try write { connection throws(SQLiteFailure) in connection.runCount }
  }
}

extension SQLValue: CustomStringConvertible {
  /// The value as SQL writes it; bytes as their number.
  var description: String {
    switch self {
    case .null: "NULL"
    case .integer(let value): "\(value)"
    case .double(let value): "\(value)"
    case .text(let value): "'\(value)'"
    case .blob(let value): "\(value.count) bytes"
    }
  }
}
