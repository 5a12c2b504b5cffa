// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import Synchronization

/// The smallest correct store, rows in sorted tables: the oracle that other stores are held against.
///
/// A save makes a new state and puts it in place when nothing conflicts.
package final class InMemoryStore: StateStore {
  package let model: ModelLayout
  package let identifier = UUID()
  package let capabilities: StoreCapabilities = [.cacheableRows]
  package let keepsHistory: Bool
  let state: Mutex<InMemoryState>
  package let tally = RequestTally()
  let notes = Mutex<[String: PropertyValue]>([:])
  private let isReadOnly: Bool

  package init(
    model: ModelLayout,
    isReadOnly: Bool = false,
    history: HistoryOptions = HistoryOptions()
  ) {
    self.model = model
    self.isReadOnly = isReadOnly
    keepsHistory = history.isOn
    var state = InMemoryState(model: model)
    if history.isOn { state.history = InMemoryHistory(keepsOldValues: history.keepsOldValues) }
    self.state = Mutex(state)
  }

  /// A store of rows that are there already, without a history.
  package init(_ state: InMemoryState) {
    model = state.model
    isReadOnly = false
    keepsHistory = false
    var state = state
    state.history = nil
    self.state = Mutex(state)
  }

  package func currentState() -> InMemoryState { state.withLock { $0 } }

  package func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    state.withLock { state in
      let first = state.nextKeys[root]
      state.nextKeys[root] += Int64(count)
      return first
    }
  }

  package func save(_ changes: ChangeSet) throws(SaveFailure) {
    tally.note(rows: 0)
    if isReadOnly, !changes.isEmpty { throw .failed(.readOnly(nil)) }
    try state.withLock { state throws(SaveFailure) in
      state = try state.saving(changes, store: identifier)
    }
  }

  func checkWritable() throws(PerennialError) {
    if isReadOnly { throw .readOnly(nil) }
  }
}

extension InMemoryStore: HistoryStore {
  package func deleteHistory(before place: HistoryPlace) throws(PerennialError) -> Int {
    try checkWritable()
    return state.withLock { $0.history?.delete(before: place) ?? 0 }
  }
}
