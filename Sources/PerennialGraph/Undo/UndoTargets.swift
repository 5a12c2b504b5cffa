// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Which rows of the objects that an undone group names are in the store now.
///
/// Others may have deleted what a group refers to by its key, or have brought back what the group is
/// to bring back. The store is asked for those that the context does not have or has as faults: one
/// query for a root entity, for their keys alone.
struct UndoTargets {
  private let context: ManagedObjectContext
  /// The keys that were asked for, by root entity: those with a row, and those without.
  private var found: [Int: Set<Int64>] = [:]
  private var missing: [Int: Set<Int64>] = [:]

  /// Asks for what a group brings back, and for what its values and those objects refer to.
  ///
  /// When the store does not answer, nothing counts as gone or as back, and the context's last fault
  /// error says why.
  init(of group: UndoGroup, in context: ManagedObjectContext) {
    self.context = context
    for (root, keys) in unknownKeys(of: group) {
      var query = StoreQuery(entity: root, scope: .keys(keys.sorted()))
      query.includesSubentities = true
      let rows = context.reading(nil) { () throws(PerennialError) -> [ObjectReference]? in
        try context.store.fetchReferences(query)
      }
      guard let rows else { continue }
      found[root] = Set(rows.map(\.key))
      missing[root] = keys.subtracting(found[root] ?? [])
    }
  }

  /// Whether a reference leads to a row that has gone.
  ///
  /// An object that has changes here is not gone: its next save says what happens.
  func isGone(_ reference: ObjectReference) -> Bool {
    guard reference.key != 0 else { return false }
    if let known = context.known(reference), known._row != nil { return known.isDeletedElsewhere }
    let root = context.homes[reference.entity].layout.root
    return missing[root]?.contains(reference.key) == true
  }

  /// The object to bring back for one that a group took away: itself as a rule.
  ///
  /// When others have brought back a row whose deletion was saved here, it is nothing; but if that row's
  /// object has been deleted here since, it is that object.
  func returning(_ object: ManagedObject) -> ManagedObject? {
    guard let reference = context.savedDeletion(of: object) else { return object }
    if let known = context.known(reference), known._row != nil {
      if known.isDeleted { return known }
      return known.isDeletedElsewhere ? object : nil
    }
    let root = context.homes[reference.entity].layout.root
    return found[root]?.contains(reference.key) == true ? nil : object
  }

  private func unknownKeys(of group: UndoGroup) -> [Int: Set<Int64>] {
    var references: [ObjectReference] = []
    for entry in group.entries {
      if case .slot(let object, let slot, .word(let word), _) = entry,
        object._relationship(slot) != nil
      {
        references.append(ObjectReference(word: Int64(bitPattern: word)))
      }
      guard let object = entry.absentee, let row = object._row else { continue }
      if let deletion = context.savedDeletion(of: object) { references.append(deletion) }
      for slot in context.homes[PackedRow.entity(row)].layout.referenceSlots {
        references.append(context.savedReference(object._currentReference(slot)))
      }
    }
    var keys: [Int: Set<Int64>] = [:]
    for reference in references where reference.key > 0 {
      let known = context.known(reference)
      guard known?._row == nil, known?.isForwarding != true else { continue }
      keys[context.homes[reference.entity].layout.root, default: []].insert(reference.key)
    }
    return keys
  }
}

extension ManagedObjectContext {
  /// The row that an object had until its deletion was saved.
  fileprivate func savedDeletion(of object: ManagedObject) -> ObjectReference? {
    guard object._home == nil, let row = object._row, object._edit?.pointee.state == .deleted else {
      return nil
    }
    return savedReference(ObjectReference(key: object._key, entity: PackedRow.entity(row)))
  }
}

extension ManagedObject {
  /// Whether another context has deleted the object and this one, which has no changes of it, knows.
  final var isDeletedElsewhere: Bool { _edit == nil && has(.isGone) }
}
