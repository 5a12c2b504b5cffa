// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
import PerennialModel
package import PerennialPredicate

/// Turns sorts into the terms of ORDER BY.
///
/// Absent values come first ascending and last descending, as Core Data has it. Equal rows are in the
/// order of their keys, falling where the last sort falls, as in every store: so an index on the
/// sorted columns gives them in either direction.
package struct SortTranslator {
  private let schema: StoreSchema
  private let store: UUID

  package init(schema: StoreSchema, store: UUID) {
    self.schema = schema
    self.store = store
  }

  /// The terms over `t0`, or `nil` when a key is not stored or has an order that the engine lacks, or when
  /// they are more than it compiles.
  package func terms(for sorts: [FetchSort], entity: Int) -> [String]? {
    var translator = PredicateTranslator(schema: schema, store: store)
    let scope = PredicateTranslator.Scope(object: .init(entity: entity, alias: "t0"))
    let limits = schema.dialect.limits
    guard sorts.count <= limits.termCount else { return nil }
    var account = SQLLimits.Account(limits)
    var terms: [String] = []
    for sort in sorts {
      let path = ExpressionNode.object.appending(sort.steps)
      guard case .value(let text, let kind)? = translator.operand(path, scope), kind.isOrdered,
        text.bindings.isEmpty,
        let term = schema.dialect.order(
          text.sql,
          kind == .string ? sort.comparison : .binary,
          ascending: sort.ascending
        ), account.admit(term, [])
      else { return nil }
      terms.append(term)
    }
    let key = schema.rows.keyOfQuery
    return terms + [sorts.last?.ascending == false ? key + " DESC" : key]
  }
}
