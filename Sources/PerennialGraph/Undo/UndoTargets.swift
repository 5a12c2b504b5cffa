// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Which of the objects that an undone group refers to have gone in the meantime.
///
/// Others may have deleted what a group names by its key. The store is asked for those that the
/// context does not have or has as faults: one query for a root entity, for their keys alone.
struct UndoTargets {
  /// The keys without a row, by root entity.
  private var missing: [Int: Set<Int64>] = [:]

  /// Those of no group: none has gone.
  init() {}

  /// Asks for what the values of a group, and objects that it has just brought back, refer to.
  ///
  /// When the store does not answer, nothing counts as gone, and the context's last fault error says
  /// why.
  init(of group: UndoGroup, _ returned: [ManagedObject], in context: ManagedObjectContext) {
    for (root, keys) in Self.unknownKeys(of: group, returned, in: context) {
      var query = StoreQuery(entity: root, scope: .keys(keys.sorted()))
      query.includesSubentities = true
      let found = context.reading(nil) { () throws(PerennialError) -> [ObjectReference]? in
        try context.store.fetchReferences(query)
      }
      if let found { missing[root] = keys.subtracting(found.map(\.key)) }
    }
  }

  /// Whether a reference leads to a row that has gone.
  ///
  /// An object that has changes here is not gone: its next save says what happens.
  func isGone(_ reference: ObjectReference, in context: ManagedObjectContext) -> Bool {
    guard reference.key != 0 else { return false }
    if let known = context.known(reference), known._row != nil { return known.isDeletedElsewhere }
    let root = context.homes[reference.entity].layout.root
    return missing[root]?.contains(reference.key) == true
  }

  private static func unknownKeys(
    of group: UndoGroup,
    _ returned: [ManagedObject],
    in context: ManagedObjectContext
  ) -> [Int: Set<Int64>] {
    var references: [ObjectReference] = []
    for case .slot(let object, let slot, .word(let word), _) in group.entries
    where object._relationship(slot) != nil {
      references.append(ObjectReference(word: Int64(bitPattern: word)))
    }
    for object in returned {
      for slot in object._home?.pointee.layout.referenceSlots ?? [] {
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

extension ManagedObject {
  /// Whether another context has deleted the object and this one, which has no changes of it, knows.
  final var isDeletedElsewhere: Bool { _edit == nil && has(.isGone) }
}
