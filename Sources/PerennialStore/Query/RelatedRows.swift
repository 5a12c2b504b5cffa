// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel

/// Reads the rows that a predicate reaches through relationships, each once per query.
package final class RelatedRows: RowReader {
  private let store: any RowProvider
  private var found: [ObjectReference: PageRow?] = [:]

  package init(_ store: any RowProvider) { self.store = store }

  package var model: ModelLayout { store.model }
  package var identifier: UUID { store.identifier }
  package var naming: StoreNaming { store.naming }

  package func row(of reference: ObjectReference) throws(PerennialError) -> PageRow? {
    if let row = found[reference] { return row }
    let query = StoreQuery(entity: reference.entity, scope: .keys([reference.key]))
    let row = try store.allRows(query).first
    found.updateValue(row, forKey: reference)
    return row
  }

  package func rows(
    of relationship: RelationshipLayout,
    owner: Int64
  ) throws(PerennialError) -> [PageRow] {
    guard relationship.isToMany else { return [] }
    return try store.allRows(
      StoreQuery(entity: relationship.destination, scope: .related(relationship, owner: owner))
    )
  }
}

extension RowProvider {
  /// The rows of a query, all at once.
  package func allRows(_ query: StoreQuery) throws(PerennialError) -> [PageRow] {
    var rows: [PageRow] = []
    try fetchRows(query) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    return rows
  }
}
