// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The to-one relationships of objects that are stored again: what they refer to may have gone with their rows, or to
/// others.
struct Reconnection {
  /// Keys by root entity of partners that are not stored.
  typealias Missing = [Int: Set<Int64>]

  private var objects: [ManagedObject] = []

  var isEmpty: Bool { objects.isEmpty }

  /// What the objects refer to.
  var targets: [ObjectReference] {
    objects.flatMap { object in
      object._home?.pointee.layout.referenceSlots.map { object._currentReference($0) } ?? []
    }
  }

  /// Notes an object whose row is gone, and which the next save inserts.
  mutating func note(_ object: ManagedObject) { objects.append(object) }

  /// Takes the references back which lead to nothing, or to a partner that has another one or is deleted without
  /// knowing the object; a partner without one gets the object.
  func run(_ missing: Missing, in context: ManagedObjectContext) {
    for object in objects {
      guard let layout = object._home?.pointee.layout else { continue }
      for slot in layout.referenceSlots {
        reconnect(object, slot, layout, missing, in: context)
      }
    }
  }

  private func reconnect(
    _ object: ManagedObject,
    _ slot: Int,
    _ layout: EntityLayout,
    _ missing: Missing,
    in context: ManagedObjectContext
  ) {
    guard let partner = context.object(forNonzero: object._currentReference(slot)),
      let root = partner._home?.pointee.layout.root
    else { return }
    if missing[root]?.contains(partner._key) == true {
      object._writeReference(slot, nil)
    } else if let inverse = layout.slots[slot].relationship?.inverseSlot,
      !partner._names(object._reference, inverse)
    {
      if !partner.isDeleted, partner._currentReference(inverse).key == 0 {
        partner._writeReference(inverse, object)
      } else {
        object._writeReference(slot, nil)
      }
    } else if partner.isDeleted {
      context.reapplyRules(of: partner)
    }
  }
}
