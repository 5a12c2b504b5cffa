// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The changed objects by their values under uniqueness constraints: finds twins among them.
///
/// Entries are not removed when an object's values change; whoever is found is compared again. The
/// index is emptied when the changes are saved or dropped.
struct ConstraintIndex {
  /// A constraint, named by the entity that declares it and its number there and in subentities.
  struct Key: Hashable {
    let entity: Int
    let number: Int
  }

  private var tables: [Key: [UInt64: ManagedObject]] = [:]
  /// The rare objects whose hash somebody else has.
  private var collisions: [Key: [UInt64: [ManagedObject]]] = [:]

  /// Enters an object, unless an equal one is there already.
  ///
  /// - Parameters:
  ///   - object: A changed object.
  ///   - number: The number of a constraint of its entity.
  ///   - layout: Its entity.
  /// - Returns: Another changed object with the same values.
  mutating func enter(
    _ object: ManagedObject,
    constraint number: Int,
    of layout: EntityLayout
  ) -> ManagedObject? {
    let slots = layout.constraints[number]
    guard let row = object._row, let hash = SlotKeyHash.hash(row, slots, of: layout) else {
      return nil
    }
    let key = Key(entity: layout.constraintOwners[number], number: number)
    guard let other = tables[key]?[hash] else {
      tables[key, default: [:]][hash] = object
      return nil
    }
    if other === object { return nil }
    if Self.isTwin(other, of: row, slots, layout) { return other }
    let others = collisions[key]?[hash] ?? []
    if let twin = others.first(where: { $0 !== object && Self.isTwin($0, of: row, slots, layout) })
    {
      return twin
    }
    collisions[key, default: [:]][hash, default: []].append(object)
    return nil
  }

  mutating func removeAll() {
    tables = [:]
    collisions = [:]
  }

  private static func isTwin(
    _ other: ManagedObject,
    of row: UnsafeRawPointer,
    _ slots: [Int],
    _ layout: EntityLayout
  ) -> Bool {
    guard let theirs = other._row, other.hasChanges, !other.isDeleted else { return false }
    return SlotKeyHash.equal(theirs, row, slots, of: layout)
  }
}
