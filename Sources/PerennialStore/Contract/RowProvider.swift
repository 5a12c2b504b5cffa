// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialPredicate

/// What a context reads from: a store, or the context above it.
///
/// What a provider cannot do itself (filter, sort) the helpers of this target do for it.
package protocol RowProvider: AnyObject {
  /// The model that the store was opened with.
  var model: ModelLayout { get }
  /// The store's identity: it never changes once the store exists.
  var identifier: UUID { get }
  /// How rows are named by IDs.
  var naming: StoreNaming { get }
  /// What the store promises beyond the operations.
  var capabilities: StoreCapabilities { get }

  /// Gives the rows that a query selects, page by page, in the query's order.
  ///
  /// - Parameters:
  ///   - query: What to fetch.
  ///   - body: Called with each page as soon as it is filled, while it is hot.
  /// - Throws: What the store could not read; pages may have been given before.
  func fetchRows(_ query: StoreQuery, _ body: (RowPage) -> Void) throws(PerennialError)

  /// Gives the rows of a look-up, as the query that it stands for would.
  func fetchRows(
    _ lookUp: LookUp,
    _ values: LookUp.Values,
    _ body: (RowPage) -> Void
  ) throws(PerennialError)

  /// The keys and concrete entities of the rows that a query selects, in the query's order.
  func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference]

  /// Gives the keys and concrete entities of the rows that a query selects piece by piece, in its order.
  ///
  /// - Parameters:
  ///   - query: What to fetch.
  ///   - count: How many to give at a time; the last piece may have fewer.
  ///   - body: Called with each piece; none is empty.
  /// - Throws: What the store could not read; pieces may have been given before.
  func fetchReferences(
    _ query: StoreQuery,
    inPiecesOf count: Int,
    _ body: (ArraySlice<ObjectReference>) -> Void
  ) throws(PerennialError)

  /// The keys and concrete entities of the rows that a query selects, in its order, with their values
  /// under sorts.
  func fetchSortKeys(
    _ query: StoreQuery,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys]

  /// The keys and concrete entities of the rows that a query selects, in its order, and where the value
  /// under a sort, the query's first, changes from one row to the next.
  func fetchReferences(
    _ query: StoreQuery,
    sectionedBy key: FetchSort
  ) throws(PerennialError) -> SectionedReferences

  /// The number of rows that a query selects, its window applied.
  func count(_ query: StoreQuery) throws(PerennialError) -> Int

  /// The values that a projection computes of the rows that it selects.
  func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable

  /// The rows that a to-many relationship of several owners leads to, in its order if it has one.
  ///
  /// - Parameters:
  ///   - relationship: The relationship.
  ///   - owners: The keys of the owners, each once.
  ///   - limit: After so many rows no further owner is begun; 0 for no limit.
  /// - Returns: The rows, owner by owner in the order of their keys; a row of two owners twice.
  /// - Throws: What the store could not read.
  func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows

  /// The numbers of rows that a to-many relationship of several owners leads to; none for 0.
  func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int]

  /// What the store does to answer a query.
  func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation

  /// What the store does to answer a projection.
  func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation

  /// Refuses a query that the store cannot answer by its own engine alone.
  ///
  /// A store without an engine refuses none.
  ///
  /// - Throws: `requiresMemory` (200007) that names the part in the way.
  func checkForSQL(_ query: StoreQuery) throws(PerennialError)

  /// Refuses a projection that the store cannot answer by its own engine alone, as for a query.
  func checkForSQL(_ query: ProjectionQuery) throws(PerennialError)

  /// Refuses a query for which the store would read a whole table; a store without tables refuses none.
  ///
  /// - Throws: `requiresIndex` (200010) that names the condition and the index to declare.
  func checkForIndex(_ query: StoreQuery) throws(PerennialError)

  /// The keys that a statement of the user's selects, in its order.
  ///
  /// - Throws: `invalidRequest` (200008) when the store has no SQL.
  func fetchKeys(_ sql: RawSQL) throws(PerennialError) -> [Int64]

  /// Sets keys aside for new rows; they are never given again.
  ///
  /// - Parameters:
  ///   - root: The place of the root entity.
  ///   - count: How many keys.
  /// - Returns: The first of `count` successive keys.
  /// - Throws: What the store could not write.
  func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64
}

extension RowProvider {
  package var naming: StoreNaming { StoreNaming(identifier) }

  package func fetchReferences(
    _ query: StoreQuery,
    inPiecesOf count: Int,
    _ body: (ArraySlice<ObjectReference>) -> Void
  ) throws(PerennialError) {
    for piece in try fetchReferences(query).batches(of: count) { body(piece) }
  }

  package func checkForSQL(_ query: StoreQuery) throws(PerennialError) {}
  package func checkForSQL(_ query: ProjectionQuery) throws(PerennialError) {}
  package func checkForIndex(_ query: StoreQuery) throws(PerennialError) {}

  package func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
    try explainInMemory(query)
  }

  /// What is done where the store gives the rows of a projection and its values are computed in memory.
  func explainInMemory(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
    let rows = try explain(query.rows)
    return FetchExplanation(
      sql: rows.sql,
      bindings: rows.bindings,
      plan: rows.plan,
      inMemory: rows.inMemory + query.memoryWork
    )
  }

  package func fetchKeys(_ sql: RawSQL) throws(PerennialError) -> [Int64] {
    throw PerennialError(
      .invalidRequest,
      "The store has no SQL to fetch by.",
      recovery: "use a predicate, or a SQLite store"
    )
  }
}
