// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Calls a closure with each object that a request selects, with one batch of objects in memory at a time.
  ///
  /// The IDs of all objects are fetched first and take 8 bytes each; the rows come batch by batch. The objects
  /// of a batch are let go before the next one comes, unless they have unsaved changes or your code holds them.
  /// If you change many objects, save now and then. Which objects come is settled at the beginning; one that is
  /// deleted meanwhile is left out. Without ``FetchRequest/includesPendingChanges``, objects that were deleted
  /// before come, too, as in a fetch.
  ///
  /// ```swift
  /// try context.enumerate(Commit.sorted(by: \.date)) { commit in print(commit.sha) }
  /// ```
  ///
  /// Source: SwiftData's `ModelContext.enumerate(_:batchSize:allowEscapingMutations:block:)`.
  ///
  /// - Parameters:
  ///   - request: What to fetch. The relationships that it prefetches are loaded with each batch.
  ///   - batchSize: How many rows to load at a time; 0 for the request's own size, or else 500.
  ///   - body: What to do with each object; an error that it throws ends the enumeration.
  /// - Throws: What ``fetch(_:file:line:)`` throws, or what the closure throws.
  public func enumerate<Object>(
    _ request: FetchRequest<Object>,
    batchSize: Int = 0,
    _ body: (Object) throws -> Void
  ) throws {
    guard batchSize >= 0 else { throw PerennialError.negativeBatchSize(request.entityName) }
    let query = try query(for: request)
    let prefetches = try prefetches(of: request)
    let references = try fetchReferences(query, request.includesPendingChanges)
    let root = homes[query.entity].layout.root
    let deleted = request.includesPendingChanges ? [] : deletedObjects
    let size = batchSize > 0 ? batchSize : request.fetchBatchSize > 0 ? request.fetchBatchSize : 500
    for batch in references.batches(of: size) {
      try visit(batch, root: root, prefetches, deletedBefore: deleted) { object in
        // Safe because `entity(of:)` has checked that the entity's class is `Object` or a subclass.
        try body(unsafeDowncast(object, to: Object.self))
      }
    }
  }

  /// Calls a closure with the objects of a batch.
  ///
  /// After a reset the rest is loaded anew: one object, then two, four and so on until the next reset, so that a
  /// closure that resets each time does not make each object read all others again.
  private func visit(
    _ batch: ArraySlice<ObjectReference>,
    root: Int,
    _ prefetches: [Prefetch],
    deletedBefore deleted: Set<ManagedObject>,
    _ body: (ManagedObject) throws -> Void
  ) throws {
    var rests = [batch]
    var count = batch.count
    while let rest = rests.popLast() {
      let objects = try loaded(
        rest.prefix(count),
        root: root,
        prefetches,
        deletedBefore: deleted
      )
      if rest.count > count { rests.append(rest.dropFirst(count)) }
      count *= 2
      for (index, object) in objects.enumerated() where comes(object, deleted) {
        // The first one has just been loaded, whatever a hook did then: so each turn gets on.
        if index > 0, object.managedObjectContext == nil {
          let left = objects[index...].map { ObjectReference(key: $0._key, entity: root) }
          rests.append(left[...])
          count = 1
          break
        }
        try body(object)
      }
    }
  }

  /// The objects of a batch that are still there, with their rows.
  private func loaded(
    _ references: ArraySlice<ObjectReference>,
    root: Int,
    _ prefetches: [Prefetch],
    deletedBefore deleted: Set<ManagedObject>
  ) throws(PerennialError) -> [ManagedObject] {
    // The keys of objects that were new at the beginning change when these are saved.
    let keys = references.map { (current($0) ?? $0).key }
    var found: [ManagedObject] = []
    let stored = StoreQuery(entity: root, scope: .keys(keys.filter { $0 > 0 || parent != nil }))
    faulting.statistics.fetchQueries += 1
    try store.fetchRows(stored) { page in append(page, to: &found) }
    var byKey = Dictionary(awakened(found).map { ($0._key, $0) }) { first, _ in first }
    for key in keys where key < 0 {
      byKey[key] = homes[root].map.find(key)?.takeUnretainedValue() ?? byKey[key]
    }
    let objects = keys.compactMap { byKey[$0] }.filter { comes($0, deleted) }
    if !prefetches.isEmpty { try prefetch(prefetches, for: objects) }
    return objects
  }

  /// Whether an object has not been deleted since the beginning.
  private func comes(_ object: ManagedObject, _ deletedBefore: Set<ManagedObject>) -> Bool {
    !object.isGone && (!object.isDeleted || deletedBefore.contains(object))
  }
}

extension PerennialError {
  fileprivate static func negativeBatchSize(_ entity: String) -> PerennialError {
    PerennialError(
      .invalidRequest,
      "The objects of '\(entity)' are enumerated in batches of less than none.",
      recovery: "use 0 for the usual size",
      entity: entity
    )
  }
}
