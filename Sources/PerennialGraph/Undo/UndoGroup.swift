// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// Changes that are undone together.
///
/// Invariants:
/// 1. Playing the entries backwards leads from the state after the group to the one before it.
/// 2. Nothing in it changes with a save: an object without a permanent key is held, not named.
struct UndoGroup {
  /// One change, with what it takes to take it back.
  enum Entry {
    /// An object got its record of changes.
    case edit(ManagedObject)
    /// A slot had a value, and whether it counted as assigned.
    case slot(ManagedObject, Int, UndoValue, wasAssigned: Bool)
    case insertion(ManagedObject)
    /// The opposite of an insertion: the object was taken out as if it had never been.
    case withdrawal(ManagedObject)
    case deletion(ManagedObject)
    case restoration(ManagedObject)
    /// Two objects were linked, seen from the relationship's owner.
    case addedPair(owner: ManagedObject, ManagedObject, RelationshipLayout.Side)
    case removedPair(owner: ManagedObject, ManagedObject, RelationshipLayout.Side)

    /// The object that the change took away.
    var absentee: ManagedObject? {
      switch self {
      case .deletion(let object), .withdrawal(let object): object
      default: nil
      }
    }
  }

  /// An ordered relationship of one owner.
  struct OrderKey: Hashable {
    let owner: ObjectIdentifier
    let toMany: Int
  }

  /// The members of an ordered relationship before the group changed their order.
  struct Order {
    let owner: ManagedObject
    let relationship: RelationshipLayout
    let members: [UndoValue]
    /// Whether the order was a pending change already, and whether the save was going to write it.
    let wasSet: Bool
    let wasDue: Bool
    /// The number of saves before it.
    let epoch: Int
  }

  var name = ""
  private(set) var entries: [Entry] = []
  private(set) var orders: [OrderKey: Order] = [:]
  /// What the group has deleted, which its entries hold.
  private var deleted: Set<ObjectIdentifier> = []

  var isEmpty: Bool { entries.isEmpty && orders.isEmpty }

  mutating func append(_ entry: Entry) {
    if case .deletion(let object) = entry { deleted.insert(ObjectIdentifier(object)) }
    entries.append(entry)
  }

  /// Adds what has followed from the group later: maybe after others, which may have changed the same objects.
  mutating func append(_ consequences: UndoGroup) {
    for entry in consequences.entries {
      // Its record of changes may be older than the last group.
      if case .slot(let object, _, _, _) = entry { append(.edit(object)) }
      append(entry)
    }
    orders.merge(consequences.orders) { first, _ in first }
  }

  func hasDeleted(_ object: ManagedObject) -> Bool { deleted.contains(ObjectIdentifier(object)) }

  /// Whether the last entry keeps an older value of the same slot, so that a newer one is not needed.
  func endsWithValue(of slot: Int, _ object: ManagedObject) -> Bool {
    guard case .slot(let last, slot, _, _) = entries.last else { return false }
    return last === object
  }

  func hasOrder(_ key: OrderKey) -> Bool { orders[key] != nil }

  mutating func setOrder(_ order: Order, _ key: OrderKey) { orders[key] = order }
}

/// A slot's value that outlives its row.
enum UndoValue {
  case null
  case word(UInt64)
  case bytes([UInt8])
  /// A reference to an object whose key a save may change.
  case object(ManagedObject)

  /// Keeps the value of a slot that is no reference.
  init(_ value: SlotValue) {
    self =
      switch value {
      case .null: .null
      case .word(let word): .word(word)
      case .bytes(let bytes): .bytes(Array(bytes))
      }
  }
}
