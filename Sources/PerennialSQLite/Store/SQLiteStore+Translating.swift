// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore

extension SQLiteStore {
  /// A query's predicate and sorts in SQL, as far as SQL can say them.
  ///
  /// - Throws: The error of a predicate that was not made well.
  func translation(of query: StoreQuery) throws(PerennialError) -> QueryTranslation {
    var translation = QueryTranslation()
    if let node = try query.predicate?.checked() {
      var translator = PredicateTranslator(
        schema: schema,
        store: identifier,
        textIndexes: fullTextIndexes.isEmpty ? nil : FullTextIndexes(indexes: fullTextIndexes)
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
  func select(
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
