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
  func fetchRows(_ lookUp: LookUp, _ body: (RowPage) -> Void) throws(PerennialError)

  /// The keys and concrete entities of the rows that a query selects, in the query's order.
  func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference]

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
  /// - Throws: `requiresMemory` (200,007) that names the part in the way.
  func checkForSQL(_ query: StoreQuery) throws(PerennialError)

  /// Refuses a projection that the store cannot answer by its own engine alone, as for a query.
  func checkForSQL(_ query: ProjectionQuery) throws(PerennialError)

  /// Refuses a query for which the store would read a whole table; a store without tables refuses none.
  ///
  /// - Throws: `requiresIndex` (200,010) that names the condition and the index to declare.
  func checkForIndex(_ query: StoreQuery) throws(PerennialError)

  /// The keys that a statement of the user's selects, in its order.
  ///
  /// - Throws: `invalidRequest` (200,008) when the store has no SQL.
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
  package func checkForSQL(_ query: StoreQuery) throws(PerennialError) {}
  package func checkForSQL(_ query: ProjectionQuery) throws(PerennialError) {}
  package func checkForIndex(_ query: StoreQuery) throws(PerennialError) {}

  package func explain(_ query: ProjectionQuery) throws(PerennialError) -> FetchExplanation {
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

/// What a store does for the contexts on it: the operations of a provider, and one that writes.
///
/// A store knows no context and no object. It is called synchronously, from any thread, also from
/// several at once, and guards its own state. Nothing here assumes a file.
package protocol PersistentStore: RowProvider, Sendable {
  /// What has been asked of the store so far; faults are not its business.
  var counters: StoreCounters { get }

  /// Keeps the texts of the statements that are counted, when it is on.
  var recorder: StatementRecorder { get }

  /// Writes a change set: all of it or nothing.
  ///
  /// After a failure the same set may be given again, with its identifier: keys are reserved by then,
  /// and rows that the store has already written for it are no conflict. Equal rows that another set
  /// has written are one: two that raise a counter from 5 to 6 must not both succeed. A store keeps
  /// no page of a set that it has not saved, but in the conflicts that it reports: lent pages go back
  /// to their lender.
  ///
  /// - Throws: Every conflict at once, or the error that stopped the store.
  func save(_ changes: ChangeSet) throws(SaveFailure)

  /// Changes all rows that a query selects without reading them, if the store has an engine for it.
  ///
  /// - Returns: What it did, or `nil` when nothing was done: the rows must be read and saved.
  /// - Throws: The error that stopped the store; then nothing is written.
  func execute(_ statement: BatchStatement) throws(PerennialError) -> BatchOutcome?
}

extension PersistentStore {
  package func execute(_ statement: BatchStatement) throws(PerennialError) -> BatchOutcome? { nil }
}

/// What a store promises beyond the contract's operations.
package struct StoreCapabilities: OptionSet, Sendable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// What is saved outlives the process.
  package static let durable = StoreCapabilities(rawValue: 1)
  /// Predicates and sorts are done by an engine of the store's own.
  package static let queryEngine = StoreCapabilities(rawValue: 2)
  /// Rows of this process's readers change only by `save`, so that they may be kept for others.
  package static let cacheableRows = StoreCapabilities(rawValue: 4)
}
