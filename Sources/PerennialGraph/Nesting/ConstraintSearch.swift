// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Looks in a child's parent for the unique values of the child's changed objects, as a store does
/// for its contexts.
struct ConstraintSearch {
  private static let batchCount = 500

  private let child: ManagedObjectContext

  init(_ child: ManagedObjectContext) { self.child = child }

  /// Every changed object whose values another object has, one that is not changed in the child: the
  /// child has compared its changed ones.
  func conflicts() throws(PerennialError) -> [SaveConflict] {
    var conflicts: [SaveConflict] = []
    for index in child.homeIndexes where child.homes[index].hasConstraints {
      let layout = child.homes[index].layout
      let objects = child.homes[index].changedObjects
      for (number, slots) in layout.constraints.enumerated() {
        let newcomers = objects.filter { hasNewValue($0, slots, layout) }
        for start in stride(from: 0, to: newcomers.count, by: Self.batchCount) {
          let batch = newcomers[start..<min(start + Self.batchCount, newcomers.count)]
          conflicts += try self.conflicts(of: batch, layout, number)
        }
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
    return newcomers.compactMap { newcomer -> SaveConflict? in
      guard let row = newcomer._row, let hash = SlotKeyHash.hash(row, slots, of: layout) else {
        return nil
      }
      let holder = holders[hash]?.first {
        $0.key != newcomer._key && SlotKeyHash.equal($0.pointer, row, slots, of: layout)
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

  /// The parent's rows that have values of newcomers, by the hash of all values.
  private func holders(
    of newcomers: ArraySlice<ManagedObject>,
    _ layout: EntityLayout,
    _ number: Int
  ) throws(PerennialError) -> [UInt64: [PageRow]] {
    let slots = layout.constraints[number]
    let conditions = slots.map { slot in
      PredicateNode.comparison(
        Comparison(
          .path(layout.slots[slot].name),
          .isIn,
          .list(newcomers.map { .constant($0._propertyValue(slot)) })
        )
      )
    }
    var query = StoreQuery(entity: layout.constraintOwners[number])
    query.predicate = FetchPredicate(.conjunction(conditions))
    var holders: [UInt64: [PageRow]] = [:]
    try child.store.fetchRows(query) { page in
      for index in 0..<page.count {
        let row = PageRow(page: page, index: index)
        guard !isChanged(row), let hash = SlotKeyHash.hash(row.pointer, slots, of: layout) else {
          continue
        }
        holders[hash, default: []].append(row)
      }
    }
    return holders
  }

  private func isChanged(_ row: PageRow) -> Bool {
    let root = child.homes[row.entity].root
    return root.pointee.map.find(row.key)?.takeUnretainedValue()._hasEdits == true
  }
}
