// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
public import PerennialModel
import PerennialPredicate
public import PerennialStore

extension ManagedObjectContext {
  /// Fetches the objects that a request selects, unsaved changes included.
  ///
  /// With a ``FetchRequest/fetchBatchSize``, the objects are faults that load batch by batch.
  ///
  /// A new object that meets the condition is among them, a deleted one is not, and a changed one
  /// counts with its changed values. Before the fetch, new objects that have the unique values of stored
  /// ones are merged with these, if the ``mergePolicy`` says how. A request without
  /// ``FetchRequest/includesPendingChanges`` does not merge them.
  ///
  /// Core Data: `NSManagedObjectContext.fetch(_:)`.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - file: The file of the call, for warnings; leave it out.
  ///   - line: The line of the call, for warnings; leave it out.
  /// - Returns: The objects, in the order of the request's sorts.
  /// - Throws: A format error (200001), an unknown name (200003), values that cannot be compared
  ///   (200002 and 200004), a setting that this fetch cannot have (200008), what ``FetchRequest/requiresSQL``
  ///   and ``FetchRequest/requiresIndex`` refuse (200007 and 200010), what ``processPendingChanges()`` throws, or
  ///   the store's error.
  /// - Complexity: One statement, and time and memory in the number of objects; and one statement for each
  ///   500 new unique values that have not been looked up since somebody saved objects of the entity. A limit
  ///   bounds the rows that are read, and each changed object adds one to the bound. With unsaved changes, a limit
  ///   does not bound them in a child context, where a sort follows a relationship, where the condition follows one
  ///   to a changed entity, or in a sorted fetch of objects whose `awakeFromFetch()` sets stored attributes.
  public func fetch<Object>(
    _ request: FetchRequest<Object>,
    file: StaticString = #fileID,
    line: UInt = #line
  ) throws(PerennialError) -> [Object] {
    noteFetch(of: request.entityName, at: file, line)
    let objects = try objects(of: request, limit: request.fetchLimit)
    // Safe because `entity(of:)` has checked that the entity's class is `Object` or a subclass.
    return unsafeBitCast(objects, to: [Object].self)
  }

  private func objects<Object>(
    of request: FetchRequest<Object>,
    limit: Int
  ) throws(PerennialError) -> [ManagedObject] {
    if let (lookUp, value) = try lookUp(request, limit: limit) {
      return try self.objects(of: lookUp, value)
    }
    return try search(request, limit: limit)
  }

  /// The objects of a request that is more than a look-up.
  private func search<Object>(
    _ request: FetchRequest<Object>,
    limit: Int
  ) throws(PerennialError) -> [ManagedObject] {
    var query = try query(for: request)
    query.limit = limit
    let prefetches = try prefetches(of: request)
    let areFaults = isForFaults(request)
    let objects =
      try areFaults
      ? fetchFaults(query, request) : fetchObjects(query, request.includesPendingChanges)
    if !prefetches.isEmpty { try prefetch(prefetches, for: objects) }
    if request.shouldRefreshRefetchedObjects {
      if areFaults {
        try refetchUnchanged(objects, root: homes[query.entity].layout.root)
      }
      refetch(objects)
    }
    return objects
  }

  /// Fetches the first object that a request selects.
  ///
  /// - Parameter request: What to fetch; its limit is ignored.
  /// - Returns: The object, or `nil` when there is none.
  /// - Throws: What ``fetch(_:file:line:)`` throws.
  public func first<Object>(
    _ request: FetchRequest<Object>
  ) throws(PerennialError) -> Object? {
    let found =
      if let (lookUp, value) = try lookUp(request, limit: 1) {
        try firstObject(of: lookUp, value)
      } else {
        try search(request, limit: 1).first
      }
    guard let object = found else { return nil }
    // Safe because `entity(of:)` has checked that the entity's class is `Object` or a subclass.
    return unsafeDowncast(object, to: Object.self)
  }

  /// Counts the objects that a request selects, unsaved changes included, without fetching them.
  ///
  /// If objects of the request's entity have unsaved changes, the store gives the IDs of the stored objects. The
  /// objects are fetched only if the condition follows a relationship to an entity with unsaved changes.
  ///
  /// Core Data: `NSManagedObjectContext.count(for:)`.
  ///
  /// - Parameter request: What to count, within its offset and limit.
  /// - Returns: The number of objects.
  /// - Throws: What ``fetch(_:file:line:)`` throws.
  public func count<Object>(
    for request: FetchRequest<Object>
  ) throws(PerennialError) -> Int {
    let query = try query(for: request)
    try prepareToRead(showing: request.includesPendingChanges ? query.entity : nil)
    faulting.statistics.fetchQueries += 1
    guard request.includesPendingChanges, try changesMatter(to: query) else {
      return try store.count(query)
    }
    return try PendingFetch(context: self, query: query).count()
  }

  /// Explains how the store answers a request: the statement, its values and its plan.
  ///
  /// - Parameter request: What to explain: a fetch of dictionaries if the request has groups, distinct results or
  ///   computed values, otherwise a fetch of objects.
  /// - Returns: The explanation, which ignores unsaved changes of the context.
  /// - Throws: What ``fetch(_:file:line:)`` throws.
  public func explain<Object>(
    _ request: FetchRequest<Object>
  ) throws(PerennialError) -> FetchExplanation {
    guard request.isOnlyForValues else { return try store.explain(try query(for: request)) }
    return try store.explain(try projection(for: request))
  }

  /// The store's query for a request, with every name checked.
  func query<Object>(
    for request: FetchRequest<Object>
  ) throws(PerennialError) -> StoreQuery {
    try check(request)
    var query = StoreQuery(
      entity: try entity(of: request),
      predicate: request.predicate,
      sorts: request.sortDescriptors,
      limit: request.fetchLimit,
      offset: request.fetchOffset
    )
    query.includesSubentities = request.includesSubentities
    try QueryChecker(store.model).check(query)
    restrict(&query, to: request.affectedStores)
    if request.requiresSQL { try store.checkForSQL(query) }
    if request.requiresIndex { try store.checkForIndex(query) }
    return query
  }

  /// Lets a query ask only some stores; `nil` for all.
  func restrict(_ query: inout StoreQuery, to stores: Set<UUID>?) {
    guard let stores else { return }
    if coordinator.combined != nil { query.stores = stores }
    if !stores.contains(where: { coordinator.naming.names($0) }) {
      query.predicate = FetchPredicate(.constant(false))
    }
  }

  /// Throws for numbers that are none, names that are none, and settings that only dictionaries can have.
  private func check<Object>(_ request: FetchRequest<Object>) throws(PerennialError) {
    try request.checkNumbers()
    if request.isOnlyForValues { throw .onlyForDictionaries(request.entityName) }
    guard !request.propertiesToFetch.isEmpty else { return }
    var names = request.rows
    names.propertiesToFetch = request.propertiesToFetch
    _ = try projection(for: names)
  }

  /// The entity of a request, which the class says unless the request has another name.
  func entity<Object>(of request: FetchRequest<Object>) throws(PerennialError) -> Int {
    if let home = latestHome(of: Object.self), home.pointee.layout.name == request.entityName {
      return home.pointee.layout.index
    }
    let home = try home(named: request.entityName)
    guard home.pointee.type is Object.Type else {
      throw .wrongClass(found: request.entityName, expected: Object.entityName)
    }
    latestHome = home
    return home.pointee.layout.index
  }

  func fetchObjects(
    _ query: StoreQuery,
    _ includesPendingChanges: Bool
  ) throws(PerennialError) -> [ManagedObject] {
    try prepareToRead(showing: includesPendingChanges ? query.entity : nil)
    faulting.statistics.fetchQueries += 1
    var objects: [ManagedObject] = []
    guard includesPendingChanges, try changesMatter(to: query) else {
      try store.fetchRows(query) { page in
        objects.makeRoom(for: page.count)
        append(page, to: &objects)
      }
      noteLiveObjects()
      return awakened(objects)
    }
    return awakened(try PendingFetch(context: self, query: query).objects())
  }
}
