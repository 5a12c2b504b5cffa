// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// From a changed object back to the rows that it decides about, by to-one relationships: those that the
// store knows, and those that unsaved changes have made.

extension ResultsReader {
  /// The keys of rows that lead to changed objects.
  ///
  /// - Parameter news: What has changed.
  /// - Returns: The keys; `nil` when they cannot be found.
  /// - Throws: What cannot be read.
  func keys(reaching news: ResultsNews) throws(PerennialError) -> Set<Int64>? {
    let roots = Set(query.reached.map { model.entities[$0].root })
    guard roots.contains(where: { news.touched[$0]?.isEmpty == false }) else { return [] }
    guard let paths = query.paths else { return nil }
    var keys: Set<Int64> = []
    for path in paths {
      let changed = news.changed(path.root)
      guard !changed.isEmpty else { continue }
      guard changed.count <= Self.reachedLimit, !isUnknownBelow(changed, path.root, news)
      else { return nil }
      keys.formUnion(try storedKeys(leadingTo: changed, by: path))
      guard query.countsEdits, context.hasEdits else { continue }
      keys.formUnion(leading(editedObjects, to: changed, by: path.steps[...]))
      for middle in paths where path.goes(through: middle) {
        let owners = owners(at: middle, leadingTo: changed, by: path)
        guard owners.count <= Self.reachedLimit else { return nil }
        keys.formUnion(try storedKeys(leadingTo: owners, by: middle))
      }
    }
    return keys
  }

  /// The keys of the objects with changes in the middle of a path from which its rest leads to some objects.
  private func owners(
    at middle: ResultsQuery.ReachingPath,
    leadingTo targets: Set<Int64>,
    by path: ResultsQuery.ReachingPath
  ) -> Set<Int64> {
    let edited = model.entities[middle.root].family.flatMap { context.homes[$0].changedObjects }
    return leading(edited, to: targets, by: path.steps.dropFirst(middle.steps.count))
  }

  /// The keys of stored rows from which a path leads to some objects.
  private func storedKeys(
    leadingTo targets: Set<Int64>,
    by path: ResultsQuery.ReachingPath
  ) throws(PerennialError) -> [Int64] {
    let ids = targets.sorted().filter { $0 > 0 || context.parent != nil }.flatMap { key in
      model.entities[path.root].family.map { entity in
        ExpressionNode.constant(.objectID((context.homes + entity).objectID(key: key)))
      }
    }
    guard !ids.isEmpty else { return [] }
    let condition = Comparison(.object.appending(path.steps), .isIn, .list(ids))
    var stored = StoreQuery(
      entity: query.store.entity,
      predicate: FetchPredicate(.comparison(condition))
    )
    stored.includesSubentities = query.store.includesSubentities
    return try context.store.fetchReferences(stored).map(\.key)
  }

  /// The keys of those of some objects from which relationships, as they are with unsaved changes, lead to
  /// one of some others.
  private func leading(
    _ objects: [ManagedObject],
    to targets: Set<Int64>,
    by steps: ArraySlice<String>
  ) -> Set<Int64> {
    var keys: Set<Int64> = []
    for object in objects {
      var end: ManagedObject? = object
      for step in steps {
        guard let current = end, !current.isDeleted,
          let slot = current._home?.pointee.layout.slotsByName[step]
        else {
          end = nil
          break
        }
        end = current._target(slot).map { $0._survivor ?? $0 }
      }
      if let end, targets.contains(end._key) { keys.insert(object._key) }
    }
    return keys
  }

  /// Whether the store cannot find the rows that name one of some objects: one that has gone, or one that
  /// comes back under its old key and is not stored yet.
  private func isUnknownBelow(_ keys: Set<Int64>, _ root: Int, _ news: ResultsNews) -> Bool {
    if news.departedRoots.contains(root) { return true }
    guard query.countsEdits, context.hasEdits else { return false }
    return keys.contains { key in
      key > 0 && context.homes[root].map.find(key)?.takeUnretainedValue()._state == .inserted
    }
  }

  /// From how many changed objects on the list is read anew.
  private static let reachedLimit = 500
}
