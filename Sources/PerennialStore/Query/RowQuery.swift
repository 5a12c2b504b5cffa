// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialPredicate

/// Filtering, sorting and windowing in memory, for stores and contexts that have no other way.
package enum RowQuery {
  /// The rows that a query's condition selects, sorted, within its window.
  ///
  /// - Parameters:
  ///   - rows: The rows of the query's scope.
  ///   - query: The query; its scope is not looked at.
  ///   - reader: Gives related rows.
  /// - Returns: The rows.
  /// - Throws: A format error, or values that cannot be compared.
  package static func select(
    _ rows: [PageRow],
    for query: StoreQuery,
    reader: some RowReader
  ) throws(PerennialError) -> [PageRow] {
    var sources = rows.map { RowSource($0, reader: reader) }
    if let predicate = try query.predicate?.checked() {
      let prepared = PreparedPredicate(predicate)
      var selected: [RowSource] = []
      for source in sources {
        try query.cancellation?.check()
        if try isTrue(prepared, for: source) { selected.append(source) }
      }
      sources = selected
    }
    if !query.sorts.isEmpty {
      sources = try order(sources, keys: sources.map(\.row.key), by: query.sorts).map {
        sources[$0]
      }
    }
    let rest = sources.dropFirst(max(0, query.offset))
    return (query.limit > 0 ? rest.prefix(query.limit) : rest).map(\.row)
  }

  /// The places of sources in the order of sorts; equal ones in the order of their keys, which falls
  /// where the last sort falls.
  package static func order(
    _ sources: [some KeyValueSource],
    keys: [Int64],
    by sorts: [FetchSort]
  ) throws(PerennialError) -> [Int] {
    var values: [[PropertyValue]] = []
    values.reserveCapacity(sources.count)
    let paths = SortPaths(sorts)
    for source in sources { values.append(try paths.values(of: source)) }
    let isFalling = sorts.last?.ascending == false
    return sources.indices.sorted { left, right in
      for (number, sort) in sorts.enumerated() {
        let order = sort.order(values[left][number], values[right][number])
        if order != 0 { return order < 0 }
      }
      return isFalling ? keys[left] > keys[right] : keys[left] < keys[right]
    }
  }

  /// Whether a predicate that was made ready for many sources holds for one.
  package static func isTrue(
    _ predicate: PreparedPredicate,
    for source: some KeyValueSource
  ) throws(PerennialError) -> Bool {
    try predicate.evaluate(PredicateEvaluator(.object(source)))
  }

  /// Rows as pages, for stores that give them out.
  package static func pages(_ rows: [PageRow], of model: ModelLayout) -> [RowPage] {
    PageBuilder.pages(
      of: rows.lazy.map {
        ($0.pointer, PackedRow.byteCount($0.pointer, model.entities[$0.entity]))
      }
    )
  }
}
