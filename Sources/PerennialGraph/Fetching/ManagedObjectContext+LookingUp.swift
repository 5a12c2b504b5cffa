// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// Fetches by one attribute's value: `first(Commit.filter("sha == \(sha)"))`.

extension ManagedObjectContext {
  /// The search that a request is, and the value that it looks for, if it is no more than that and nothing is unsaved
  /// that could change its answer; the context is then ready to be read.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - limit: The greatest number of objects, in place of the request's; 0 for all.
  /// - Returns: The search, or `nil` when the request must take the general way.
  /// - Throws: What ``fetch(_:file:line:)`` throws.
  func lookUp<Object>(
    _ request: FetchRequest<Object>,
    limit: Int
  ) throws(PerennialError) -> (LookUp, PropertyValue)? {
    guard isPlain(request) else { return nil }
    let isAtRest = isAtRest
    guard isAtRest || !hasEdits else { return nil }
    let entity = try entity(of: request)
    guard let (name, value) = try request.predicate?.equality(),
      let lookUp = LookUp(
        name,
        of: homes[entity].layout,
        includesSubentities: request.includesSubentities,
        limit: limit
      )
    else { return nil }
    if !isAtRest {
      try prepareToRead()
      guard !hasEdits else { return nil }
    }
    faulting.statistics.fetchQueries += 1
    return (lookUp, value)
  }

  /// The objects that a search finds.
  func objects(
    of lookUp: LookUp,
    _ value: consuming PropertyValue
  ) throws(PerennialError) -> [ManagedObject] {
    var objects: [ManagedObject] = []
    try store.fetchRows(lookUp, .one(value)) { page in append(page, to: &objects) }
    noteLiveObjects()
    return awakened(objects)
  }

  /// The only object that a search of limit 1 finds, unless its hook deletes it.
  func firstObject(
    of lookUp: LookUp,
    _ value: consuming PropertyValue
  ) throws(PerennialError) -> ManagedObject? {
    var found: ManagedObject?
    try store.fetchRows(lookUp, .one(value)) { page in
      if found == nil { found = object(of: PageRow(page: page, index: 0)) }
    }
    noteLiveObjects()
    guard let found else { return nil }
    let before = mutationCount
    awaken(found)
    tellRefetched()
    return mutationCount != before && found.isDeleted ? nil : found
  }

  private func isPlain<Object>(_ request: FetchRequest<Object>) -> Bool {
    request.sortDescriptors.isEmpty && request.fetchOffset == 0 && request.fetchLimit >= 0
      && !request.isOnlyForValues && !isForFaults(request)
      && !request.shouldRefreshRefetchedObjects
      && request.relationshipKeyPathsForPrefetching.isEmpty && !request.requiresSQL
      && !request.requiresIndex && request.affectedStores == nil
      && request.propertiesToFetch.isEmpty
  }
}
