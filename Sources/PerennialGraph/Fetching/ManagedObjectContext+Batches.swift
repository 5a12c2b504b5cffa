// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

// Fetches that bring identities first and rows when they are needed.

extension ManagedObjectContext {
  /// Fetches the IDs of the objects that a request selects, as a list that loads rows batch by batch.
  ///
  /// The list makes an object when you ask for it, and holds it only while its batch is one of those that
  /// were used last. Until then, an element takes 8 bytes. The list is that of the moment of the fetch;
  /// unsaved changes count as in ``fetch(_:file:line:)``.
  ///
  /// ```swift
  /// let commits = try context.fetch(Commit.sorted(by: \.date, .reverse), batchSize: 20)
  /// print(commits.count, commits[0].message)      // two queries: identities, then 20 rows
  /// ```
  ///
  /// Core Data: the array proxy of `NSFetchRequest.fetchBatchSize`; SwiftData:
  /// `ModelContext.fetch(_:batchSize:)`.
  ///
  /// - Parameters:
  ///   - request: What to fetch. The relationships that it prefetches are loaded with each batch. With
  ///     ``FetchRequest/shouldRefreshRefetchedObjects``, objects that the context already has are read again, too.
  ///   - batchSize: How many rows to load at a time; 0 for the request's own size, or else 20.
  /// - Returns: The list.
  /// - Throws: What ``fetch(_:file:line:)`` throws.
  /// - Complexity: One statement, and time and memory in the number of IDs.
  public func fetch<Object>(
    _ request: FetchRequest<Object>,
    batchSize: Int
  ) throws(PerennialError) -> FetchResultsCollection<Object> {
    let query = try query(for: request)
    let prefetches = try prefetches(of: request)
    let references = try fetchReferences(query, request.includesPendingChanges)
    let size = batchSize > 0 ? batchSize : request.fetchBatchSize > 0 ? request.fetchBatchSize : 20
    let list = BatchedList(
      context: self,
      references: references,
      root: homes[query.entity].layout.root,
      batchSize: size,
      prefetches: prefetches,
      refetches: request.shouldRefreshRefetchedObjects
    )
    return FetchResultsCollection(list)
  }

  /// Whether a request's objects are faults.
  func isForFaults<Object>(_ request: FetchRequest<Object>) -> Bool {
    request.returnsObjectsAsFaults
      && (request.fetchBatchSize > 0 || !request.includesPropertyValues)
  }

  /// The objects of a request as faults that know their batch.
  func fetchFaults<Object>(
    _ query: StoreQuery,
    _ request: FetchRequest<Object>
  ) throws(PerennialError) -> [ManagedObject] {
    let size = request.fetchBatchSize
    var objects: [ManagedObject] = []
    try fetchReferences(
      query,
      request.includesPendingChanges,
      inPiecesOf: size > 0 ? size : Self.pieceOfFaults
    ) { piece in
      let keys = size > 0 ? RowPage.keys(piece.lazy.map(\.key), for: .batch) : nil
      objects.makeRoom(for: piece.count)
      for reference in piece {
        let object = object(for: reference)
        if let keys, object._row == nil, object._page == nil { object._page = keys }
        objects.append(object)
      }
    }
    noteLiveObjects()
    return objects
  }

  /// How many identities become faults at a time where there are no batches.
  private static let pieceOfFaults = 1_024
  /// About how many identities are looked at together before they are brought into order.
  private static let pieceToOrder = 1 << 14

  /// Gives the identities that a query selects piece by piece, with pending changes if they count; without an
  /// order of its own by their keys.
  private func fetchReferences(
    _ query: StoreQuery,
    _ includesPendingChanges: Bool,
    inPiecesOf count: Int,
    _ body: (ArraySlice<ObjectReference>) -> Void
  ) throws(PerennialError) {
    try prepareToRead(showing: includesPendingChanges ? query.entity : nil)
    faulting.statistics.fetchQueries += 1
    guard includesPendingChanges, try changesMatter(to: query) else {
      guard query.sorts.isEmpty else {
        return try store.fetchReferences(query, inPiecesOf: count, body)
      }
      var order = KeyOrder()
      let pieceCount = count * max(1, Self.pieceToOrder / count)
      try store.fetchReferences(query, inPiecesOf: pieceCount) { piece in
        if order.take(piece) { return }
        for part in piece.batches(of: count) { body(part) }
      }
      return order.visit(inPiecesOf: count, body)
    }
    let references = try PendingFetch(context: self, query: query).references()
    for piece in references.batches(of: count) { body(piece) }
  }

  /// The identities that a query selects, with pending changes if they count; without an order of its own
  /// by their keys.
  func fetchReferences(
    _ query: StoreQuery,
    _ includesPendingChanges: Bool
  ) throws(PerennialError) -> [ObjectReference] {
    try prepareToRead(showing: includesPendingChanges ? query.entity : nil)
    faulting.statistics.fetchQueries += 1
    guard includesPendingChanges, try changesMatter(to: query) else {
      var references = try store.fetchReferences(query)
      if query.sorts.isEmpty { KeyOrder.sort(&references) }
      return references
    }
    return try PendingFetch(context: self, query: query).references()
  }

  /// Makes the objects without changes take what is stored, which a fetch of identities does not bring.
  func refetchUnchanged(_ objects: [ManagedObject], root: Int) throws(PerennialError) {
    let known = objects.filter { $0._edit == nil && $0._row != nil && $0._home != nil }
    for batch in known.batches(of: 500) {
      let query = StoreQuery(entity: root, scope: .keys(batch.map(\._key)))
      try store.fetchRows(query) { page in _ = materialise(page) }
    }
  }

  /// Makes the objects with changes read their other properties anew.
  func refetch(_ objects: [ManagedObject]) {
    let changed = objects.filter { $0._state == .updated }
    if !changed.isEmpty { refreshMerging(changed) }
  }
}
