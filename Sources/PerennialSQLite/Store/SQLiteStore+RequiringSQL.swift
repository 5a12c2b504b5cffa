// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
import PerennialSQL
package import PerennialStore

extension SQLiteStore {
  package func checkForSQL(_ query: StoreQuery) throws(PerennialError) {
    let translation = try translation(of: query)
    if translation.isComplete { return }
    let entity = model.entities[query.entity].name
    if let residual = try translation.condition.residual?.checked() {
      var translator = PredicateTranslator(schema: schema, store: identifier)
      guard let obstacle = translator.obstacle(in: residual, entity: query.entity) else {
        throw Self.needsMemory(
          "the predicate is too long, or its relationships are nested too deeply, for one statement",
          "split the request; of long lists, those of integers take one parameter",
          entity: entity
        )
      }
      throw Self.needsMemory(
        "'\(obstacle.part)' \(obstacle.reason)",
        obstacle.advice,
        entity: entity
      )
    }
    let sorts = SortTranslator(schema: schema, store: identifier)
    let sort = query.sorts.first { sorts.terms(for: [$0], entity: query.entity) == nil }
    throw Self.needsMemory(
      "the sort by '\(sort?.key ?? "")' has no column with an order",
      "sort by an attribute of one entity with numbers, dates or text",
      entity: entity
    )
  }

  static func needsMemory(
    _ reason: String,
    _ advice: String,
    entity: String
  ) -> PerennialError {
    PerennialError(
      .requiresMemory,
      "The request for '\(entity)' requires SQL, but \(reason).",
      recovery: "\(advice); or leave out requireSQL().",
      entity: entity
    )
  }
}
