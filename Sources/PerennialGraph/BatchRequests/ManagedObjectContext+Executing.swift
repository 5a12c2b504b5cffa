// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObjectContext {
  /// Inserts many rows.
  ///
  /// The request writes to the store at once, whatever changes are pending here; a child context bypasses its
  /// parents. This context then merges the rows as if another context had saved them, and so does every context that
  /// merges by itself. This context's unsaved changes of these rows stay on top and are no conflict; its changes of
  /// what others have saved still are.
  ///
  /// Core Data: `NSManagedObjectContext.execute(_:)` with an `NSBatchInsertRequest`.
  ///
  /// - Parameter request: What to insert.
  /// - Returns: The number of rows, or their IDs, as the request asks.
  /// - Throws: `unknownName` (200003); `invalidModel` (134020) for an abstract entity; `persistentStoreSave`
  ///   (134030) when no store keeps the entity; `invalidRequest` (200008) for a transient attribute in a
  ///   dictionary; `typeMismatch` (200004) for a value that does not fit, a to-many relationship, or a key for a
  ///   relationship whose objects have none; `objectGone` (200006) for a key without an object; conflicts (133021)
  ///   that the merge policy does not resolve; with validation, its errors (1550 to 1690); what a handler throws; the
  ///   store's error. Nothing is written then.
  /// - Complexity: Time and memory grow with the number of rows; one query for every 500 keys of relationships.
  @discardableResult
  public func execute(_ request: BatchInsertRequest) throws -> BatchResult {
    let usesClasses = if case .objectHandler = request.source { true } else { false }
    let mode = BatchMode(usesClasses: usesClasses, validates: request.validatesObjects)
    let policy = request.propertiesToUpdate == nil ? mergePolicy : mergePolicy.takingAssignedOnly
    return try inContextOfBatch(mode, policy) { context in
      var insertion = try BatchInsertion(request, in: context)
      try insertion.run(request.source)
      try context.save()
      return BatchResult(count: insertion.count, objectIDs: insertion.objects.map(\.objectID))
    }
  }

  /// Gives properties new values in many rows.
  ///
  /// Contexts see the new values as ``execute(_:)-(BatchInsertRequest)`` says.
  ///
  /// Core Data: `NSManagedObjectContext.execute(_:)` with an `NSBatchUpdateRequest`.
  ///
  /// - Parameter request: What to update.
  /// - Returns: The number of rows, or their IDs, as the request asks.
  /// - Throws: As a batch insertion; 133021 under every merge policy when two rows would have the same unique
  ///   values.
  /// - Complexity: One statement where possible; otherwise time and memory grow with the number of rows. The objects
  ///   that contexts have are read again, with one query for every 500.
  @discardableResult
  public func execute(_ request: BatchUpdateRequest) throws -> BatchResult {
    let layout = try home(named: request.entityName).pointee.layout
    var query = StoreQuery(entity: layout.index, predicate: request.predicate)
    query.includesSubentities = request.includesSubentities
    try QueryChecker(store.model).check(query)
    restrict(&query, to: request.affectedStores)
    let values = try BatchValues(request, layout, store.model)
    guard !values.isEmpty else { return BatchResult(count: 0, objectIDs: []) }
    do {
      return try update(query, with: values, request)
    } catch let error as PerennialError where error.code == .managedObjectConstraintMerge {
      throw error.ofBatch(updating: values.slots, of: layout)
    }
  }

  private func update(
    _ query: StoreQuery,
    with values: BatchValues,
    _ request: BatchUpdateRequest
  ) throws -> BatchResult {
    if !request.validatesObjects, values.expressions.isEmpty,
      let statement = BatchStatement(
        updating: query,
        values.constants,
        store.model,
        coordinator.rules
      ),
      let result = try execute(statement, request.resultType)
    {
      return result
    }
    let mode = BatchMode(validates: request.validatesObjects)
    return try repeatingAfterConflicts(mode) { context in
      let objects = try context.fetchObjects(query, false)
      try values.apply(to: objects)
      try context.save()
      return result(of: objects, request.resultType)
    }
  }

  /// Deletes many rows.
  ///
  /// Contexts see the deletion as ``execute(_:)-(BatchInsertRequest)`` says; their objects of these rows become
  /// `isDeleted`.
  ///
  /// Core Data: `NSManagedObjectContext.execute(_:)` with an `NSBatchDeleteRequest`.
  ///
  /// - Parameter request: What to delete.
  /// - Returns: The number of rows, or their IDs, as the request asks, without the rows that a cascade deletes in
  ///   addition.
  /// - Throws: As ``fetch(_:file:line:)``; a denied deletion (1600, 1560 for several); the store's error. Nothing is
  ///   deleted then.
  /// - Complexity: One statement where possible; otherwise time and memory grow with the number of rows. The objects
  ///   that contexts have are read again, with one query for every 500.
  @discardableResult
  public func execute(_ request: BatchDeleteRequest) throws -> BatchResult {
    let queries = try queries(of: request)
    if queries.count == 1,
      let statement = BatchStatement(deleting: queries[0], store.model, coordinator.rules),
      let result = try execute(statement, request.resultType)
    {
      return result
    }
    return try repeatingAfterConflicts(BatchMode()) { context in
      var objects: [ManagedObject] = []
      for query in queries { objects += try context.fetchObjects(query, false) }
      let result = result(of: objects, request.resultType)
      for object in objects { context.delete(object) }
      try context.save()
      return result
    }
  }
}

// MARK: - Ways to do it

extension ManagedObjectContext {
  /// Runs one statement of the store.
  ///
  /// - Returns: `nil` when the store cannot do it.
  private func execute(
    _ statement: BatchStatement,
    _ resultType: BatchResultType
  ) throws(PerennialError) -> BatchResult? {
    var statement = statement
    let namesRows = resultType == .objectIDs
    let slots: [Int]? = if case .update(let slots, _) = statement.action { slots } else { nil }
    return try hidingNoConflict { () throws(PerennialError) in
      // What comes in by itself, and what the statement writes, are then told apart.
      top.withoutUndo { top.receiveMail(hidingConflicts: false) }
      let mustNameRows = namesRows || canHideConflicts(in: statement.query.entity)
      let root = store.model.entities[statement.query.entity].root
      let isShown = top.liveResults.shows(store.model.entities[root].family)
      statement.namesRows = mustNameRows || isShown
      var result = try coordinator.execute(statement, of: self)
      if result == nil, isShown, !mustNameRows {
        statement.namesRows = false
        result = try coordinator.execute(statement, of: self)
      }
      guard let outcome = result else { return nil }
      top.noteWatched(outcome.references, isDeletion: slots == nil)
      var written: [ObjectReference: Set<Int>] = [:]
      note(outcome.references, written: slots ?? [], in: &written)
      if isShown {
        top.liveResults.note { $0.touch(outcome.references.lazy.map(\.key), root: root) }
      }
      try readFamilyAgain(afterBatch: written)
      let ids = namesRows ? outcome.references.map(storedIDs.id) : []
      return BatchResult(count: outcome.count, objectIDs: ids)
    }
  }

  /// Runs a closure with a context of its own, and merges here what it saves.
  private func inContextOfBatch<Result>(
    _ mode: BatchMode,
    _ policy: MergePolicy,
    _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    let context = ManagedObjectContext(coordinator, parent: nil, batchMode: mode)
    context.mergePolicy = policy
    // Nobody knows that context; this one tells what it merges.
    context.notificationPosting = .none
    context.name = name
    context.transactionAuthor = transactionAuthor
    context.mail.ownSaves = []
    let result = try body(context)
    try merge(context.mail.ownSaves ?? [], ofBatch: context.identifier)
    return result
  }

  /// Runs a closure that reads rows and saves them, again when others have changed them in between.
  private func repeatingAfterConflicts<Result>(
    _ mode: BatchMode,
    _ body: (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    for _ in 0..<20 {
      do {
        return try inContextOfBatch(mode, .error, body)
      } catch let error as PerennialError where error.code == .managedObjectMerge {
        continue
      }
    }
    return try inContextOfBatch(mode, .error, body)
  }

  private func result(of objects: [ManagedObject], _ type: BatchResultType) -> BatchResult {
    BatchResult(
      count: objects.count,
      objectIDs: type == .objectIDs ? objects.map(\.objectID) : []
    )
  }

  /// The rows that a request deletes, in one query or one for every root entity.
  private func queries(of request: BatchDeleteRequest) throws(PerennialError) -> [StoreQuery] {
    switch request.selection {
    case .request(var selected):
      selected.affectedStores = request.affectedStores
      return [try query(for: selected)]
    case .objects(let ids):
      var keys: [Int: Set<Int64>] = [:]
      for id in ids {
        let root = try store.model.entity(named: id.entityName).root
        if let key = key(of: id, root: root), key > 0 { keys[root, default: []].insert(key) }
      }
      return keys.keys.sorted().map { root in
        var query = StoreQuery(entity: root, scope: .keys((keys[root] ?? []).sorted()))
        query.includesSubentities = true
        restrict(&query, to: request.affectedStores)
        return query
      }
    }
  }
}

extension MergePolicy {
  /// This policy, but under a uniqueness constraint what was never assigned overwrites nothing.
  fileprivate var takingAssignedOnly: MergePolicy {
    switch kind {
    case .objectTrumpOverwritingUnset, .overwrite: .mergeByPropertyObjectTrump
    case .custom(let chooser): .custom { chooser.policy(for: $0).takingAssignedOnly }
    case .error, .objectTrump, .storeTrump, .rollback: self
    }
  }
}

extension PerennialError {
  /// What a batch update says of rows that would have the same unique values, in every store: one that runs a
  /// statement tells no more of them, one that saves objects tells each pair.
  fileprivate func ofBatch(
    updating slots: Set<Int>,
    of layout: EntityLayout
  ) -> PerennialError {
    let constraints = layout.constraints.filter { $0.contains(where: slots.contains) }
    guard (entity ?? layout.name) == layout.name, let first = constraints.first else { return self }
    let names = constraints.map { $0.map { layout.slots[$0].name }.joined(separator: ", ") }
    var error = PerennialError(
      .managedObjectConstraintMerge,
      "Two rows of '\(layout.name)' would have the same '\(names.joined(separator: "' or '"))', which is unique.",
      recovery: "update a single row, to a value that no other has",
      entity: layout.name,
      property: constraints.count == 1 ? layout.slots[first[0]].name : nil,
      underlying: underlying
    )
    error.conflicts = conflicts
    return error
  }
}
