// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import Synchronization

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

extension InMemoryStore: HistoryStore {
  package func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    state.withLock { $0.history?.delete(before: place) ?? 0 }
  }
}
