// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore
import Synchronization

// Fetches whose reading neither blocks the context's actor nor a thread of the concurrency pool.

extension ManagedObjectContext {
  /// Fetches the objects that a request selects, reading the store on another thread.
  ///
  /// The caller waits without blocking its actor. If its task is cancelled, this read ends at once, and only this
  /// one; the context stays as it was. The objects are made where the context lives. They are loaded, whatever
  /// the request's ``FetchRequest/fetchBatchSize``. What happens in the context meanwhile counts: the result is
  /// that of the moment of the return. If saves overtake the read three times, the next one blocks the actor.
  ///
  /// ```swift
  /// let search = Task {
  ///   try await context.fetchInBackground(Commit.filter("message CONTAINS \(word)")).count
  /// }
  /// search.cancel()
  /// ```
  ///
  /// In a child context the call blocks: it asks the parent, which lives on the same actor.
  ///
  /// Core Data: `NSAsynchronousFetchRequest`.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - isolation: The actor that the context belongs to, which is the caller's.
  ///   - file: The file of the call, for warnings; leave it out.
  ///   - line: The line of the call, for warnings; leave it out.
  /// - Returns: The objects, in the order of the request's sorts.
  /// - Throws: `fetchCancelled` (200009), or what ``fetch(_:file:line:)`` throws.
  public func fetchInBackground<Object>(
    _ request: FetchRequest<Object>,
    isolation: isolated (any Actor)? = #isolation,
    file: StaticString = #fileID,
    line: UInt = #line
  ) async throws(PerennialError) -> [Object] {
    noteFetch(of: request.entityName, at: file, line)
    for _ in 0..<Self.attemptCount where parent == nil {
      if let objects = try await attempt(request, isolation: isolation) {
        // Safe because `entity(of:)` has checked that the entity's class is `Object` or a subclass.
        return unsafeBitCast(objects, to: [Object].self)
      }
    }
    if Task.isCancelled { throw .fetchCancelled }
    return try fetch(request, file: file, line: line)
  }

  /// How often rows are read that a save overtakes before the reading blocks the actor.
  private static let attemptCount = 3

  /// The objects of a request; `nil` when something was saved while its rows were read.
  private func attempt<Object>(
    _ request: FetchRequest<Object>,
    isolation: isolated (any Actor)?
  ) async throws(PerennialError) -> [ManagedObject]? {
    let query = try query(for: request)
    let prefetches = try prefetches(of: request)
    try prepareToRead(showing: request.includesPendingChanges ? query.entity : nil)
    let pending = PendingFetch(context: self, query: query)
    let changes = try pendingChanges(query, request.includesPendingChanges)
    let saveNumber = coordinator.saveNumber
    faulting.statistics.fetchQueries += 1
    let pages = try await RowLoading.pages(
      of: changes == .none ? query : pending.storedQuery(changes == .elsewhere),
      from: coordinator.store,
      isolation: isolation
    )
    try prepareToRead(showing: request.includesPendingChanges ? query.entity : nil)
    guard coordinator.saveNumber == saveNumber,
      try pendingChanges(query, request.includesPendingChanges) == changes
    else { return nil }
    var objects: [ManagedObject] = []
    for page in pages { append(page, to: &objects) }
    noteLiveObjects()
    if changes != .none { objects = try pending.objects(among: objects, changes == .elsewhere) }
    objects = awakened(objects)
    if !prefetches.isEmpty { try prefetch(prefetches, for: objects) }
    if request.shouldRefreshRefetchedObjects { refetch(objects) }
    return objects
  }

  /// What unsaved changes can decide about a query.
  private enum PendingChanges {
    case none
    /// Which objects of the query's entity it selects.
    case own
    /// What its condition and sorts find by way of relationships.
    case elsewhere
  }

  private func pendingChanges(
    _ query: StoreQuery,
    _ includesPendingChanges: Bool
  ) throws(PerennialError) -> PendingChanges {
    guard includesPendingChanges, try changesMatter(to: query) else { return .none }
    return try changesMatterElsewhere(to: query) ? .elsewhere : .own
  }
}

/// Reads rows on a thread of the store's choice.
private enum RowLoading {
  /// What was read.
  ///
  /// A continuation hands values over too, but the thread sanitizer sees only the lock.
  private final class Answer: Sendable {
    let pages = Mutex<Result<[RowPage], PerennialError>>(.success([]))
  }

  /// The rows of a query, page by page.
  ///
  /// - Throws: `fetchCancelled` when the task is cancelled, or the store's error.
  static func pages(
    of query: StoreQuery,
    from store: any RowStore,
    isolation: isolated (any Actor)?
  ) async throws(PerennialError) -> [RowPage] {
    let cancellation = FetchCancellation()
    var query = query
    query.cancellation = cancellation
    let cancellable = query
    let answer = Answer()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        store.readInBackground {
          let pages = read(cancellable, store)
          answer.pages.withLock { $0 = pages }
          continuation.resume()
        }
      }
    } onCancel: {
      cancellation.cancel()
    }
    return try answer.pages.withLock { $0 }.get()
  }

  private static func read(
    _ query: StoreQuery,
    _ store: any RowStore
  ) -> Result<[RowPage], PerennialError> {
    Result { () throws(PerennialError) in
      var pages: [RowPage] = []
      try query.cancellation?.check()
      try store.fetchRows(query) { pages.append($0) }
      try query.cancellation?.check()
      return pages
    }
  }
}
