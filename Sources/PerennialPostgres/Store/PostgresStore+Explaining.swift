// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
package import PerennialSQL

extension PostgresStore {
  package func steps(explainedBy question: SelectStatement) throws(PerennialError) -> [String] {
    let steps = try run(question)
    return (0..<steps.count).map { steps.text($0, 0) }
  }
}
#endif
