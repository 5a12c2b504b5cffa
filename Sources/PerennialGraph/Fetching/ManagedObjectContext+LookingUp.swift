// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// Fetches by one attribute's value: `first(Commit.filter("sha == \(sha)"))`.

extension ManagedObjectContext {
  /// The objects of a request that is no more than a look-up, while nothing is unsaved that could
  /// change its answer.
  ///
  /// - Parameters:
  ///   - request: What to fetch.
  ///   - limit: The greatest number of objects, in place of the request's; 0 for all.
  /// - Returns: The objects, or `nil` when the request must take the general way.
  /// - Throws: What ``fetch(_:)`` throws.
  func lookUp<Object>(
    _ request: FetchRequest<Object>,
    limit: Int
  ) throws(PerennialError) -> [ManagedObject]? {
    guard !hasChanges, let predicate = request.predicate, isPlain(request) else { return nil }
    let entity = try entity(of: request)
    guard
      let lookUp = LookUp(
        try predicate.checked(),
        of: homes[entity].layout,
        includesSubentities: request.includesSubentities,
        limit: limit
      )
    else { return nil }
    try prepareToRead()
    guard !hasChanges else { return nil }
    faulting.statistics.fetchQueries += 1
    var objects: [ManagedObject] = []
    try store.fetchRows(lookUp) { page in append(page, to: &objects) }
    noteLiveObjects()
    return awakened(objects)
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
