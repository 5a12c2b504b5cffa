// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

extension StoreAdapter {
  /// Gives the store what a change set changes, derived attributes and history included.
  ///
  /// - Returns: The conflicts that forbade it.
  func write(
    _ changes: ChangeSet,
    _ turn: inout Turn
  ) throws(PerennialError) -> [SaveConflict] {
    try noteHistory(&turn)
    let state = try state(for: changes, &turn)
    var next = state
    if !claims.contains(.constraints) { next.indexConstraints(of: changes) }
    next.apply(changes)
    if !claims.contains(.constraints) {
      let isRepeated = turn.attempted.contains(changes.identifier)
      let conflicts = state.conflicts(with: changes, after: next, isRepeated: isRepeated)
      guard conflicts.isEmpty else { return conflicts }
    }
    let recorder =
      turn.keepsHistory ? HistoryRecorder(model: model, keepsOldValues: turn.keepsOldValues) : nil
    var derived = DerivedSlots()
    try next.derive(changes.derivations, store: identifier) { slot, entity, key in
      derived.note(slot, HistoryDraft.Place(root: model.entities[entity].root, key: key))
      recorder?.noteDerived(slot, of: entity, [key])
    }
    let loader = makeLoader()
    let set = try StoreChangesBuilder(vocabulary: vocabulary, coder: coder) {
      relationship,
      owners throws(PerennialError) in
      try loader.lists(of: relationship, owners: owners)
    }.make(changes, next, derived)
    let draft = recorder.map { state.draft(of: changes, after: next, store: identifier, $0) }
    turn.noteAttempt(changes.identifier)
    guard let conflicts = try save(set, draft, changes.author, &turn) else {
      turn.keepsOldValues = true
      return try write(changes, &turn)
    }
    guard conflicts.isEmpty else {
      turn.kept = nil
      return try conflicts.map(saveConflict)
    }
    if turn.kept != nil { turn.kept = next }
    return []
  }

  /// Saves, with the history of the save.
  ///
  /// - Returns: The conflicts; `nil`, and nothing is saved, when the history keeps old values by now and the draft has none.
  private func save(
    _ changes: StoreChanges,
    _ draft: HistoryDraft?,
    _ author: ChangeSet.Author,
    _ turn: inout Turn
  ) throws(PerennialError) -> [StoreConflict]? {
    guard let draft, !draft.isEmpty else { return try save(changes, &turn) }
    guard claims.contains(.history) else {
      let conflicts = try save(changes, &turn)
      if conflicts.isEmpty {
        turn.history.append(draft, author: author, model: model, store: identifier)
      }
      return conflicts
    }
    let record = HistoryRecord(draft, of: model)
    let keepsOldValues = turn.keepsOldValues
    var isAppended = true
    let conflicts = try saveWithHistory(&turn) { () throws(PerennialError) in
      var changes = changes
      isAppended = try storedHistory.append(
        record,
        author: author,
        to: &changes,
        keepsOldValues: keepsOldValues
      )
      return isAppended ? changes : nil
    }
    return isAppended ? conflicts : nil
  }

  /// Saves what is made anew as long as others write to the history at the same time; `nil` is not
  /// saved.
  func saveWithHistory(
    _ turn: inout Turn,
    _ make: () throws(PerennialError) -> StoreChanges?
  ) throws(PerennialError) -> [StoreConflict] {
    for _ in 0..<16 {
      guard let changes = try make() else { return [] }
      let conflicts = try save(changes, &turn)
      let others = conflicts.filter { !$0.isOfHistory }
      if conflicts.isEmpty || !others.isEmpty { return others }
    }
    throw PerennialError(
      .persistentStoreTimeout,
      "Others have written to the store's history all the time.",
      recovery: "save again"
    )
  }

  private func save(
    _ changes: StoreChanges,
    _ turn: inout Turn
  ) throws(PerennialError) -> [StoreConflict] {
    do throws(PerennialError) {
      return try PerennialError.writing { try store.save(changes) }
    } catch {
      // What is stored now is not certain.
      turn.kept = nil
      turn.history.breakOff()
      throw error
    }
  }

  /// What of the stored rows a change set has to be held against.
  private func state(
    for changes: ChangeSet,
    _ turn: inout Turn
  ) throws(PerennialError) -> InMemoryState {
    if keepsRows { return try kept(&turn) }
    var loader = makeLoader()
    let derived = roots(of: changes.derivations)
    try loader.loadTables(derived.union(rootsOfUniqueValues(changes)))
    for batch in changes.insertions {
      try loader.loadRows(root: model.entities[batch.entity].root, keys: batch.pages.keys)
    }
    for batch in changes.updates {
      try loader.loadRows(root: model.entities[batch.entity].root, keys: batch.pages.keys)
    }
    for batch in changes.deletions {
      let root = model.entities[batch.entity].root
      try loader.loadRows(root: root, keys: batch.rows.map(\.key))
    }
    if !derived.isEmpty { try loader.loadLists(among: derived) }
    if turn.keepsHistory {
      let changed = rootsOfHistory(changes, keepsOldValues: turn.keepsOldValues)
      try loader.loadTables(changed)
      if !changed.isEmpty { try loader.loadLists(among: changed) }
    }
    return loader.state
  }

  /// The root entities that derived attributes are computed from and for.
  private func roots(of derivations: [ChangeSet.Derivation]) -> Set<Int> {
    var entities: Set<Int> = []
    for derivation in derivations {
      entities.insert(derivation.entity)
      switch derivation.source {
      case .members(let relationship, _, _): entities.insert(relationship.destination)
      case .path(let steps, _, _): entities.formUnion(steps.map(\.destination))
      }
    }
    return Set(entities.map { model.entities[$0].root })
  }

  /// The root entities of which every row has to be looked at for equal values.
  private func rootsOfUniqueValues(_ changes: ChangeSet) -> Set<Int> {
    guard !claims.contains(.constraints) else { return [] }
    var roots: Set<Int> = []
    for batch in changes.insertions where !model.entities[batch.entity].constraints.isEmpty {
      roots.insert(model.entities[batch.entity].root)
    }
    for batch in changes.updates {
      let entity = model.entities[batch.entity]
      let isConcerned = entity.constraints.contains { !$0.allSatisfy { !batch.slots.contains($0) } }
      if isConcerned { roots.insert(entity.root) }
    }
    return roots
  }

  /// A store's conflict as contexts know them.
  private func saveConflict(_ conflict: StoreConflict) throws(PerennialError) -> SaveConflict {
    switch conflict {
    case .version(let id, let stored):
      guard let root = model.entitiesByName[id.table] else { throw .strange(conflict) }
      return .version(root: root, key: id.key, stored: try stored.flatMap(packed))
    case .constraint(let entityName, let properties, let newcomer, let stored):
      guard let entity = model.entitiesByName[entityName],
        let row = try packed(stored),
        let constraint = model.entities[entity].constraints.firstIndex(where: { slots in
          slots.map { model.entities[entity].slots[$0].name } == properties
        })
      else { throw .strange(conflict) }
      return .constraint(
        entity: entity,
        constraint: constraint,
        newcomer: newcomer.key,
        stored: row
      )
    }
  }

  private func packed(_ row: StoreRow) throws(PerennialError) -> PageRow? {
    try coder.pack([row], table: row.id.table).first
  }
}

extension StoreConflict {
  /// Whether somebody else has written to the history.
  fileprivate var isOfHistory: Bool {
    if case .version(let id, _) = self { id.table == StoreRowID.historyTable } else { false }
  }
}

extension StoreAdapter.Turn {
  /// Notes that the store may have written a change set, also when it has failed.
  mutating func noteAttempt(_ identifier: UInt64) {
    attempted.removeAll { $0 == identifier }
    attempted.append(identifier)
    if attempted.count > 64 { attempted.removeFirst() }
  }
}

extension PerennialError {
  fileprivate static func strange(_ conflict: StoreConflict) -> PerennialError {
    PerennialError(
      .persistentStoreSave,
      "The store reports a conflict of a table or a constraint that the model does not have.",
      recovery: "mend the store: name tables, entities and properties as the model does"
    )
  }
}
