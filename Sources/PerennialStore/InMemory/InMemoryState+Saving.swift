// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
import PerennialModel

extension InMemoryState {
  /// The state that a save makes of this one, with the history of the save if it has a history.
  ///
  /// - Parameters:
  ///   - changes: What is saved.
  ///   - store: The store's identifier.
  ///   - isRepeated: Whether this state may already have been made by an earlier save of the set.
  /// - Returns: The next state.
  /// - Throws: Every conflict, or why a derived attribute cannot be computed.
  package func saving(
    _ changes: ChangeSet,
    store: UUID,
    isRepeated: Bool = false
  ) throws(SaveFailure) -> InMemoryState {
    let recorder = history.map {
      HistoryRecorder(model: model, keepsOldValues: $0.keepsOldValues)
    }
    var next = self
    next.indexConstraints(of: changes)
    next.apply(changes)
    let conflicts = conflicts(with: changes, after: next, isRepeated: isRepeated)
    guard conflicts.isEmpty else { throw .conflicts(conflicts) }
    do throws(PerennialError) {
      try next.derive(changes.derivations, store: store) { slot, entity, key in
        recorder?.noteDerived(slot, of: entity, [key])
      }
    } catch {
      throw .failed(error)
    }
    if let recorder {
      let draft = draft(of: changes, after: next, store: store, recorder)
      next.history?.append(draft, author: changes.author, model: model, store: store)
    }
    return next
  }
}
