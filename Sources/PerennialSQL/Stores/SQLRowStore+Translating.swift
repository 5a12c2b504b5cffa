// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate
package import PerennialStore

extension SQLRowStore {
  /// Gives the rows of a query that is no look-up: what SQL selects, filtered, sorted and cut in memory if need be.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - body: Called with each page.
  /// - Throws: What the store could not read; pages may have been given before.
  package func fetchRows(
    translating query: StoreQuery,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let translation = try translation(of: query)
    guard translation.isComplete else {
      var query = query
      query.slots = nil
      for page in RowQuery.pages(try select(query, translation), of: model) { body(page) }
      return
    }
    try fetchRows(query, translation, body)
  }

  /// A query's predicate and sorts in SQL, as far as SQL can say them.
  ///
  /// - Parameter query: The query.
  /// - Returns: The translation.
  /// - Throws: The error of a predicate that was not made well.
  package func translation(of query: StoreQuery) throws(PerennialError) -> QueryTranslation {
    var translation = QueryTranslation()
    if let node = try query.predicate?.checked() {
      var translator = PredicateTranslator(
        schema: schema,
        store: identifier,
        textIndexes: textIndexes
      )
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
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - translation: What SQL says of it, which is not all.
  /// - Returns: The rows, in the query's order, its window applied.
  /// - Throws: What could not be read, or why memory cannot evaluate the rest.
  package func select(
    _ query: StoreQuery,
    _ translation: QueryTranslation
  ) throws(PerennialError) -> [PageRow] {
    var rows: [PageRow] = []
    try fetchRows(query, translation) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    return try RowQuery.select(
      rows,
      for: translation.remainder(of: query),
      reader: RelatedRows(self)
    )
  }
}
