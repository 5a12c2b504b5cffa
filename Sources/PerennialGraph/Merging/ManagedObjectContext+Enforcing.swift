// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// Objects with the same values under a uniqueness constraint: who goes, and what the policy says.

/// Two objects with the same values under a constraint.
struct Twins {
  /// The one that goes, and the one that stays.
  let loser: ManagedObject
  let survivor: ManagedObject
  /// The entity of the loser, and the number of the constraint there; `nil` when it is not known.
  let layout: EntityLayout
  let constraint: Int?

  var slots: [Int] { constraint.map { layout.constraints[$0] } ?? [] }
  var names: [String] { slots.map { layout.slots[$0].name } }

  /// The stored one that was given the values here.
  fileprivate var given: ManagedObject? {
    [loser, survivor].first { $0.isUpdated && $0.hasChanged(slots) }
  }

  /// Whether they still have the same values.
  ///
  /// Safe because both objects are held, and their rows are read at once.
  var areEqual: Bool {
    guard let left = loser._row, let right = survivor._row else { return false }
    return SlotKeyHash.equal(left, right, slots, of: layout)
  }
}

extension ManagedObjectContext {
  /// Finds changed objects with the same unique values, and does what the policy says.
  ///
  /// Merging changes values, and so may make other objects equal: it goes on until none are.
  ///
  /// - Returns: Whether any were found.
  /// - Throws: With the policy `error`, or when one cannot stand for the other, 133021 with the
  ///   conflicts; the changes stay.
  @discardableResult
  func enforceConstraintsAmongChanges() throws(PerennialError) -> Bool {
    defer { forgetHolders() }
    var refused: [(Twins, ManagedObject)] = []
    var hasResolved = false
    while let index = homeIndexes.first(where: { !homes[$0].keyChanges.isEmpty }) {
      let layout = homes[index].layout
      let candidates = homes[index].keyChanges
      homes[index].keyChanges = []
      addNewcomers(candidates, index)
      if candidates.count > 64 { constraintIndex.reserve(candidates.count, of: layout) }
      for object in candidates where object._hasEdits && !object.isDeleted {
        for number in layout.constraints.indices {
          guard let other = constraintIndex.enter(object, constraint: number, of: layout) else {
            continue
          }
          let twins = twins(object, other, number)
          if try resolve(
            twins,
            using: mergePolicy.chosen(for: .constraint(constraintConflict(twins)))
          ) {
            hasResolved = true
          } else {
            refused.append((twins, object))
          }
          break
        }
      }
    }
    for (_, object) in refused { object._home?.pointee.noteKeyChange(of: object) }
    tellTouched()
    if !refused.isEmpty { throw constraintError(refused.map(\.0)) }
    return hasResolved
  }

  /// Which of two equal objects goes: a new one rather than one that is stored again, and this rather
  /// than one that is stored; the newer of two of either kind; and of two stored ones that which was
  /// given the values.
  ///
  /// - Parameters:
  ///   - object: The one that came later.
  ///   - twin: The other.
  ///   - number: The constraint, as its entity numbers it.
  /// - Returns: The two in their roles.
  func twins(_ object: ManagedObject, _ twin: ManagedObject, _ number: Int) -> Twins {
    let slots = layout(of: object).constraints[number]
    var (loser, survivor) = object.yields(to: twin, slots) ? (object, twin) : (twin, object)
    let areAlike = object.isNew == twin.isNew
    if areAlike, !canMerge(loser, into: survivor), canMerge(survivor, into: loser) {
      swap(&loser, &survivor)
    }
    let layout = layout(of: loser)
    return Twins(loser: loser, survivor: survivor, layout: layout, constraint: number)
  }

  /// Does what a policy says about two equal objects.
  ///
  /// - Returns: `false` when it may not, or when one cannot stand for the other.
  func resolve(
    _ twins: Twins,
    using policy: MergePolicy,
    countsEqualValues: Bool = true
  ) throws(PerennialError) -> Bool {
    guard policy != .error else { return false }
    if twins.loser._state != .inserted, !policy.kind.absorbsStored {
      return twins.given.map { setBack($0, twins, policy) } != nil
    }
    guard canMerge(twins.loser, into: twins.survivor) else { return false }
    try merge(twins, policy, countsEqualValues: countsEqualValues)
    return true
  }

  /// Whether an object has every property of another, so that the other can stand for it.
  func canMerge(_ loser: ManagedObject, into survivor: ManagedObject) -> Bool {
    layout(of: loser).family.contains(layout(of: survivor).index)
  }

  /// Gives a stored object that took the unique values of another one its own back; with `rollback`
  /// all of its values.
  ///
  /// Safe because the edit record holds the page of the committed row until the object lets go of it.
  private func setBack(_ object: ManagedObject, _ twins: Twins, _ policy: MergePolicy) {
    let layout = layout(of: object)
    let derivations = object._home?.pointee.derivations
    // A derived copy gets its own back with what it is made of.
    let slots = layout.slots.indices.filter { slot in
      guard object.hasChanged([slot]), derivations?.copyOfSlot[slot] == nil else { return false }
      return policy == .rollback || twins.slots.contains(slot)
        || derivations?.copies[slot]?.contains { twins.slots.contains($0.slot) } == true
    }
    if let row = object._edit?.pointee.committedRow {
      for slot in slots { restore(slot, of: object, layout, from: row) }
    }
    settleCopies(of: object)
    let choices = slots.map {
      MergeReport.Choice(
        property: layout.slots[$0].name,
        source: .stored,
        reason: policy == .rollback ? .policy : .constraint
      )
    }
    note(object, nil, .constraint(twins.names), policy, .merged, choices)
    endEditIfEmpty(object)
    noteRefreshed(object)
    merging.touched[ObjectIdentifier(object)] = object
  }

  /// Gives one property its saved value, and its inverse too; it does not count as changed any more.
  ///
  /// Safe because the caller's object holds the page of the row.
  private func restore(
    _ slot: Int,
    of object: ManagedObject,
    _ layout: EntityLayout,
    from row: UnsafeRawPointer
  ) {
    if layout.slots[slot].storage == .reference {
      let target = self.object(forNonzero: PackedRow.reference(row, slot))
      object._setTarget(slot, target?.isDeleted == true ? nil : target)
    } else {
      object._store(PackedRow.slotValue(row, slot, of: layout), slot)
    }
    if let edit = object._edit { EditRecord.clearChanged(edit, slot) }
  }
}

extension ManagedObject {
  /// Whether it has never been stored; an object that is stored again after somebody deleted it has.
  final var isNew: Bool { _state == .inserted && _key < 0 }

  /// Whether its row is in the store, as far as the context knows.
  fileprivate final var isStored: Bool { _state != .inserted }

  /// Whether this object goes when another one has its values: see `twins`.
  fileprivate final func yields(to twin: ManagedObject, _ slots: [Int]) -> Bool {
    if isNew != twin.isNew { return isNew }
    if isStored != twin.isStored { return !isStored }
    // Temporary keys count down.
    if !isStored { return abs(_key) > abs(twin._key) }
    return hasChanged(slots) || !twin.hasChanged(slots)
  }

  /// Whether this object and another one with its values are both stored, and neither was given them here.
  ///
  /// No store has two such rows: what the context knows of one is out of date. That is a conflict of
  /// versions, and the save finds whose.
  final func isMisread(beside twin: ManagedObject, _ slots: [Int]) -> Bool {
    isStored && twin.isStored && !hasChanged(slots) && !twin.hasChanged(slots)
  }

  /// Whether any of some slots is changed.
  final func hasChanged(_ slots: [Int]) -> Bool {
    guard let edit = _edit else { return false }
    return slots.contains { EditRecord.isChanged(edit, $0) }
  }
}
