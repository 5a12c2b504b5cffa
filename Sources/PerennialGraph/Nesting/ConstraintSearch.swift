// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Looks above a context, in its parent or in the store, for the unique values of its changed objects.
///
/// A save of a child looks for all of them, as a store does for its contexts; a fetch for new ones.
struct ConstraintSearch {
  private static let batchCount = 500

  private let context: ManagedObjectContext
  /// Whether rows are found by their values: what looks at every row for every query is asked for all
  /// of them, once.
  private let findsValues: Bool

  init(_ context: ManagedObjectContext) {
    self.context = context
    findsValues = context.store.capabilities.contains(.queryEngine)
  }

  /// Every changed object whose values another object has, one that is not changed in the context: the
  /// context has compared its changed ones.
  func conflicts() throws(PerennialError) -> [SaveConflict] {
    var conflicts: [SaveConflict] = []
    for index in context.homeIndexes where context.homes[index].hasConstraints {
      conflicts += try self.conflicts(of: context.homes[index].changedObjects[...], index)
    }
    return conflicts
  }

  /// The same of some objects of an entity.
  func conflicts(
    of objects: ArraySlice<ManagedObject>,
    _ entity: Int
  ) throws(PerennialError) -> [SaveConflict] {
    let layout = context.homes[entity].layout
    var conflicts: [SaveConflict] = []
    for (number, slots) in layout.constraints.enumerated() {
      let newcomers = objects.filter { hasNewValue($0, slots, layout) }
      let count = findsValues ? Self.batchCount : newcomers.count
      for batch in newcomers.batches(of: max(1, count)) {
        conflicts += try self.conflicts(of: batch, layout, number)
      }
    }
    return conflicts
  }

  // Safe because the row belongs to the object.
  private func hasNewValue(
    _ object: ManagedObject,
    _ slots: [Int],
    _ layout: EntityLayout
  ) -> Bool {
    guard let edit = object._edit, let row = object._row, !object.isDeleted,
      object._state == .inserted || slots.contains(where: { EditRecord.isChanged(edit, $0) })
    else { return false }
    return SlotKeyHash.hash(row, slots, of: layout) != nil
  }

  private func conflicts(
    of newcomers: ArraySlice<ManagedObject>,
    _ layout: EntityLayout,
    _ number: Int
  ) throws(PerennialError) -> [SaveConflict] {
    let slots = layout.constraints[number]
    let holders = try holders(of: newcomers, layout, number)
    if holders.isEmpty { return [] }
    return newcomers.compactMap { newcomer -> SaveConflict? in
      guard let row = newcomer._row, let hash = SlotKeyHash.hash(row, slots, of: layout) else {
        return nil
      }
      let holder = holders[hash]?.first {
        $0.key != newcomer._key && SlotKeyHash.equal($0.pointer, row, slots, of: layout)
          && newcomer.isInStore(of: $0)
      }
      return holder.map {
        .constraint(
          entity: layout.index,
          constraint: number,
          newcomer: newcomer._key,
          stored: $0
        )
      }
    }
  }

  /// The rows above that have values of newcomers, by the hash of all values.
  private func holders(
    of newcomers: ArraySlice<ManagedObject>,
    _ layout: EntityLayout,
    _ number: Int
  ) throws(PerennialError) -> [UInt64: [PageRow]] {
    let slots = layout.constraints[number]
    var query = StoreQuery(entity: layout.constraintOwners[number])
    if findsValues { query.predicate = condition(newcomers, slots, layout) }
    let hashes = Set(
      newcomers.compactMap { newcomer in
        newcomer._row.flatMap { SlotKeyHash.hash($0, slots, of: layout) }
      }
    )
    var holders: [UInt64: [PageRow]] = [:]
    try context.store.fetchRows(query) { page in
      for index in 0..<page.count {
        let row = PageRow(page: page, index: index)
        guard let hash = SlotKeyHash.hash(row.pointer, slots, of: layout),
          hashes.contains(hash), !isChanged(row)
        else { continue }
        holders[hash, default: []].append(row)
      }
    }
    return holders
  }

  /// What selects the rows that have any of the newcomers' values in every slot.
  private func condition(
    _ newcomers: ArraySlice<ManagedObject>,
    _ slots: [Int],
    _ layout: EntityLayout
  ) -> FetchPredicate {
    let conditions = slots.map { slot in
      PredicateNode.comparison(
        Comparison(
          .path(layout.slots[slot].name),
          .isIn,
          .list(newcomers.map { .constant($0._propertyValue(slot)) })
        )
      )
    }
    return FetchPredicate(.conjunction(conditions))
  }

  private func isChanged(_ row: PageRow) -> Bool {
    let root = context.homes[row.entity].root
    return root.pointee.map.find(row.key)?.takeUnretainedValue()._hasEdits == true
  }
}
