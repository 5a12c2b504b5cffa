// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Merging: one object takes over what was assigned to another, which then stands for it.

extension ManagedObjectContext {
  /// Finds changed objects with the same unique values, and merges them if the policy allows.
  ///
  /// - Returns: Whether any were merged.
  /// - Throws: With the policy `error`, 133,021 and a problem for each; the changes stay.
  @discardableResult
  func enforceConstraintsAmongChanges() throws(PerennialError) -> Bool {
    var problems: [PerennialError] = []
    var hasMerged = false
    for index in homeIndexes where !homes[index].keyChanges.isEmpty {
      let layout = homes[index].layout
      let candidates = homes[index].keyChanges
      homes[index].keyChanges = []
      if candidates.count > 64 { constraintIndex.reserve(candidates.count, of: layout) }
      for object in candidates where object.hasChanges && !object.isDeleted {
        for number in layout.constraints.indices {
          guard let twin = constraintIndex.enter(object, constraint: number, of: layout) else {
            continue
          }
          if mergePolicy == .error {
            problems.append(constraintProblem(object, layout, number))
            homes[index].keyChanges.append(object)
          } else {
            let twinSurvives = twin._state == .updated || object._state == .inserted
            merge(twinSurvives ? object : twin, into: twinSurvives ? twin : object)
            hasMerged = true
          }
          break
        }
      }
    }
    if let error = PerennialError.combined(problems, code: .managedObjectConstraintMerge) {
      throw error
    }
    return hasMerged
  }

  func constraintProblem(
    _ object: ManagedObject,
    _ layout: EntityLayout,
    _ number: Int
  ) -> PerennialError {
    .constraintConflict(
      entity: layout.name,
      constraint: layout.constraints[number].map { layout.slots[$0].name },
      object.objectID
    )
  }

  /// Gives one object's assigned values and to-many members to another, for which it then stands.
  ///
  /// The loser's row, if it has one, is deleted by the save.
  func merge(_ loser: ManagedObject, into survivor: ManagedObject) {
    guard let home = loser._home, let edit = loser._edit, loser !== survivor else { return }
    let layout = home.pointee.layout
    for slot in EditRecord.changedSlots(edit, layout) {
      copy(slot, of: layout, loser, to: survivor)
    }
    for (index, relationship) in layout.toManys.enumerated() {
      for member in loser._members(index) where member !== survivor {
        if let side = relationship.side { removePair(loser, member, side) }
        survivor._insertMember(index, member)
      }
    }
    redirectReferences(from: loser, to: survivor)
    if loser._key < 0 { aliases[loser.objectID] = survivor }
    if let row = edit.pointee.committedRow {
      absorbed.append((layout.index, .init(key: loser._key, version: PackedRow.version(row))))
    }
    discardRow(of: loser)
    forward(loser, to: survivor)
  }

  private func copy(
    _ slot: Int,
    of layout: EntityLayout,
    _ loser: ManagedObject,
    to survivor: ManagedObject
  ) {
    guard let row = loser._row else { return }
    if layout.slots[slot].storage == .reference {
      survivor._setTarget(slot, object(forNonzero: PackedRow.reference(row, slot)))
    } else if PackedRow.isNull(row, slot) {
      survivor._store(.null, slot)
    } else if layout.slots[slot].storage == .bytes {
      survivor._store(.bytes(PackedRow.bytes(row, slot)), slot)
    } else {
      survivor._store(.word(PackedRow.word(row, slot)), slot)
    }
  }

  /// Makes the to-one slots of changed objects that name the loser name the survivor.
  private func redirectReferences(from loser: ManagedObject, to survivor: ManagedObject) {
    guard let loserIndex = loser._home?.pointee.layout.index else { return }
    for index in homeIndexes where !homes[index].changed.isEmpty {
      for slot in homes[index].layout.referenceSlots {
        guard let relationship = homes[index].layout.slots[slot].relationship,
          relationship.inverse == nil,
          store.model.entities[relationship.destination].family.contains(loserIndex)
        else { continue }
        for object in homes[index].changedObjects
        where object !== loser && object._currentReference(slot) == loser._reference {
          object._writeReference(slot, survivor)
        }
      }
    }
  }

  /// Puts this context's changes of an object on top of the row that the store has now.
  func rebase(_ object: ManagedObject, onto stored: PageRow?) {
    guard let home = object._home, let edit = object._edit else { return }
    guard let stored else {
      edit.pointee.committedPage?.release()
      edit.pointee.committedPage = nil
      edit.pointee.committedRow = nil
      edit.pointee.reservedKey = object._key
      if edit.pointee.state == .updated { edit.pointee.state = .inserted }
      return
    }
    let layout = home.pointee.layout
    edit.pointee.committedPage?.release()
    edit.pointee.committedPage = .passRetained(stored.page)
    edit.pointee.committedRow = stored.pointer
    for slot in layout.slots.indices where !EditRecord.isChanged(edit, slot) {
      takeStored(slot, of: layout, stored.pointer, object)
    }
    if let row = object._row {
      // Safe because the row of an object with an edit record is its private one.
      PackedRow.setHeader(
        UnsafeMutableRawPointer(mutating: row),
        key: object._key,
        version: stored.version,
        entity: layout.index
      )
    }
  }

  // Safe because the caller holds the page of the row, and the values are copied.
  private func takeStored(
    _ slot: Int,
    of layout: EntityLayout,
    _ row: UnsafeRawPointer,
    _ object: ManagedObject
  ) {
    if PackedRow.isNull(row, slot) {
      object._store(.null, slot)
    } else if layout.slots[slot].storage == .bytes {
      object._store(.bytes(PackedRow.bytes(row, slot)), slot)
    } else {
      object._store(.word(PackedRow.word(row, slot)), slot)
    }
    if let edit = object._edit { EditRecord.clearChanged(edit, slot) }
  }
}
