// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialPredicate
import Synchronization

/// A store of a third party as contexts know stores.
///
/// What the store does not claim is done here, by the code of the in-memory store, on the rows that it
/// gives.
///
/// Invariants: the store is called by one thread at a time, under `turn`; `kept` has everything that
/// is stored, and only a store that claims `unshared` and no `filter` has it.
package final class StoreAdapter: SnapshotStore {
  /// What changes from call to call.
  struct Turn {
    var kept: InMemoryState?
    var metadata: PersistentStoreMetadata
    /// The last change sets that the store was given.
    var attempted: [UInt64] = []
    /// The history of a store that does not claim to keep one.
    var history: InMemoryHistory
    /// Whether the store keeps a history: others may turn it on at any time.
    var keepsHistory: Bool
    /// Whether the history keeps the values that updates and deletions replace: others may ask for it at any time.
    var keepsOldValues: Bool
  }

  package let model: ModelLayout
  package let identifier: UUID
  package let capabilities: StoreCapabilities
  package let tally = RequestTally()
  let store: any PersistentStore
  /// What the store claims.
  let claims: StoreCapabilities
  let isReadOnly: Bool
  let vocabulary: StoreVocabulary
  let coder: StoreRowCoder
  private let turn: Mutex<Turn>

  /// Opens a store, or makes a new one where there is none.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - model: The model.
  ///   - isReadOnly: Whether nothing may be written.
  ///   - history: How the store keeps history; one that has a history goes on with it.
  /// - Throws: The store's error, or `incompatibleVersionHash` (134100) when it has another model.
  package init(
    _ store: any PersistentStore,
    model: ModelLayout,
    isReadOnly: Bool = false,
    history: HistoryOptions = HistoryOptions()
  ) throws(PerennialError) {
    let metadata = try Self.open(store, model, isReadOnly: isReadOnly)
    self.store = store
    self.model = model
    self.isReadOnly = isReadOnly
    identifier = metadata.storeID
    claims = store.capabilities
    capabilities = claims.union(.cacheableRows)
    vocabulary = StoreVocabulary(model)
    coder = StoreRowCoder(model: model, identifier: metadata.storeID)
    let head =
      claims.contains(.history)
      ? try StoredHistory(store: store, identifier: identifier).head() : nil
    let keepsOldValues = history.keepsOldValues || head?.keepsOldValues == true
    turn = Mutex(
      Turn(
        metadata: metadata,
        history: .anew(keepsOldValues: keepsOldValues),
        keepsHistory: history.isOn || head != nil,
        keepsOldValues: keepsOldValues
      )
    )
  }

  // MARK: Writing

  package func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    try checkWritable()
    let table = vocabulary.table(ofRoot: root)
    let first = try inTurn { _ throws(PerennialError) -> Int64 in
      try PerennialError.writing { try store.reserveKeys(count, of: table) }
    }
    let keys = StoreRowCoder.keys
    guard keys.contains(first), Int64(count) - 1 <= keys.upperBound - first else {
      throw PerennialError(
        .persistentStoreSave,
        "The store gave a key of '\(table)' that is none.",
        recovery: "mend the store: keys begin at 1 and have 47 bits"
      )
    }
    return first
  }

  package func save(_ changes: ChangeSet) throws(SaveFailure) {
    guard !changes.isEmpty else { return }
    tally.note(rows: 0)
    let conflicts: [SaveConflict]
    do throws(PerennialError) {
      try checkWritable()
      conflicts = try inTurn { turn throws(PerennialError) -> [SaveConflict] in
        try write(changes, &turn)
      }
    } catch {
      throw .failed(error)
    }
    if !conflicts.isEmpty { throw .conflicts(conflicts) }
  }

  func checkWritable() throws(PerennialError) {
    if isReadOnly { throw .readOnly(nil) }
  }

  // MARK: Taking turns

  package var keepsHistory: Bool { turn.withLock { $0.keepsHistory } }

  /// Runs a closure while nobody else uses the store.
  func inTurn<Result: Sendable>(
    _ body: (inout Turn) throws(PerennialError) -> Result
  ) throws(PerennialError) -> Result {
    let result: Swift.Result<Result, PerennialError> = turn.withLock { turn in
      do throws(PerennialError) {
        return .success(try body(&turn))
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}
