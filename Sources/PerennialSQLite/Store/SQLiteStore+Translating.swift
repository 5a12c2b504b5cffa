// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

extension SQLiteStore {
  /// A query's predicate and sorts in SQL, as far as SQL can say them.
  ///
  /// - Throws: The error of a predicate that was not made well.
  func translation(of query: StoreQuery) throws(PerennialError) -> QueryTranslation {
    var translation = QueryTranslation()
    if let node = try query.predicate?.checked() {
      var translator = PredicateTranslator(schema: schema, store: identifier)
      translation.condition = translator.translate(node, entity: query.entity)
    }
    if !query.sorts.isEmpty {
      translation.order = SortTranslator(schema: schema, store: identifier)
        .terms(for: query.sorts, entity: query.entity)
    }
    return translation
  }

  /// The rows of a query that SQL cannot answer alone: what it selects is filtered, sorted and cut
  /// in memory.
  func select(
    _ query: StoreQuery,
    _ translation: QueryTranslation
  ) throws(PerennialError) -> [PageRow] {
    var rows: [PageRow] = []
    try fetchRows(query, translation) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    var rest = query
    rest.predicate = translation.condition.residual
    return try RowQuery.select(rows, for: rest, reader: RelatedRows(store: self))
  }
}

/// Reads the rows on the other side of relationships for predicates in memory, each once.
private final class RelatedRows: PerennialStore.RowReader {
  private struct Owner: Hashable {
    let entity: Int
    let relationship: RelationshipLayout.Place
    let key: Int64
  }

  private let store: SQLiteStore
  private var rows: [ObjectReference: PageRow?] = [:]
  private var members: [Owner: [PageRow]] = [:]

  init(store: SQLiteStore) { self.store = store }

  var model: ModelLayout { store.model }
  var identifier: UUID { store.identifier }

  func row(of reference: ObjectReference) throws(PerennialError) -> PageRow? {
    if let known = rows[reference] { return known }
    let query = StoreQuery(entity: reference.entity, scope: .keys([reference.key]))
    let row = try fetch(query).first
    rows[reference] = .some(row)
    return row
  }

  func rows(
    of relationship: RelationshipLayout,
    owner: Int64
  ) throws(PerennialError) -> [PageRow] {
    let owner = Owner(entity: relationship.entity, relationship: relationship.place, key: owner)
    if let known = members[owner] { return known }
    let scope = StoreQuery.Scope.related(relationship, owner: owner.key)
    let rows = try fetch(StoreQuery(entity: relationship.destination, scope: scope))
    members[owner] = rows
    return rows
  }

  private func fetch(_ query: StoreQuery) throws(PerennialError) -> [PageRow] {
    var rows: [PageRow] = []
    try store.fetchRows(query) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    return rows
  }
}
