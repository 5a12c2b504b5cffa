// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// Holds a query's names and types against the model before any row is looked at.
package struct QueryChecker {
  private let model: ModelLayout

  package init(_ model: ModelLayout) { self.model = model }

  /// Checks the predicate and the sorts.
  ///
  /// - Throws: A format error (200001), a name that the entity lacks (200003), text ordered
  ///   against a number (200004), or a sort that is no attribute reached by to-one relationships.
  package func check(_ query: StoreQuery) throws(PerennialError) {
    let entity = model.entities[query.entity]
    if let predicate = try query.predicate?.checked() {
      var walk = PredicateWalk(model: model)
      try walk.visit(predicate, scope: .init(object: .objects(entity.index)))
    }
    for sort in query.sorts { try check(sort, of: entity) }
  }

  /// Checks the names of a value that is computed of a row of an entity.
  ///
  /// - Throws: A name that the entity lacks (200003), or a variable (200002).
  package func check(_ value: ExpressionNode, entity: Int) throws(PerennialError) {
    var walk = PredicateWalk(model: model)
    _ = try walk.type(of: value, scope: .init(object: .objects(entity)))
  }

  /// The entities that a query reaches through relationships, the related rows' own included.
  package func relatedEntities(of query: StoreQuery) throws(PerennialError) -> Set<Int> {
    var walk = PredicateWalk(model: model)
    let entity = model.entities[query.entity]
    if let predicate = try query.predicate?.checked() {
      try walk.visit(predicate, scope: .init(object: .objects(entity.index)))
    }
    for sort in query.sorts {
      _ = try walk.type(
        of: sort.steps,
        from: .objects(entity.index)
      )
    }
    return walk.reached
  }

  private func check(_ sort: FetchSort, of entity: EntityLayout) throws(PerennialError) {
    var walk = PredicateWalk(model: model)
    switch try walk.type(of: sort.steps, from: .objects(entity.index)) {
    case .attribute: return
    case .objects, .identity, .many, .unknown: throw .notSortable(sort.key, of: entity)
    }
  }
}

extension PerennialError {
  /// A sort by something that has no order.
  static func notSortable(_ key: String, of entity: EntityLayout) -> PerennialError {
    PerennialError(
      .unknownName,
      "'\(entity.name)' cannot be sorted by '\(key)', which is not an attribute.",
      recovery: "name an attribute, or one of a to-one relationship: 'author.name'",
      entity: entity.name,
      property: key
    )
  }
}
