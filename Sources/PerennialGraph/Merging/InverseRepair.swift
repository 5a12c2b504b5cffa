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
    let partners: [ObjectReference]
    /// The partner that the slot had, which may have left the context since.
    var former: ManagedObject?
  }

  private var crossings: [Crossing] = []
  /// The objects that are stored again: what they refer to may have gone with their rows, or to others.
  private var storedAgain: [ManagedObject] = []
  /// Keys by root entity of partners that are not stored.
  private typealias Missing = [Int: Set<Int64>]

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
      guard case .slot(let inverse) = layout.slots[slot].relationship?.inverse?.place else {
        continue
      }
      let saved = base.map { PackedRow.reference($0, slot) } ?? ObjectReference(word: 0)
      let partners = Set([
        saved, object._currentReference(slot), PackedRow.reference(stored, slot),
      ]).filter { $0.key != 0 }
      guard partners.count > 1 || !partners.isSubset(of: [saved]) else { continue }
      crossings.append(
        Crossing(object: object, slot: slot, inverse: inverse, partners: Array(partners))
      )
    }
  }

  /// Notes an object before it takes a stored row under its changes, which all stay: only what was
  /// changed here and there is out of step then.
  ///
  /// Safe because the caller holds the page of the stored row, which is read at once.
  mutating func noteEdits(of object: ManagedObject, onto stored: UnsafeRawPointer) {
    guard let layout = object._home?.pointee.layout, let edit = object._edit,
      layout.referenceSlots.contains(where: {
        EditRecord.isChanged(edit, $0)
          && object._committedReference($0) != PackedRow.reference(stored, $0)
      })
    else { return }
    note(object, layout, base: edit.pointee.committedRow, stored: stored)
  }

  /// Notes an object whose row is gone, and which the next save inserts.
  mutating func noteStoredAgain(_ object: ManagedObject) { storedAgain.append(object) }

  /// Notes a slot before it alone is written.
  mutating func note(_ object: ManagedObject, _ slot: Int, in context: ManagedObjectContext) {
    guard case .slot(let inverse) = object._relationship(slot)?.inverse?.place,
      object._loaded() === object
    else { return }
    let former = context.object(forNonzero: object._currentReference(slot))
    crossings.append(
      Crossing(object: object, slot: slot, inverse: inverse, partners: [], former: former)
    )
  }

  /// Brings the other sides into step.
  func run(in context: ManagedObjectContext) throws(PerennialError) {
    guard !crossings.isEmpty || !storedAgain.isEmpty else { return }
    let (partners, missing) = try freshPartners(in: context)
    repair(in: context)
    for object in storedAgain { reconnect(object, missing, in: context) }
    withExtendedLifetime(partners) {}
  }

  /// Brings the other sides into step, as far as the context knows them.
  func repair(in context: ManagedObjectContext) {
    for crossing in crossings where crossing.object._home != nil && !crossing.object.isDeleted {
      repair(crossing, in: context)
    }
  }

  /// The partners, with what is stored now if they have no changes.
  private func freshPartners(
    in context: ManagedObjectContext
  ) throws(PerennialError) -> ([ManagedObject], Missing) {
    var partners: [ManagedObject] = []
    var keys: Missing = [:]
    let references = crossings.flatMap(\.partners) + storedAgain.flatMap { Self.targets(of: $0) }
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

  private static func targets(of object: ManagedObject) -> [ObjectReference] {
    object._home?.pointee.layout.referenceSlots.map { object._currentReference($0) } ?? []
  }

  /// Takes the references of an object that is stored again back which lead to nothing, or to a partner that has
  /// another one; a partner without one gets the object.
  private func reconnect(
    _ object: ManagedObject,
    _ missing: Missing,
    in context: ManagedObjectContext
  ) {
    guard let layout = object._home?.pointee.layout else { return }
    for slot in layout.referenceSlots {
      guard let partner = context.object(forNonzero: object._currentReference(slot)),
        let root = partner._home?.pointee.layout.root
      else { continue }
      if missing[root]?.contains(partner._key) == true {
        object._writeReference(slot, nil)
      } else if partner.isDeleted {
        context.reapplyRules(of: partner)
      } else if case .slot(let inverse) = layout.slots[slot].relationship?.inverse?.place,
        !names(partner, inverse, object._reference)
      {
        if partner._currentReference(inverse).key == 0 {
          partner._writeReference(inverse, object)
        } else {
          object._writeReference(slot, nil)
        }
      }
    }
  }

  private func repair(_ crossing: Crossing, in context: ManagedObjectContext) {
    let object = crossing.object
    let current = object._currentReference(crossing.slot)
    var partners = crossing.partners.filter { $0 != current }.map { context.object(for: $0) }
    if let former = crossing.former, former._home != nil, former._key != current.key {
      partners.append(former)
    }
    for partner in partners
    where !partner.isDeleted && names(partner, crossing.inverse, object._reference) {
      partner._writeReference(crossing.inverse, nil)
    }
    guard current.key != 0 else { return }
    let partner = context.object(for: current)
    guard !partner.isDeleted, !names(partner, crossing.inverse, object._reference),
      partner._home != nil
    else { return }
    if let former = context.object(forNonzero: partner._currentReference(crossing.inverse)),
      names(former, crossing.slot, current)
    {
      former._writeReference(crossing.slot, nil)
    }
    partner._writeReference(crossing.inverse, object)
  }

  /// Whether an object's slot names another.
  private func names(_ object: ManagedObject, _ slot: Int, _ reference: ObjectReference) -> Bool {
    PackedRow.reference(object._loadedRow(), slot) == reference
  }
}
