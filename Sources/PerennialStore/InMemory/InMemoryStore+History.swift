// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
import Synchronization

extension InMemoryStore: HistoryStore {
  package var keepsHistory: Bool { historyOptions.isOn }

  package func historyExtent() throws(PerennialError) -> HistoryExtent {
    state.withLock { $0.history.extent }
  }

  package func history(
    _ query: HistoryQuery
  ) throws(PerennialError) -> [PersistentHistoryTransaction] {
    state.withLock { $0.history }.select(query)
  }

  package func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    state.withLock { $0.history.delete(before: place) }
  }

  package func noteOwnTransactions() {}

  package func isOwn(transaction number: Int64) -> Bool { true }

  package func forgetOwnTransactions(through number: Int64) {}

  /// What gathers the changes of a save; `nil` without history.
  func makeRecorder() -> HistoryRecorder? {
    guard historyOptions.isOn else { return nil }
    return HistoryRecorder(model: model, keepsOldValues: historyOptions.keepsOldValues)
  }
}

extension InMemoryState {
  /// Appends what was noted to the history.
  mutating func keepHistory(
    of recorder: HistoryRecorder,
    author: ChangeSet.Author,
    store: UUID
  ) {
    let draft = recorder.draft { root, keys in
      let rows = keys.compactMap { tables[root][$0] }
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.key, $0.entity) })
    }
    history.append(draft, author: author, model: model, store: store)
  }
}
