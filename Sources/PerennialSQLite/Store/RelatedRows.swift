// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Reads the rows that a predicate reaches through relationships, each once per query.
final class RelatedRows: RowReader {
  private let store: SQLiteStore
  private var found: [ObjectReference: PageRow?] = [:]

  init(_ store: SQLiteStore) { self.store = store }

  var model: ModelLayout { store.model }
  var identifier: UUID { store.identifier }

  func row(of reference: ObjectReference) throws(PerennialError) -> PageRow? {
    if let row = found[reference] { return row }
    let query = StoreQuery(entity: reference.entity, scope: .keys([reference.key]))
    let row = try store.pageRows(query).first
    found.updateValue(row, forKey: reference)
    return row
  }

  func rows(
    of relationship: RelationshipLayout,
    owner: Int64
  ) throws(PerennialError) -> [PageRow] {
    guard relationship.isToMany else { return [] }
    return try store.pageRows(
      StoreQuery(entity: relationship.destination, scope: .related(relationship, owner: owner))
    )
  }
}

extension SQLiteStore {
  /// The rows of a query, all at once.
  func pageRows(_ query: StoreQuery) throws(PerennialError) -> [PageRow] {
    var rows: [PageRow] = []
    try fetchRows(query) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    return rows
  }
}
