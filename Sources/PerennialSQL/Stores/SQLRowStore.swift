// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
package import PerennialStore

/// A store whose rows lie in tables of an SQL engine: what such stores have in common.
///
/// What SQL cannot say of a query they do as one: they filter, sort and cut in memory the rows that SQL selects.
package protocol SQLRowStore: RowStore {
  /// The names of the tables and columns, and the dialect.
  var schema: StoreSchema { get }

  /// The indexes of texts that the store has; `nil` for none.
  var textIndexes: (any TextIndexes)? { get }

  /// Gives the rows that SQL selects.
  ///
  /// - Parameters:
  ///   - query: The query.
  ///   - translation: What SQL says of it. When it is not complete, there is neither an order nor a window.
  ///   - body: Called with each page as soon as it is filled.
  /// - Throws: What the store could not read; pages may have been given before.
  func fetchRows(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    _ body: (RowPage) -> Void
  ) throws(PerennialError)

  /// How the rows of a query are read.
  func plan(of query: StoreQuery) -> RowPlan

  /// The steps that a statement gives which tells how another one is run.
  func steps(explainedBy question: SelectStatement) throws(PerennialError) -> [String]

  /// The values that a statement gives; `nil` when a sum does not fit into an integer.
  func values(of projection: ProjectionStatement) throws(PerennialError) -> ValueTable?
}

extension StoreQuery {
  /// Whether the scope alone decides the SQL.
  package var isPlain: Bool {
    predicate == nil && sorts.isEmpty && limit == 0 && offset == 0
  }

  /// Whether the statement gives at most one row: a limit that memory sees to is none of its.
  package func expectsOne(_ translation: QueryTranslation) -> Bool {
    switch scope {
    case .keys(let keys): keys.count == 1
    case .relatedMember: true
    case .all, .related: limit == 1 && translation.isComplete
    }
  }
}
