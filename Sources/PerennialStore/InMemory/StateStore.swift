// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store whose rows all lie in memory: a snapshot has all of them.
package protocol StateStore: SnapshotStore {
  /// The rows, pairs and orders at this moment.
  ///
  /// - Throws: What a store that keeps its state elsewhere could not read.
  func currentState() throws(PerennialError) -> InMemoryState
}

extension StateStore {
  package func answer(
    _ query: StoreQuery,
    alsoReaching others: Set<Int>
  ) throws(PerennialError) -> SnapshotAnswer {
    let snapshot = try snapshot()
    return SnapshotAnswer(rows: try snapshot.select(query), snapshot: snapshot)
  }

  package func snapshot(
    ofMembers relationship: RelationshipLayout,
    _ owners: [Int64]
  ) throws(PerennialError) -> InMemorySnapshot {
    try snapshot()
  }

  private func snapshot() throws(PerennialError) -> InMemorySnapshot {
    InMemorySnapshot(state: try currentState(), identifier: identifier)
  }
}

extension StateStore where Self: HistoryStore {
  package func historyExtent() throws(PerennialError) -> HistoryExtent {
    guard let history = try currentState().history else { throw .noHistory }
    return history.extent
  }

  package func history(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    guard let history = try currentState().history else { throw .noHistory }
    return history.select(query)
  }
}
