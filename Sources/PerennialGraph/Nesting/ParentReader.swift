// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialStore

/// A context as its children read it: its rows with its pending changes.
final class ParentReader: RowProvider {
  private let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  var model: ModelLayout { context.store.model }
  var identifier: UUID { context.store.identifier }
  var naming: StoreNaming { context.coordinator.naming }
  var capabilities: StoreCapabilities {
    context.store.capabilities.subtracting(.cacheableRows)
  }

  func fetchRows(_ query: StoreQuery, _ body: (RowPage) -> Void) throws(PerennialError) {
    try context.propagateDeletions()
    // The context keeps the rows.
    var query = query
    query.slots = nil
    guard try context.changesMatter(toServing: query) else {
      return try context.store.fetchRows(query) { page in
        context.catchUp(with: page)
        body(page)
      }
    }
    for page in context.pages(of: try context.serve(query)) { body(page) }
  }

  func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference] {
    try context.propagateDeletions()
    guard try context.changesMatter(toServing: query) else {
      return try context.store.fetchReferences(query)
    }
    return try context.serve(query).map(\._reference)
  }

  func fetchSortKeys(
    _ query: StoreQuery,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys] {
    try context.propagateDeletions()
    let projection = try ProjectionQuery(query, sorts: sorts, in: model)
    guard try context.changesMatter(toServing: projection) else {
      return try context.store.fetchSortKeys(query, sorts)
    }
    var rows: [SortKeys] = []
    let paths = SortPaths(sorts)
    for object in try context.serve(query) { rows.append(try SortKeys(of: object, paths)) }
    return rows
  }

  func fetchReferences(
    _ query: StoreQuery,
    sectionedBy key: FetchSort
  ) throws(PerennialError) -> SectionedReferences {
    try context.propagateDeletions()
    guard try context.changesMatter(toServing: query) else {
      return try context.store.fetchReferences(query, sectionedBy: key)
    }
    return SectionedReferences(try fetchSortKeys(query, [key]))
  }

  func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    try context.propagateDeletions()
    guard try context.changesMatter(toServing: query) else { return try context.store.count(query) }
    return try context.serve(query).count
  }

  func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    try context.propagateDeletions()
    guard try context.changesMatter(toServing: query) else {
      return try context.store.fetchValues(query)
    }
    let objects = try context.serve(query.rows)
    return try ProjectionEvaluator(query)
      .evaluate(objects.map { (source: ObjectSource($0), key: $0._key.ordered) })
  }

  func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    try context.store.explain(query)
  }

  func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
    try context.store.explain(query)
  }

  func checkForSQL(_ query: StoreQuery) throws(PerennialError) {
    try context.store.checkForSQL(query)
  }

  func checkForSQL(_ query: ProjectionQuery) throws(PerennialError) {
    try context.store.checkForSQL(query)
  }

  func checkForIndex(_ query: StoreQuery) throws(PerennialError) {
    try context.store.checkForIndex(query)
  }

  func fetchKeys(_ sql: RawSQL) throws(PerennialError) -> [Int64] {
    try context.store.fetchKeys(sql)
  }

  func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try context.store.reserveKeys(root: root, count: count)
  }
}
