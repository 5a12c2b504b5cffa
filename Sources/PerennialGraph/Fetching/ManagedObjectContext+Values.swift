// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore

// Fetches that give values instead of objects.

extension ManagedObjectContext {
  /// Fetches values of the objects that a request selects, or of groups of them, as dictionaries.
  ///
  /// ```swift
  /// var request = FetchRequest<Commit>()
  /// request.propertiesToFetch = [
  ///   "author", .expression(ExpressionDescription("newest", format: "max(date)"))]
  /// request.propertiesToGroupBy = ["author"]
  /// for row in try context.fetchDictionaries(request) {
  ///   print(row["author"] ?? "nobody", row["newest"] ?? "-")
  /// }
  /// ```
  ///
  /// Values have the Swift types of ``ManagedObject/value(forKey:)``. A to-one relationship gives the ID of its
  /// object, and `objectID` gives the object's own. An absent value has no entry; if the entity has no stored
  /// attributes, and nothing else is named, each object is an empty dictionary. Sorts may name computed values.
  /// Groups and distinct results that are equal under all sorts come in the order of their values.
  ///
  /// **Unsaved changes of the context do not count**, whatever the request says: dictionaries show what is
  /// stored, or, in a child context, what its parent has.
  ///
  /// Core Data: a request with `NSFetchRequestResultType.dictionaryResultType`.
  ///
  /// - Parameter request: What to fetch: its ``FetchRequest/propertiesToFetch``,
  ///   ``FetchRequest/propertiesToGroupBy``, ``FetchRequest/havingPredicate``,
  ///   ``FetchRequest/returnsDistinctResults``, condition, sorts, limit and offset.
  /// - Returns: A dictionary for each object or group.
  /// - Throws: `invalidRequest` (200008) for what does not go together: a to-many relationship, a value
  ///   that is neither grouped nor an aggregate, a condition on groups without groups; otherwise what
  ///   ``fetch(_:file:line:)`` throws.
  /// - Complexity: One statement where SQL can express everything; otherwise the values are computed in memory
  ///   from the rows.
  @_disfavoredOverload
  public func fetchDictionaries<Object>(
    _ request: FetchRequest<Object>
  ) throws(PerennialError) -> [[String: any Sendable]] {
    let query = try projection(for: request)
    if request.requiresSQL { try store.checkForSQL(query) }
    guard request.affects(coordinator.naming) else { return [] }
    try prepareToRead(showing: nil)
    faulting.statistics.fetchQueries += 1
    guard !query.columns.isEmpty else {
      return Array(repeating: [:], count: try resultCount(ofColumnless: query))
    }
    let table = try store.fetchValues(query)
    let names = query.columns.map(\.name)
    return (0..<table.rowCount).map { row in
      var values: [String: any Sendable] = [:]
      for (name, value) in zip(names, table[row]) { values[name] = value.sendable }
      return values
    }
  }

  /// How many results there are of an entity that has no stored attributes, when none are named.
  private func resultCount(
    ofColumnless query: ProjectionQuery
  ) throws(PerennialError) -> Int {
    var rows = query.rows
    rows.limit = query.isDistinct ? 1 : query.limit
    rows.offset = query.offset
    // All results are equal.
    return query.isDistinct && query.offset > 0 ? 0 : try store.count(rows)
  }

  /// The store's projection for a request, with every name checked.
  func projection<Object>(
    for request: FetchRequest<Object>
  ) throws(PerennialError) -> ProjectionQuery {
    try request.checkNumbers()
    return try ProjectionPlanner.plan(
      request.projection,
      of: try query(for: request.rows),
      in: store.model
    )
  }

  /// Fetches the IDs of the objects that a request selects, unsaved changes included.
  ///
  /// The fetch loads only what decides which objects these are.
  ///
  /// Core Data: a request with `NSFetchRequestResultType.managedObjectIDResultType`.
  ///
  /// - Parameter request: What to fetch.
  /// - Returns: The IDs, in the order of the request's sorts.
  /// - Throws: What ``fetch(_:file:line:)`` throws.
  public func fetchObjectIDs<Object>(
    _ request: FetchRequest<Object>
  ) throws(PerennialError) -> [ManagedObjectID] {
    let references = try fetchReferences(query(for: request), request.includesPendingChanges)
    return references.map { reference in
      current(reference).map { objectID(of: $0) } ?? objectID(of: reference)
    }
  }
}
