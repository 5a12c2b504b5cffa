// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// Takes over what a child saves: all of it or nothing.
  ///
  /// - Throws: What differs from what the child expects, or what could not be read.
  func receive(
    _ changes: ChangeSet,
    from child: ManagedObjectContext
  ) throws(SaveFailure) {
    let conflicts: [SaveConflict]
    do throws(PerennialError) {
      var transfer = ChildTransfer(of: changes, from: child, to: self)
      conflicts = try transfer.conflicts()
      if conflicts.isEmpty {
        try transfer.prepare()
        // What a child saves at once is undone at once.
        undoManager?.endEvent()
        transfer.apply()
        // Now: a later save of the child may bring an object back that a deleted one still names.
        reading(()) { () throws(PerennialError) in try propagateDeletions() }
        undoManager?.endEvent()
      }
    } catch {
      throw .failed(error)
    }
    if !conflicts.isEmpty { throw .conflicts(conflicts) }
  }
}

/// One save of a child: hands its changes, property by property, to the parent's objects.
///
/// Only the properties that the child changed are written, and only those that it assigned count as
/// assigned to a new object, so that the parent's own changes stay and its save merges as sparsely
/// as if the work had been done there.
///
/// Invariants:
/// 1. `conflicts`, then `prepare`, then `apply`; only the first two read and may fail, only the last
///    changes anything.
/// 2. `theirs` holds the parent's object of every changed or deleted one, with its row.
struct ChildTransfer {
  private let child: ManagedObjectContext
  private let parent: ManagedObjectContext
  private let changes: ChangeSet
  /// The parent's objects by root entity and key.
  private var theirs: [Int: [Int64: ManagedObject]] = [:]
  /// The keys, by root entity, that written references have and no object above.
  private var lost: [Int: Set<Int64>] = [:]
  private var pairs: [PairChange] = []

  /// A pair that the parent gains or loses.
  private struct PairChange {
    let side: RelationshipLayout.Side
    let first: ObjectReference
    let second: ObjectReference
    let isAddition: Bool
  }

  init(
    of changes: ChangeSet,
    from child: ManagedObjectContext,
    to parent: ManagedObjectContext
  ) {
    self.child = child
    self.parent = parent
    self.changes = changes
  }

  // MARK: Reading

  /// What does not fit: properties that both have changed, objects that are gone, unique values that
  /// an object of the parent has.
  mutating func conflicts() throws(PerennialError) -> [SaveConflict] {
    let changed = child.changedObjects.filter { $0._state == .updated || $0._state == .deleted }
    try load(changed.map(\._reference))
    var conflicts: [SaveConflict] = []
    for object in changed {
      guard let root = object._home?.pointee.layout.root else { continue }
      let other = theirs[root]?[object._key]
      guard let other, !other.isDeleted else {
        if object._state == .updated, object._hasRowToWrite {
          conflicts.append(.version(root: root, key: object._key, stored: nil))
        }
        continue
      }
      if object.conflicts(withRowOf: other), let row = parent.currentRow(of: other) {
        conflicts.append(.version(root: root, key: object._key, stored: row))
      }
    }
    return try conflicts + ConstraintSearch(child).conflicts()
  }

  /// Reads what `apply` needs.
  mutating func prepare() throws(PerennialError) {
    try load(oneToOneTargets)
    for change in changes.links {
      let link = parent.store.model.links[change.link]
      guard let relationship = firstSide(of: link), let side = relationship.side else { continue }
      let all = change.removed + change.added
      try load(all.map { ObjectReference(key: $0.first, entity: link.first.entity) })
      try load(all.map { ObjectReference(key: $0.second, entity: link.second.entity) })
      // A symmetric pair is named both ways, and is one change.
      let removed = change.removed.filter { !link.isSymmetric || $0.first <= $0.second }
      let added = change.added.filter { !link.isSymmetric || $0.first <= $0.second }
      for pair in removed where try isPair(pair, link, relationship) {
        pairs.append(self.pair(pair, link, side, isAddition: false))
      }
      for pair in added where try !isPair(pair, link, relationship) {
        pairs.append(self.pair(pair, link, side, isAddition: true))
      }
    }
    try load(
      changes.orders.map { ObjectReference(key: $0.owner, entity: $0.relationship.entity) }
    )
    try findLost()
  }

  /// Finds out what the child still refers to, and the parent has not any more: what it has rolled back, say, or
  /// deleted and saved.
  private mutating func findLost() throws(PerennialError) {
    var unknown: [Int: Set<Int64>] = [:]
    for object in child.changedObjects where !object.isDeleted {
      guard let edit = object._edit, let layout = object._home?.pointee.layout else { continue }
      for slot in layout.referenceSlots
      where object._state == .inserted || EditRecord.isChanged(edit, slot) {
        let reference = object._currentReference(slot)
        // A new object of the child is one of the parent's by then.
        guard reference.key != 0, known(reference.key, reference.entity) == nil,
          child.known(reference)?._state != .inserted
        else { continue }
        let root = parent.store.model.entities[reference.entity].root
        unknown[root, default: []].insert(reference.key)
      }
    }
    for (root, keys) in unknown {
      var found: [ObjectReference] = []
      // No store has a temporary key.
      let stored = keys.filter { $0 > 0 || parent.parent != nil }
      if !stored.isEmpty {
        let query = StoreQuery(entity: root, scope: .keys(stored.sorted()))
        found = try parent.store.fetchReferences(query)
      }
      lost[root] = keys.subtracting(found.map(\.key))
    }
  }

  /// The targets whose other side the parent has to change too.
  private var oneToOneTargets: [ObjectReference] {
    child.changedObjects.flatMap { object -> [ObjectReference] in
      guard let layout = object._home?.pointee.layout, !object.isDeleted else { return [] }
      return layout.referenceSlots.compactMap { slot in
        guard layout.slots[slot].relationship?.inverseSlot != nil else { return nil }
        let reference = object._currentReference(slot)
        return reference.key == 0 ? nil : reference
      }
    }
  }

  private mutating func load(_ references: [ObjectReference]) throws(PerennialError) {
    var keys: [Int: Set<Int64>] = [:]
    for reference in references {
      let root = parent.store.model.entities[reference.entity].root
      if theirs[root]?[reference.key] == nil { keys[root, default: []].insert(reference.key) }
    }
    for (root, keys) in keys {
      for object in try parent.objects(of: keys.sorted(), root: root) {
        theirs[root, default: [:]][object._key] = object
      }
    }
  }

  private func firstSide(of link: LinkLayout) -> RelationshipLayout? {
    parent.store.model.entities[link.first.entity].toMany(named: link.first.name)
  }

  private func isPair(
    _ pair: ChangeSet.LinkChange.Pair,
    _ link: LinkLayout,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> Bool {
    guard let first = known(pair.first, link.first.entity),
      let second = known(pair.second, link.second.entity)
    else { return false }
    return try parent.isMember(second, of: first, relationship)
  }

  private func pair(
    _ pair: ChangeSet.LinkChange.Pair,
    _ link: LinkLayout,
    _ side: RelationshipLayout.Side,
    isAddition: Bool
  ) -> PairChange {
    PairChange(
      side: side,
      first: ObjectReference(key: pair.first, entity: link.first.entity),
      second: ObjectReference(key: pair.second, entity: link.second.entity),
      isAddition: isAddition
    )
  }

  /// The parent's object of a key.
  private func known(_ key: Int64, _ entity: Int) -> ManagedObject? {
    let root = parent.store.model.entities[entity].root
    return theirs[root]?[key] ?? parent.homes[root].map.find(key)?.takeUnretainedValue()
  }

  // MARK: Writing

  /// Changes the parent's objects.
  func apply() {
    let inserted = child.changedObjects.filter { $0._state == .inserted }
    let copies = inserted.map { parent.insertCopy(of: $0) }
    for (object, copy) in zip(inserted, copies) { write(object, to: copy, isNew: true) }
    for object in child.changedObjects where object._state == .updated {
      if let copy = known(of: object) { write(object, to: copy, isNew: false) }
    }
    for pair in pairs {
      guard let first = known(pair.first.key, pair.first.entity),
        let second = known(pair.second.key, pair.second.entity)
      else { continue }
      if !pair.isAddition {
        parent.removePair(first, second, pair.side)
      } else if !first.isDeleted, !second.isDeleted {
        parent.addPair(first, second, pair.side)
      }
    }
    for object in child.changedObjects where object._state == .deleted {
      if let copy = known(of: object), !copy.isDeleted { parent.takeDeletion(of: copy) }
    }
    for change in changes.orders { apply(change) }
  }

  private func known(of object: ManagedObject) -> ManagedObject? {
    known(object._key, object._reference.entity)
  }

  private func apply(_ change: ChangeSet.OrderChange) {
    guard let owner = known(change.owner, change.relationship.entity), !owner.isDeleted else {
      return
    }
    let destination = change.relationship.destination
    let members = change.members.map { ObjectReference(key: $0, entity: destination) }
    parent.setOrder(members, of: owner, change.relationship)
  }

  /// Writes the slots that the child changed.
  // Safe because the child's row is only read, and nothing writes to the child meanwhile.
  private func write(_ object: ManagedObject, to copy: ManagedObject, isNew: Bool) {
    guard let edit = object._edit, let row = object._row, let home = object._home else { return }
    let layout = home.pointee.layout
    for slot in layout.slots.indices {
      let isAssigned = EditRecord.isChanged(edit, slot)
      guard isAssigned || isNew else { continue }
      if layout.slots[slot].storage == .reference {
        write(PackedRow.reference(row, slot), to: copy, slot, layout)
      } else {
        copy._store(PackedRow.slotValue(row, slot, of: layout), slot)
      }
      if isAssigned, !isNew { countEqualValue(slot, of: object, layout, copy) }
      if !isAssigned, copy._state == .inserted, let record = copy._edit {
        EditRecord.clearChanged(record, slot)
      }
    }
  }

  /// Makes an assigned value that the child had read before count as assigned in the parent too, whose
  /// value is the same: see `merge`.
  private func countEqualValue(
    _ slot: Int,
    of object: ManagedObject,
    _ layout: EntityLayout,
    _ copy: ManagedObject
  ) {
    guard !layout.constraints.isEmpty, let row = object._row,
      let committed = object._edit?.pointee.committedRow,
      SlotKeyHash.areSame(row, committed, slot, layout)
    else { return }
    parent.markChanged(slot, of: copy)
  }

  /// Writes a reference; one to an object that the parent has deleted, or has no more, becomes nil, as
  /// the delete rule would have made it.
  private func write(
    _ reference: ObjectReference,
    to copy: ManagedObject,
    _ slot: Int,
    _ layout: EntityLayout
  ) {
    var target: ManagedObject?
    if reference.key != 0, child.storedKey(reference) != nil, !isLost(reference) {
      target = parent.object(for: reference)
      if target?.isDeleted == true { target = nil }
    }
    if layout.slots[slot].relationship?.inverseSlot != nil {
      copy._setTarget(slot, target)
    } else {
      copy._writeReference(slot, target)
    }
  }

  private func isLost(_ reference: ObjectReference) -> Bool {
    lost[parent.store.model.entities[reference.entity].root]?.contains(reference.key) == true
  }
}
