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
package final class StoreAdapter: RowStore {
  /// What changes from call to call.
  struct Turn {
    var kept: InMemoryState?
    var metadata: PersistentStoreMetadata
    /// The last change sets that the store was given.
    var attempted: [UInt64] = []
    /// The history of a store that does not claim to keep one.
    var history: InMemoryHistory
  }

  package let model: ModelLayout
  package let identifier: UUID
  package let capabilities: StoreCapabilities
  package let recorder = StatementRecorder()
  let store: any PersistentStore
  /// What the store claims.
  let claims: StoreCapabilities
  let isReadOnly: Bool
  package let keepsHistory: Bool
  /// Whether the history keeps the values that updates and deletions replace.
  let keepsOldValues: Bool
  let vocabulary: StoreVocabulary
  let coder: StoreRowCoder
  private let turn: Mutex<Turn>
  private let counts = Mutex(StoreCounters())

  /// Opens a store, or makes a new one where there is none.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - model: The model.
  ///   - isReadOnly: Whether nothing may be written.
  ///   - history: How the store keeps history; one that has a history goes on with it.
  /// - Throws: The store's error, or `incompatibleVersionHash` (134,100) when it has another model.
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
    keepsHistory = history.isOn || head != nil
    let keepsOldValues = history.keepsOldValues || head?.keepsOldValues == true
    self.keepsOldValues = keepsOldValues
    turn = Mutex(Turn(metadata: metadata, history: .anew(keepsOldValues: keepsOldValues)))
  }

  package var counters: StoreCounters { counts.withLock { $0 } }

  // MARK: Reading

  package func fetchRows(
    _ query: StoreQuery,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    for page in RowQuery.pages(try select(query), of: model) { body(page) }
  }

  package func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference] {
    try select(query).map { ObjectReference(key: $0.key, entity: $0.entity) }
  }

  package func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    let count = try inTurn { turn throws(PerennialError) -> Int in
      try self.count(query, &turn)
    }
    note(rows: 1)
    return count
  }

  package func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    let table = try inTurn { turn throws(PerennialError) -> ValueTable in
      let reached = Set(query.reached.map { model.entities[$0].root })
      let (rows, snapshot) = try answer(query.rows, alsoReaching: reached, &turn)
      return try ProjectionEvaluator(query).evaluate(rows, reader: snapshot)
    }
    note(rows: table.rowCount)
    return table
  }

  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    let rows = try inTurn { turn throws(PerennialError) -> MemberRows in
      try snapshot(ofMembers: relationship, owners, &turn)
        .memberRows(of: relationship, owners: owners, limit: limit)
    }
    note(rows: rows.pages.reduce(0) { $0 + $1.count })
    return rows
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    let counts = try inTurn { turn throws(PerennialError) -> [Int64: Int] in
      try snapshot(ofMembers: relationship, owners, &turn)
        .state.members(of: relationship, owners: owners).mapValues(\.count)
    }
    note(rows: counts.count)
    return counts
  }

  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    FetchExplanation(inMemory: query)
  }

  private func select(_ query: StoreQuery) throws(PerennialError) -> [PageRow] {
    let rows = try inTurn { turn throws(PerennialError) -> [PageRow] in
      try answer(query, &turn).rows
    }
    note(rows: rows.count)
    return rows
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
    note(rows: 0)
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

  /// Counts a request and the rows that it gave.
  func note(rows: Int, request: StaticString = #function) {
    counts.withLock { $0 += StoreCounters(statements: 1, rows: rows) }
    if recorder.isOn { recorder.note(["\(request)"]) }
  }
}
