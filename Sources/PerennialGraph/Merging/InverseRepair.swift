// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// The one-to-one relationships of objects that met newer rows, whose other sides must follow.
///
/// An object's slot, its base, what this context set and what is stored name up to three partners; the
/// policy has chosen one. The chosen partner must name the object, the others must not.
struct InverseRepair {
  private struct Crossing {
    let object: ManagedObject
    let slot: Int
    let inverse: Int
    var partners: Set<ObjectReference> = []
    /// The partner that the slot had, which may have left the context since.
    var former: ManagedObject?
    /// Whether what the store says of the slot gives way to changes of a partner.
    var yields = false
  }

  private var crossings: [Crossing] = []
  private var reconnection = Reconnection()

  /// Notes an object before it takes a stored row.
  ///
  /// Safe because the caller holds the pages of both rows, which are read at once.
  mutating func note(
    _ object: ManagedObject,
    _ layout: EntityLayout,
    base: UnsafeRawPointer?,
    stored: UnsafeRawPointer
  ) {
    for slot in layout.referenceSlots {
      guard let inverse = layout.slots[slot].relationship?.inverseSlot else { continue }
      let saved = base.map { PackedRow.reference($0, slot) } ?? ObjectReference(word: 0)
      note(object, slot, inverse, [saved, PackedRow.reference(stored, slot)])
    }
  }

  /// Notes a slot, unless it has been the same all the time.
  private mutating func note(
    _ object: ManagedObject,
    _ slot: Int,
    _ inverse: Int,
    _ savedAndStored: Set<ObjectReference>
  ) {
    let references = savedAndStored.union([object._currentReference(slot)])
    guard references.count > 1 else { return }
    let partners = references.filter { $0.key != 0 }
    crossings.append(Crossing(object: object, slot: slot, inverse: inverse, partners: partners))
  }

  /// Notes an object before it takes a stored row under its changes, which all stay: what was changed here and there is
  /// out of step then, and so may be what was changed there only.
  ///
  /// Safe because the caller holds the page of the stored row, which is read at once.
  mutating func noteEdits(of object: ManagedObject, onto stored: UnsafeRawPointer) {
    guard let layout = object._home?.pointee.layout, let edit = object._edit else { return }
    for slot in layout.referenceSlots {
      let (saved, new) = (object._committedReference(slot), PackedRow.reference(stored, slot))
      guard saved != new, let inverse = layout.slots[slot].relationship?.inverseSlot else {
        continue
      }
      if EditRecord.isChanged(edit, slot) {
        note(object, slot, inverse, [saved, new])
      } else {
        crossings.append(Crossing(object: object, slot: slot, inverse: inverse, yields: true))
      }
    }
  }

  /// Notes an object whose row is gone, and which the next save inserts.
  mutating func noteStoredAgain(_ object: ManagedObject) { reconnection.note(object) }

  /// Notes a slot before it alone is written.
  mutating func note(_ object: ManagedObject, _ slot: Int, in context: ManagedObjectContext) {
    guard let inverse = object._relationship(slot)?.inverseSlot, object._loaded() === object
    else { return }
    let former = context.object(forNonzero: object._currentReference(slot))
    crossings.append(Crossing(object: object, slot: slot, inverse: inverse, former: former))
  }

  /// Brings the other sides into step.
  func run(in context: ManagedObjectContext) throws(PerennialError) {
    guard !crossings.isEmpty || !reconnection.isEmpty else { return }
    let (partners, missing) = try freshPartners(in: context)
    repair(in: context, missing)
    reconnection.run(missing, in: context)
    withExtendedLifetime(partners) {}
  }

  /// Brings the other sides into step, as far as the context knows them.
  func repair(in context: ManagedObjectContext, _ missing: Reconnection.Missing = [:]) {
    for crossing in crossings where crossing.object._home != nil && !crossing.object.isDeleted {
      repair(crossing, missing, in: context)
    }
  }

  /// The partners, with what is stored now if they have no changes.
  private func freshPartners(
    in context: ManagedObjectContext
  ) throws(PerennialError) -> ([ManagedObject], Reconnection.Missing) {
    var partners: [ManagedObject] = []
    var keys: Reconnection.Missing = [:]
    let references = crossings.flatMap(\.partners) + reconnection.targets
    for reference in references where reference.key > 0 {
      let partner = context.object(for: reference)
      partners.append(partner)
      guard partner._edit == nil, let home = partner._home else { continue }
      keys[home.pointee.layout.root, default: []].insert(reference.key)
    }
    var missing = keys
    for (root, keys) in keys {
      let query = StoreQuery(entity: root, scope: .keys(keys.sorted()))
      try context.store.fetchRows(query) { page in
        context.append(page, to: &partners)
        missing[root]?.subtract([page].keys)
      }
    }
    return (partners, missing)
  }

  private func repair(
    _ crossing: Crossing,
    _ missing: Reconnection.Missing,
    in context: ManagedObjectContext
  ) {
    let object = crossing.object
    let current = object._currentReference(crossing.slot)
    var partners = crossing.partners.filter { $0 != current }.map { context.object(for: $0) }
    if let former = crossing.former, former._home != nil, former._key != current.key {
      partners.append(former)
    }
    for partner in partners
    where !partner.isDeleted && partner._names(object._reference, crossing.inverse) {
      partner._writeReference(crossing.inverse, nil)
    }
    guard current.key != 0 else { return }
    let partner = context.object(for: current)
    if let root = partner._home?.pointee.layout.root, missing[root]?.contains(current.key) == true {
      return object._writeReference(crossing.slot, nil)
    }
    guard !partner.isDeleted, !partner._names(object._reference, crossing.inverse),
      partner._home != nil
    else { return }
    if crossing.yields {
      guard let edit = partner._edit, EditRecord.isChanged(edit, crossing.inverse) else { return }
      return object._writeReference(crossing.slot, nil)
    }
    let former = partner._currentReference(crossing.inverse)
    context.partner(former, naming: current, crossing.slot)?._writeReference(crossing.slot, nil)
    partner._writeReference(crossing.inverse, object)
  }
}

extension ManagedObject {
  /// Whether a slot of the object names another, whose key tells: all that a slot may name are of one root entity.
  final func _names(_ reference: ObjectReference, _ slot: Int) -> Bool {
    PackedRow.reference(_loadedRow(), slot).key == reference.key
  }
}
