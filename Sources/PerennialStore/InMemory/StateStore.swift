// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store whose rows all lie in memory: what it is asked is answered here, once for all of them.
///
/// A reader takes the whole state, a value, and works on it without a lock.
package protocol StateStore: RowStore {
  /// The rows, pairs and orders at this moment.
  ///
  /// - Throws: What a store that keeps its state elsewhere could not read.
  func currentState() throws(PerennialError) -> InMemoryState

  /// Counts what the store is asked.
  var tally: RequestTally { get }
}

extension StateStore {
  package func fetchRows(
    _ query: StoreQuery,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    for page in RowQuery.pages(try select(query), of: model) { body(page) }
  }

  package func fetchReferences(
    _ query: StoreQuery
  ) throws(PerennialError) -> [ObjectReference] {
    try select(query).map { ObjectReference(key: $0.key, entity: $0.entity) }
  }

  package func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    let rows = try rows(of: query).rows
    tally.note(rows: 1)
    return rows.count
  }

  package func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    let (rows, reader) = try rows(of: query.rows)
    let table = try ProjectionEvaluator(query).evaluate(rows, reader: reader)
    tally.note(rows: table.rowCount)
    return table
  }

  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    let rows = try snapshot().memberRows(of: relationship, owners: owners, limit: limit)
    tally.note(rows: rows.pages.reduce(0) { $0 + $1.count })
    return rows
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    let state = try currentState()
    let counts = state.members(of: relationship, owners: owners).mapValues(\.count)
    tally.note(rows: counts.count)
    return counts
  }

  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    FetchExplanation(inMemory: query)
  }

  package var counters: StoreCounters { tally.counters }

  package var recorder: StatementRecorder { tally.recorder }

  private func select(_ query: StoreQuery) throws(PerennialError) -> [PageRow] {
    let rows = try rows(of: query).rows
    tally.note(rows: rows.count)
    return rows
  }

  /// The rows that a query selects, and the state that they are of.
  private func rows(
    of query: StoreQuery
  ) throws(PerennialError) -> (rows: [PageRow], reader: InMemorySnapshot) {
    let snapshot = try snapshot()
    return (try snapshot.select(query), snapshot)
  }

  private func snapshot() throws(PerennialError) -> InMemorySnapshot {
    InMemorySnapshot(state: try currentState(), identifier: identifier)
  }
}
