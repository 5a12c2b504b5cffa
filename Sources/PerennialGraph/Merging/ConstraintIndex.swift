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

  private final class Table {
    var objects: [UInt64: ManagedObject] = [:]
  }

  private var tables: [Key: Table] = [:]
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
    let table = table(key)
    guard let other = table.objects[hash] else {
      table.objects[hash] = object
      return nil
    }
    let others = collisions.isEmpty ? [] : collisions[key]?[hash] ?? []
    if other === object, others.isEmpty { return nil }
    let known = [other] + others
    if let twin = Self.firstTwin(of: object, row, among: known, slots, layout) { return twin }
    if !known.contains(where: { $0 === object }) {
      collisions[key, default: [:]][hash, default: []].append(object)
    }
    return nil
  }

  /// Whether no object has been entered under a constraint.
  func isEmpty(under key: Key) -> Bool { tables[key]?.objects.isEmpty ?? true }

  /// Of the objects that had values with a hash when they were entered, or of those which they have been merged
  /// into, the first that is wanted.
  func first(
    _ hash: UInt64,
    under key: Key,
    where isWanted: (ManagedObject) -> Bool
  ) -> ManagedObject? {
    guard let first = tables[key]?.objects[hash] else { return nil }
    let others = collisions.isEmpty ? [] : collisions[key]?[hash] ?? []
    return ([first] + others).lazy.map { $0._survivor ?? $0 }.first(where: isWanted)
  }

  private mutating func table(_ key: Key) -> Table {
    if let table = tables[key] { return table }
    let table = Table()
    tables[key] = table
    return table
  }

  /// Makes room for so many objects under the constraints of an entity.
  mutating func reserve(_ count: Int, of layout: EntityLayout) {
    for (number, owner) in layout.constraintOwners.enumerated() {
      let table = table(Key(entity: owner, number: number))
      table.objects.reserveCapacity(table.objects.count + count)
    }
  }

  mutating func removeAll() {
    tables = [:]
    collisions = [:]
  }

  /// Of several twins, of which all but one are out of date, the one that was changed first.
  private static func firstTwin(
    of object: ManagedObject,
    _ row: UnsafeRawPointer,
    among known: [ManagedObject],
    _ slots: [Int],
    _ layout: EntityLayout
  ) -> ManagedObject? {
    var first: ManagedObject?
    var place = Int.max
    for other in known
    where other !== object && isTwin(other, of: row, slots, layout)
      && !other.isMisread(beside: object, slots) && other.isInStore(of: object)
    {
      if let edit = other._edit, edit.pointee.place < place {
        first = other
        place = edit.pointee.place
      }
    }
    return first
  }

  // Safe because the caller holds the object of the row, and the other row is read at once.
  private static func isTwin(
    _ other: ManagedObject,
    of row: UnsafeRawPointer,
    _ slots: [Int],
    _ layout: EntityLayout
  ) -> Bool {
    guard let theirs = other._row, other._hasEdits, !other.isDeleted else { return false }
    return SlotKeyHash.equal(theirs, row, slots, of: layout)
  }
}
