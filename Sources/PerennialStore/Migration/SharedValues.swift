// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialPredicate

/// Finds the objects of a store of an old model that have the same values of some attributes in a new one.
///
/// Equal means what it does to a uniqueness constraint; values that are filled in and texts that are derived
/// count. It takes two passes over the rows, and memory for their hashes.
package struct SharedValues {
  private let mapping: ModelMapping
  private let owner: EntityLayout
  private let slots: [Int]
  private let sort: Int?
  private let origins: [EntityMapping]

  /// A search.
  ///
  /// - Parameters:
  ///   - slots: The slots whose values are shared.
  ///   - sort: The slot that says which object is first; `nil` for the order of keys.
  ///   - owner: The entity of the new model whose slots they are.
  ///   - mapping: What becomes of what.
  package init(
    of slots: [Int],
    sortedBy sort: Int?,
    _ owner: EntityLayout,
    _ mapping: ModelMapping
  ) {
    self.mapping = mapping
    self.owner = owner
    self.slots = slots
    self.sort = sort
    origins = mapping.entities.filter { entity in
      func hasValues(_ slot: Int) -> Bool {
        entity.slots[slot] != nil || owner.slots[slot].attribute?.derivationExpression != nil
      }
      // A new attribute with a default has the same in all objects: it tells none apart from others.
      func isFilled(_ slot: Int) -> Bool { owner.slots[slot].attribute?.lacksDefault == false }
      return owner.family.contains(entity.destination) && sort.map(hasValues) != false
        && slots.contains(where: hasValues) && slots.allSatisfy { hasValues($0) || isFilled($0) }
    }
  }

  /// Whether there is no old entity whose objects have values for all the slots.
  package var isImpossible: Bool { origins.isEmpty }

  /// The groups of objects that share values, each in its order.
  ///
  /// - Parameter store: The store, of the old model.
  /// - Returns: The objects, as the old model names them.
  /// - Throws: The store's error.
  package func groups(in store: any RowStore) throws(PerennialError) -> [[ObjectReference]] {
    let derivations = MigratedDerivations(mapping)
    var seen: Set<UInt64> = []
    var repeated: Set<UInt64> = []
    for origin in origins {
      try derivations.forEachRow(of: origin, in: store) { row in
        guard let hash = SlotKeyHash.hash(row, slots, of: owner) else { return }
        if !seen.insert(hash).inserted { repeated.insert(hash) }
      }
    }
    guard !repeated.isEmpty else { return [] }
    seen = []
    var groups: [[UInt8]: [Member]] = [:]
    for origin in origins {
      try derivations.forEachRow(of: origin, in: store) { row in
        guard let hash = SlotKeyHash.hash(row, slots, of: owner), repeated.contains(hash),
          let values = SlotKeyHash.bytes(row, slots, of: owner)
        else { return }
        groups[values, default: []].append(Member(row, sort, origin, owner))
      }
    }
    return sorted(groups.values.filter { $0.count > 1 })
  }

  private func sorted(_ groups: [[Member]]) -> [[ObjectReference]] {
    let sort = sort.map { FetchSort(owner.slots[$0].name) }
    let lists = groups.map { group in
      group.sorted { left, right in
        let order = sort?.order(left.value, right.value) ?? 0
        return order == 0 ? left.reference.key < right.reference.key : order < 0
      }.map(\.reference)
    }
    return lists.sorted { $0[0].key < $1[0].key }
  }

  /// An object of a group.
  private struct Member {
    let reference: ObjectReference
    /// Its value under the sort.
    let value: PropertyValue

    /// Safe because the row is read at once.
    init(_ row: UnsafeRawPointer, _ sort: Int?, _ origin: EntityMapping, _ owner: EntityLayout) {
      reference = ObjectReference(key: PackedRow.key(row), entity: origin.source)
      guard let sort, let type = owner.slots[sort].attributeType, !PackedRow.isNull(row, sort)
      else {
        value = .null
        return
      }
      value = PackedRow.value(row, sort, type: type)
    }
  }
}
