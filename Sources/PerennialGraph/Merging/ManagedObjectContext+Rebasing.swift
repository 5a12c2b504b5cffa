// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// Version conflicts: this context's changes of an object meet a row that somebody else has changed or
// deleted. Afterwards the object's committed row is the stored one, so that it can be saved.

extension ManagedObjectContext {
  /// Does what a policy says about an object whose stored row is another than expected.
  ///
  /// - Parameters:
  ///   - object: A changed object, or a watched one, which is not watched any more then.
  ///   - stored: Its row; `nil` when it was deleted.
  ///   - policy: The policy; not a custom one.
  ///   - inverses: Collects the one-to-one relationships whose other sides may be out of step.
  func rebase(
    _ object: ManagedObject,
    onto stored: PageRow?,
    _ policy: MergePolicy,
    _ inverses: inout InverseRepair
  ) {
    merging.watched[ObjectIdentifier(object)] = nil
    guard let edit = object._edit else { return refreshWatched(object, stored, policy) }
    guard let stored else {
      if edit.pointee.state == .updated { meetDeletion(of: object, policy, &inverses) }
      return
    }
    // It was to be stored again, as others have done.
    if edit.pointee.state == .deletedInsertion, object._key > 0 { edit.pointee.state = .deleted }
    switch edit.pointee.state {
    case .inserted where object._key < 0, .deletedInsertion:
      // Another row has the key that was set aside; the next attempt takes another.
      edit.pointee.reservedKey = 0
      return top.merging.published.remove(object._key, root: layout(of: object).root)
    case .inserted: edit.pointee.state = .updated
    case .deleted where policy.kind.keepsDeletion:
      // For its rules: they are applied again to the partners as they are stored now.
      inverses.note(
        object,
        layout(of: object),
        base: edit.pointee.committedRow,
        stored: stored.pointer
      )
      rebase(object, onto: stored)
      return note(object, nil, .version, policy, .staysDeleted, [])
    case .deleted:
      takeBackDeletion(of: object)
      object._edit?.pointee.state = .updated
      let choices = take(stored, into: object, policy, &inverses)
      emptySlotsNamingDeleted(of: object)
      inverses.noteStoredAgain(object)
      return note(object, nil, .version, policy, .cameBack, choices)
    case .updated: break
    }
    let choices = take(stored, into: object, policy, &inverses)
    note(object, nil, .version, policy, .merged, choices)
  }

  /// Puts a newer row below an object's changes, all of which stay; its deletion and its transient values, too.
  ///
  /// Safe because `base` keeps the page of the former committed row until the end, and the values of
  /// rows are copied.
  func rebase(_ object: ManagedObject, onto row: PageRow) {
    let row = self.row(row, withTransientsOf: object)
    let layout = layout(of: object)
    let base = object._edit?.pointee.committedPage?.takeUnretainedValue()
    let moves = References(of: object, layout)
    for slot in layout.slots.indices {
      guard let edit = object._edit, !EditRecord.isChanged(edit, slot) else { continue }
      takeStored(slot, of: layout, row.pointer, object)
    }
    withExtendedLifetime(base) { replaceCommitted(of: object, by: row) }
    settleCopies(of: object)
    forgetMoves(of: object, moves, layout)
  }

  /// Puts a stored row below an object's changes, property by property as the policy says.
  ///
  /// Safe because `base` keeps the page of the former committed row until the end, and the values of
  /// rows are copied. The edit record moves when it grows: it is looked up each time.
  private func take(
    _ stored: PageRow,
    into object: ManagedObject,
    _ policy: MergePolicy,
    _ inverses: inout InverseRepair
  ) -> [MergeReport.Choice] {
    let stored = row(stored, withTransientsOf: object)
    let layout = layout(of: object)
    let baseRow = object._edit?.pointee.committedRow
    let base = object._edit?.pointee.committedPage?.takeUnretainedValue()
    inverses.note(object, layout, base: baseRow, stored: stored.pointer)
    let moves = References(of: object, layout)
    var choices: [MergeReport.Choice] = []
    let copies = object._home?.pointee.derivations?.copyOfSlot ?? [:]
    for slot in layout.slots.indices where copies[slot] == nil {
      guard let decision = decide(slot, of: object, layout, baseRow, stored, policy) else {
        continue
      }
      switch decision.source {
      case .ours: if let edit = object._edit { EditRecord.markChanged(edit, slot) }
      case .stored, .both: takeStored(slot, of: layout, stored.pointer, object)
      }
      choices.append(
        .init(
          property: layout.slots[slot].name,
          source: decision.source,
          reason: decision.reason
        )
      )
    }
    withExtendedLifetime(base) { replaceCommitted(of: object, by: stored) }
    settleCopies(of: object)
    if policy == .rollback { dropPairs(of: object) }
    forgetMoves(of: object, moves, layout)
    if choices.contains(where: { $0.source == .stored }) { noteRefreshed(object) }
    merging.touched[ObjectIdentifier(object)] = object
    endEditIfEmpty(object)
    return choices
  }

  /// Whose value a slot gets; `nil` when nobody has changed it, or when it is not stored.
  private func decide(
    _ slot: Int,
    of object: ManagedObject,
    _ layout: EntityLayout,
    _ base: UnsafeRawPointer?,
    _ stored: PageRow,
    _ policy: MergePolicy
  ) -> MergePolicy.Kind.Decision? {
    if layout.slots[slot].isTransient, policy != .rollback { return nil }
    let isEqual = SlotKeyHash.areSame(object._loadedRow(), stored.pointer, slot, layout)
    return policy.kind.decide(
      PropertyHistory(
        isChangedHere: object._edit.map { EditRecord.isChanged($0, slot) } == true,
        isChangedElsewhere: base.map {
          !SlotKeyHash.areSame($0, stored.pointer, slot, layout)
        } ?? !isEqual,
        isEqual: isEqual
      )
    )
  }

  // Safe because the caller holds the page of the row, and the values are copied.
  private func takeStored(
    _ slot: Int,
    of layout: EntityLayout,
    _ row: UnsafeRawPointer,
    _ object: ManagedObject
  ) {
    let value = PackedRow.slotValue(row, slot, of: layout)
    object.isDeleted ? object._storeBelowDeletion(value, slot) : object._store(value, slot)
    if let edit = object._edit { EditRecord.clearChanged(edit, slot) }
  }

  /// Makes a stored row the committed one of a changed object.
  ///
  /// Safe because the row of an object with an edit record is its private one.
  private func replaceCommitted(of object: ManagedObject, by stored: PageRow) {
    if let edit = object._edit, let row = object._row {
      edit.pointee.committedPage?.release()
      edit.pointee.committedPage = .passRetained(stored.page)
      edit.pointee.committedRow = stored.pointer
      PackedRow.setHeader(
        UnsafeMutableRawPointer(mutating: row),
        key: object._key,
        version: stored.version,
        entity: layout(of: object).index
      )
    }
  }

  /// Lets derived copies count as changed where what they are made of does, and the committed row has others.
  func settleCopies(of object: ManagedObject) {
    guard let home = object._home, let derivations = home.pointee.derivations, !object.isDeleted,
      let edit = object._edit, let row = edit.pointee.committedRow
    else { return }
    let (own, layout) = (object._loadedRow(), home.pointee.layout)
    for (source, copies) in derivations.copies {
      for copy in copies {
        let isOther = !SlotKeyHash.areSame(own, row, copy.slot, layout)
        EditRecord.isChanged(edit, source) && isOther
          ? EditRecord.markChanged(edit, copy.slot) : EditRecord.clearChanged(edit, copy.slot)
      }
    }
  }

  /// An object without changes is not a changed one; one with transient values keeps them.
  func endEditIfEmpty(_ object: ManagedObject) {
    guard let edit = object._edit, edit.pointee.state == .updated,
      let row = edit.pointee.committedRow
    else { return }
    let (own, layout) = (object._loadedRow(), layout(of: object))
    let isAsCommitted = layout.slots.indices.allSatisfy { slot in
      !EditRecord.isChanged(edit, slot) && SlotKeyHash.areSame(own, row, slot, layout)
    }
    if isAsCommitted { object.endEdit() }
  }

  /// What the to-one slots of an object refer to: saved and now.
  private struct References: Equatable {
    let saved: [ObjectReference]
    let current: [ObjectReference]

    init(of object: ManagedObject, _ layout: EntityLayout) {
      saved = layout.referenceSlots.map { object._committedReference($0) }
      current = layout.referenceSlots.map { object._currentReference($0) }
    }
  }

  /// Lets the indexes that know another saved or current target of a slot be made anew, and delete rules be applied
  /// to what has come: of the object, and of what it refers to.
  private func forgetMoves(
    of object: ManagedObject,
    _ before: References,
    _ layout: EntityLayout
  ) {
    if References(of: object, layout) == before { return }
    forgetMoves(of: object, layout)
    reapplyRules(of: object)
    reapplyRules(leadingTo: object)
  }

  func forgetMoves(of object: ManagedObject, _ layout: EntityLayout) {
    membershipStamp &+= 1
    for slot in layout.referenceSlots {
      relationships.forgetIndex(
        SlotKey(entity: layout.slots[slot].entity, slot: slot),
        isOrdered: layout.slots[slot].relationship?.isInverseOrdered == true
      )
    }
  }
}
