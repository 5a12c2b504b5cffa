// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
import PerennialModel

extension InMemoryState {
  /// The state that a save makes of this one.
  ///
  /// - Parameters:
  ///   - changes: What is saved.
  ///   - store: The store's identifier.
  ///   - recorder: Gathers the history of the save; `nil` when none is kept.
  ///   - isRepeated: Whether this state may already have been made by an earlier save of the set.
  /// - Returns: The next state.
  /// - Throws: Every conflict, or why a derived attribute cannot be computed.
  package func saving(
    _ changes: ChangeSet,
    store: UUID,
    recorder: HistoryRecorder? = nil,
    isRepeated: Bool = false
  ) throws(SaveFailure) -> InMemoryState {
    var next = self
    next.indexConstraints(of: changes)
    next.apply(changes)
    let conflicts = conflicts(with: changes, after: next, isRepeated: isRepeated)
    guard conflicts.isEmpty else { throw .conflicts(conflicts) }
    do throws(PerennialError) {
      try next.derive(changes.derivations, recorder: recorder) {
        InMemoryReader(state: $0, identifier: store)
      }
    } catch {
      throw .failed(error)
    }
    if let recorder {
      record(changes, after: next, store: store, in: recorder)
      next.keepHistory(of: recorder, author: changes.author, store: store)
    }
    return next
  }
}
