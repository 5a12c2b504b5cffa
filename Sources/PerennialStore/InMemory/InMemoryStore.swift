// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialPredicate
import Synchronization

/// The smallest correct store, rows in sorted tables: the oracle that other stores are held against.
///
/// A reader takes the whole state, a value, and works on it without a lock; a save makes a new state
/// and puts it in place when nothing conflicts.
package final class InMemoryStore: RowStore {
  package let model: ModelLayout
  package let identifier = UUID()
  package let capabilities: StoreCapabilities = [.cacheableRows]
  /// How the store keeps history.
  let historyOptions: HistoryOptions
  let state: Mutex<InMemoryState>
  private let counts = Mutex(StoreCounters())
  package let recorder = StatementRecorder()
  let notes = Mutex<[String: PropertyValue]>([:])

  package init(model: ModelLayout, history: HistoryOptions = HistoryOptions()) {
    self.model = model
    historyOptions = history
    state = Mutex(InMemoryState(model: model))
  }

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
    note(rows: 1)
    return rows.count
  }

  package func fetchValues(_ query: ProjectionQuery) throws(PerennialError) -> ValueTable {
    let (rows, reader) = try rows(of: query.rows)
    let table = try ProjectionEvaluator(query).evaluate(rows, reader: reader)
    note(rows: table.rowCount)
    return table
  }

  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    let state = state.withLock { $0 }
    let members = state.members(of: relationship, owners: Set(owners))
    var rows = MemberRows()
    var builder = PageBuilder()
    for owner in owners.sorted() {
      if rows.isFull(for: owner, limit: limit) { break }
      for row in members[owner] ?? [] {
        if builder.isFull, builder.hasRows { rows.append(builder.seal()) }
        rows.noteRow(of: owner, at: builder.rowCount)
        builder.copy(
          row.pointer,
          byteCount: PackedRow.byteCount(row.pointer, model.entities[row.entity])
        )
      }
    }
    if builder.hasRows { rows.append(builder.seal()) }
    note(rows: rows.pages.reduce(0) { $0 + $1.count })
    return rows
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    let state = state.withLock { $0 }
    let counts = state.members(of: relationship, owners: Set(owners)).mapValues(\.count)
    note(rows: counts.count)
    return counts
  }

  package func explain(_ query: StoreQuery) throws(PerennialError) -> FetchExplanation {
    FetchExplanation(inMemory: query)
  }

  package func reserveKeys(root: Int, count: Int) throws(PerennialError) -> Int64 {
    state.withLock { state in
      let first = state.nextKeys[root]
      state.nextKeys[root] += Int64(count)
      return first
    }
  }

  package func save(_ changes: ChangeSet) throws(SaveFailure) {
    note(rows: 0)
    let failure: SaveFailure? = state.withLock { state in
      var next = state
      next.apply(changes)
      let conflicts = state.conflicts(with: changes, after: next)
      guard conflicts.isEmpty else { return .conflicts(conflicts) }
      let recorder = makeRecorder()
      do throws(PerennialError) {
        try next.derive(changes.derivations, recorder: recorder) {
          InMemoryReader(state: $0, identifier: identifier)
        }
      } catch {
        return .failed(error)
      }
      if let recorder {
        state.record(changes, after: next, store: identifier, in: recorder)
        next.keepHistory(of: recorder, author: changes.author, store: identifier)
      }
      state = next
      return nil
    }
    if let failure { throw failure }
  }

  package var counters: StoreCounters { counts.withLock { $0 } }

  /// Counts a request and the rows that it gave.
  private func note(rows: Int, request: StaticString = #function) {
    counts.withLock { $0 += StoreCounters(statements: 1, rows: rows) }
    if recorder.isOn { recorder.note(["\(request)"]) }
  }

  private func select(_ query: StoreQuery) throws(PerennialError) -> [PageRow] {
    let rows = try rows(of: query).rows
    note(rows: rows.count)
    return rows
  }

  /// The rows that a query selects, and the state that they are of.
  private func rows(
    of query: StoreQuery
  ) throws(PerennialError) -> (rows: [PageRow], reader: InMemoryReader) {
    let snapshot = InMemoryReader(state: state.withLock { $0 }, identifier: identifier)
    var rest = query
    var matcher: RowMatcher?
    if let predicate = try query.predicate?.checked() {
      matcher = RowMatcher(predicate, of: model.entities[query.entity], in: model)
      if matcher != nil { rest.predicate = nil }
    }
    let rows = snapshot.state.rows(in: query, matching: matcher)
    return (try RowQuery.select(rows, for: rest, reader: snapshot), snapshot)
  }
}

/// The state of a store at one moment, for evaluating predicates.
private struct InMemoryReader: RowReader {
  let state: InMemoryState
  let identifier: UUID

  var model: ModelLayout { state.model }

  func row(of reference: ObjectReference) throws(PerennialError) -> PageRow? {
    state.tables[model.entities[reference.entity].root][reference.key]
  }

  func rows(
    of relationship: RelationshipLayout,
    owner: Int64
  ) throws(PerennialError) -> [PageRow] {
    state.members(of: relationship, owner: owner)
  }
}
