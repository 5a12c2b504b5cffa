// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store that is asked through snapshots: what they answer is the same for all of them.
///
/// A snapshot is a value, and works without a lock.
package protocol SnapshotStore: RowStore {
  /// The rows that a query selects, and a snapshot with what they lead to.
  ///
  /// - Parameters:
  ///   - query: What to fetch.
  ///   - others: The root entities of further rows that somebody will go on to.
  /// - Returns: The rows, in the query's order, and the snapshot.
  /// - Throws: What the store could not read.
  func answer(
    _ query: StoreQuery,
    alsoReaching others: Set<Int>
  ) throws(PerennialError) -> SnapshotAnswer

  /// A snapshot with the members of some owners.
  func snapshot(
    ofMembers relationship: RelationshipLayout,
    _ owners: [Int64]
  ) throws(PerennialError) -> InMemorySnapshot

  /// Counts what the store is asked.
  var tally: RequestTally { get }
}

/// The rows that a query selects, and a snapshot with what they lead to.
package struct SnapshotAnswer: Sendable {
  let rows: [PageRow]
  let snapshot: InMemorySnapshot
}

extension SnapshotStore {
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
    let rows = try answer(query, alsoReaching: []).rows
    tally.note(rows: 1)
    return rows.count
  }

  package func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    let reached = Set(query.reached.map { model.entities[$0].root })
    let answer = try answer(query.rows, alsoReaching: reached)
    let table = try ProjectionEvaluator(query).evaluate(answer.rows, reader: answer.snapshot)
    tally.note(rows: table.rowCount)
    return table
  }

  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    let rows = try snapshot(ofMembers: relationship, owners)
      .memberRows(of: relationship, owners: owners, limit: limit)
    tally.note(rows: rows.pages.reduce(0) { $0 + $1.count })
    return rows
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    let state = try snapshot(ofMembers: relationship, owners).state
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
    let rows = try answer(query, alsoReaching: []).rows
    tally.note(rows: rows.count)
    return rows
  }
}
