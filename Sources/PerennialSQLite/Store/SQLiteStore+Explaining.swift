// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialSQL

extension SQLiteStore {
  package func steps(explainedBy question: SelectStatement) throws(PerennialError) -> [String] {
    try read { connection throws(SQLiteFailure) in
      let explaining = try connection.statement(.text(question.sql)) { () throws(SQLiteFailure) in
        question.sql
      }
      defer { explaining.clear() }
      try explaining.bind(question.bindings)
      var steps: [String] = []
      while try explaining.step() { steps.append(explaining.text(3)) }
      return steps
    }
  }
}

extension SQLiteStore {
  /// How often statements that write have run, for tests of how many a save takes.
  package func writeCount() throws(PerennialError) -> Int {
    try write { connection throws(SQLiteFailure) in connection.runCount }
  }
}
