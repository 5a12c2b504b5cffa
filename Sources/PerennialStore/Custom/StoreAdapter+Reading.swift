// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate

extension StoreAdapter {
  package func answer(
    _ query: StoreQuery,
    alsoReaching others: Set<Int>
  ) throws(PerennialError) -> SnapshotAnswer {
    try inTurn { turn throws(PerennialError) -> SnapshotAnswer in
      try answer(query, others, &turn)
    }
  }

  private func answer(
    _ query: StoreQuery,
    _ others: Set<Int>,
    _ turn: inout Turn
  ) throws(PerennialError) -> SnapshotAnswer {
    if keepsRows {
      let snapshot = snapshot(try kept(&turn))
      return SnapshotAnswer(rows: try snapshot.select(query), snapshot: snapshot)
    }
    var loader = makeLoader()
    let root = model.entities[query.entity].root
    let reached = try reached(by: query).union(others)
    switch query.scope {
    case .all: return try fetch(query, others, &loader)
    case .keys(let keys):
      try loader.loadTables(reached)
      try loader.loadRows(root: root, keys: keys)
    case .related(let relationship, let owner), .relatedMember(let relationship, let owner, _):
      try loader.loadTables(reached)
      try loader.loadMembers(of: relationship, owners: [owner])
    }
    if !reached.isEmpty { try loader.loadLists(among: reached.union([root])) }
    let snapshot = snapshot(loader.state)
    return SnapshotAnswer(rows: try snapshot.select(query), snapshot: snapshot)
  }

  package func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    let count = try inTurn { turn throws(PerennialError) -> Int in
      try self.count(query, &turn)
    }
    tally.note(rows: 1)
    return count
  }

  private func count(_ query: StoreQuery, _ turn: inout Turn) throws(PerennialError) -> Int {
    guard case .all = query.scope, !keepsRows else {
      return try answer(query, [], &turn).rows.count
    }
    let push = Push(query, claims)
    var request = request(for: query, push)
    (request.sorts, request.limit, request.offset) = ([], 0, 0)
    guard query.predicate == nil || push.filters,
      let all = try PerennialError.reading({ try unlessRefused { try store.count(request) } })
    else { return try answer(query, [], &turn).rows.count }
    let rest = max(0, all - max(0, query.offset))
    return query.limit > 0 ? min(rest, query.limit) : rest
  }

  package func snapshot(
    ofMembers relationship: RelationshipLayout,
    _ owners: [Int64]
  ) throws(PerennialError) -> InMemorySnapshot {
    try inTurn { turn throws(PerennialError) -> InMemorySnapshot in
      if keepsRows { return snapshot(try kept(&turn)) }
      var loader = makeLoader()
      try loader.loadMembers(of: relationship, owners: owners)
      return snapshot(loader.state)
    }
  }

  // MARK: Asking the store

  /// Which parts of a query the store does itself.
  private struct Push {
    var filters: Bool
    var sorts: Bool
    var limits: Bool

    init(_ query: StoreQuery, _ claims: StoreCapabilities) {
      filters = query.predicate != nil && claims.contains(.filter)
      sorts = !query.sorts.isEmpty && claims.contains(.sort)
      // A window is right only over all that comes before it.
      limits =
        claims.contains(.limit) && filters == (query.predicate != nil)
        && sorts == !query.sorts.isEmpty && query.hasWindow
    }

    /// Leaves out what the store would not do, and all that comes after it.
    ///
    /// Of a request that has nothing of what was refused, the rest goes: it must not be made again.
    mutating func give(up refusal: PreferInMemory) {
      if refusal == .filter || !(sorts || limits) { filters = false }
      (sorts, limits) = (false, false)
    }

    var isEmpty: Bool { !filters && !sorts && !limits }
  }

  private func request(for query: StoreQuery, _ push: Push) -> StoreRequest {
    var request = wholeRequest(for: query)
    if push.filters { request.predicate = query.predicate }
    if push.sorts { request.sorts = query.sorts }
    if push.limits { (request.limit, request.offset) = (query.limit, max(0, query.offset)) }
    return request
  }

  /// A request for all rows of a query's entities.
  func wholeRequest(for query: StoreQuery) -> StoreRequest {
    StoreRequest(
      table: vocabulary.table(ofRoot: model.entities[query.entity].root),
      entityNames: Set(entities(of: query).map { model.entities[$0].name })
    )
  }

  /// The places of the entities of the rows that a query is about.
  private func entities(of query: StoreQuery) -> Range<Int> {
    let entity = model.entities[query.entity]
    return query.includesSubentities ? entity.family : entity.index..<entity.index + 1
  }

  /// Fetches from all rows of an entity: what the store can do, then the rest.
  private func fetch(
    _ query: StoreQuery,
    _ others: Set<Int>,
    _ loader: inout StoreLoader
  ) throws(PerennialError) -> SnapshotAnswer {
    let root = model.entities[query.entity].root
    var push = Push(query, claims)
    var rows: [StoreRow]?
    while rows == nil {
      let request = request(for: query, push)
      do throws(Refusal) {
        rows = try fetch(request)
      } catch {
        guard case .preferInMemory(let refusal) = error, !push.isEmpty else {
          throw error.perennialError
        }
        push.give(up: refusal)
      }
    }
    let wanted = entities(of: query)
    let packed = try coder.pack(rows ?? [], table: vocabulary.table(ofRoot: root))
      .filter { wanted.contains($0.entity) }
    var rest = query
    if push.filters { rest.predicate = nil }
    if push.sorts { rest.sorts = [] }
    if push.limits { (rest.limit, rest.offset) = (0, 0) }
    let reached = try reached(by: rest).union(others)
    try loader.loadTables(reached)
    if !reached.isEmpty {
      loader.keep(packed, root: root)
      try loader.loadLists(among: reached.union([root]))
    }
    let snapshot = snapshot(loader.state)
    let isInOrder = push.sorts || !rest.sorts.isEmpty
    let source = isInOrder ? packed : packed.sorted { $0.key < $1.key }
    return SnapshotAnswer(rows: try snapshot.select(rest, from: source), snapshot: snapshot)
  }

  /// Why a store did not answer.
  private enum Refusal: Error {
    case preferInMemory(PreferInMemory)
    case failed(PerennialError)

    var perennialError: PerennialError {
      switch self {
      case .failed(let error): error
      case .preferInMemory:
        PerennialError(
          .persistentStoreOpen,
          "The store refuses a request that asks for rows only.",
          recovery: "mend the store: throw 'PreferInMemory' only for predicates and sorts"
        )
      }
    }
  }

  private func fetch(_ request: StoreRequest) throws(Refusal) -> [StoreRow] {
    do {
      return try store.fetch(request)
    } catch let refusal as PreferInMemory {
      throw .preferInMemory(refusal)
    } catch {
      throw .failed(PerennialError(storeError: error, during: .persistentStoreOpen))
    }
  }

  // MARK: States

  func makeLoader() -> StoreLoader { StoreLoader(store, claims, vocabulary, coder) }

  /// Whether everything that is stored is kept here.
  var keepsRows: Bool { claims.contains(.unshared) && !claims.contains(.filter) }

  /// Everything that is stored, read if it has not been.
  func kept(_ turn: inout Turn) throws(PerennialError) -> InMemoryState {
    if let state = turn.kept { return state }
    var loader = makeLoader()
    let roots = Set(model.entities.map(\.root))
    try loader.loadTables(roots)
    try loader.loadLists(among: roots)
    turn.kept = loader.state
    return loader.state
  }

  func snapshot(_ state: InMemoryState) -> InMemorySnapshot {
    InMemorySnapshot(state: state, identifier: identifier)
  }

  /// The places of the root entities that a query reaches through relationships.
  private func reached(by query: StoreQuery) throws(PerennialError) -> Set<Int> {
    Set(try QueryChecker(model).relatedEntities(of: query).map { model.entities[$0].root })
  }
}
