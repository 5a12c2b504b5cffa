// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

extension StoreAdapter {
  /// Gives the store what a change set changes, derived attributes included.
  ///
  /// - Returns: The conflicts that forbade it.
  func write(
    _ changes: ChangeSet,
    _ turn: inout Turn
  ) throws(PerennialError) -> [SaveConflict] {
    let state = try state(for: changes, &turn)
    var next = state
    if !claims.contains(.constraints) { next.indexConstraints(of: changes) }
    next.apply(changes)
    if !claims.contains(.constraints) {
      let isRepeated = turn.attempted.contains(changes.identifier)
      let conflicts = state.conflicts(with: changes, after: next, isRepeated: isRepeated)
      guard conflicts.isEmpty else { return conflicts }
    }
    let before = next
    try next.derive(changes.derivations, recorder: nil) { snapshot($0) }
    let loader = makeLoader()
    let set = try StoreChangesBuilder(vocabulary: vocabulary, coder: coder) {
      relationship,
      owners throws(PerennialError) in
      try loader.lists(of: relationship, owners: owners)
    }.make(changes, before: before, after: next)
    turn.noteAttempt(changes.identifier)
    let conflicts: [StoreConflict]
    do throws(PerennialError) {
      conflicts = try writing { try store.save(set) }
    } catch {
      // What is stored now is not certain.
      turn.kept = nil
      throw error
    }
    if !conflicts.isEmpty {
      turn.kept = nil
      return try conflicts.map(saveConflict)
    }
    if turn.kept != nil { turn.kept = next }
    return []
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
