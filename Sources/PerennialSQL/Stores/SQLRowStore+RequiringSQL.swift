// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
package import PerennialStore

extension SQLRowStore {
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
    let isLeftToMemory = { (sort: FetchSort) in
      sorts.terms(for: [sort], entity: query.entity) == nil
    }
    guard let sort = query.sorts.first(where: isLeftToMemory) else {
      throw Self.needsMemory(
        "the sorts are too many for one statement",
        "sort by fewer keys",
        entity: entity
      )
    }
    throw Self.needsMemory(
      "the sort by '\(sort.key)' has no column with an order",
      "sort by an attribute of one entity with numbers, dates or text",
      entity: entity
    )
  }

  package func checkForSQL(_ query: ProjectionQuery) throws(PerennialError) {
    try checkForSQL(query.rows)
    let translation = try translation(of: query.rows)
    var translator = ProjectionTranslator(query, schema: schema, store: identifier)
    if translator.statement(translation) != nil { return }
    throw Self.needsMemory(
      translator.obstacle,
      "fetch stored attributes, counts, sums of integers, and least or greatest values",
      entity: model.entities[query.rows.entity].name
    )
  }

  /// The error of a request that must be answered by SQL alone and cannot.
  ///
  /// - Parameters:
  ///   - reason: What is in the way, as the end of a sentence.
  ///   - advice: What to do about it.
  ///   - entity: The name of the entity.
  /// - Returns: The error.
  package static func needsMemory(
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
