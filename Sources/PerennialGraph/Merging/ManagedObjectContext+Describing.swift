// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore
import Synchronization

// Conflicts as values, the error that lists them, and the report.

extension ManagedObjectContext {
  /// A version conflict as a value; the stored row is `nil` when it was deleted.
  func mergeConflict(_ object: ManagedObject, _ stored: PageRow?) -> MergeConflict {
    let layout = layout(of: object)
    let base = object._edit == nil ? object._row : object._edit?.pointee.committedRow
    let baseValues = base.map { snapshot(of: $0, layout) } ?? [:]
    let storedValues = stored.map { snapshot(of: $0.pointer, layout) }
    let baseVersion = merging.watchedVersion(of: object) ?? base.map(PackedRow.version) ?? 0
    let version = stored.map { max(1, $0.version) } ?? 0
    let isOurs =
      parent != nil
      || coordinator.savedVersions.withLock {
        $0.isLatest(
          root: layout.root,
          key: object._key,
          version: stored?.version ?? SavedVersions.deleted
        )
      }
    return MergeConflict(
      objectID: object.objectID,
      changedValues: object.isDeleted ? [:] : object.changedValues(),
      objectSnapshot: baseValues,
      cachedSnapshot: isOurs ? storedValues : baseValues,
      persistedSnapshot: isOurs ? nil : storedValues,
      oldVersionNumber: Int(baseVersion),
      newVersionNumber: Int(version)
    )
  }

  /// A constraint conflict with a stored row as a value.
  func constraintConflict(
    _ newcomer: ManagedObject,
    _ number: Int,
    stored: PageRow
  ) -> ConstraintConflict {
    let layout = layout(of: newcomer)
    let names = layout.constraints[number].map { layout.slots[$0].name }
    let storedHome = homes + stored.entity
    return ConstraintConflict(
      constraint: names,
      constraintValues: values(of: newcomer, names),
      databaseObjectID: storedHome.objectID(key: stored.key),
      databaseSnapshot: snapshot(of: stored.pointer, storedHome.pointee.layout),
      conflictingObjectIDs: [newcomer.objectID],
      conflictingSnapshots: [newcomer.changedValues()]
    )
  }

  /// A constraint conflict of two changed objects as a value.
  func constraintConflict(_ twins: Twins) -> ConstraintConflict {
    ConstraintConflict(
      constraint: twins.names,
      constraintValues: values(of: twins.loser, twins.names),
      databaseObjectID: nil,
      databaseSnapshot: nil,
      conflictingObjectIDs: [twins.loser.objectID, twins.survivor.objectID],
      conflictingSnapshots: [twins.loser.changedValues(), twins.survivor.changedValues()]
    )
  }

  private func values(of object: ManagedObject, _ names: [String]) -> [String: PropertyValue] {
    let slots = layout(of: object).slotsByName
    return names.reduce(into: [:]) { values, name in
      values[name] = slots[name].map { object._propertyValue($0) }
    }
  }

  /// The attributes and to-one IDs of a row by name, without transient ones.
  ///
  /// Safe because the caller holds the page of the row.
  private func snapshot(
    of row: UnsafeRawPointer,
    _ layout: EntityLayout
  ) -> [String: PropertyValue] {
    var values: [String: PropertyValue] = [:]
    for (slot, property) in layout.slots.enumerated() where !property.isTransient {
      values[property.name] = PackedRow.value(
        row,
        slot,
        in: layout,
        named: objectID(of:)
      )
    }
    return values
  }

  /// The error of a save or a fetch that conflicts; the context keeps the conflicts.
  func error(for conflicts: [SavingConflict]) -> PerennialError {
    merging.conflicts = conflicts
    let hasVersionConflict = conflicts.contains { if case .version = $0 { true } else { false } }
    let code: PerennialError.Code =
      hasVersionConflict ? .managedObjectMerge : .managedObjectConstraintMerge
    var error =
      PerennialError.combined(conflicts.compactMap(PerennialError.about), code: code)
      ?? PerennialError(
        code,
        "The store has other values than expected.",
        recovery: "roll back and do it again"
      )
    error.conflicts = conflicts
    return error
  }

  func constraintError(_ twins: [Twins]) -> PerennialError {
    error(for: twins.map { .constraint(constraintConflict($0)) })
  }

  /// Adds to the report.
  func note(
    _ object: ManagedObject,
    _ absorbedID: ManagedObjectID?,
    _ kind: MergeReport.Kind,
    _ policy: MergePolicy,
    _ outcome: MergeReport.Outcome,
    _ choices: [MergeReport.Choice]
  ) {
    guard merging.makeRoom() else { return }
    let entry = MergeReport.Entry(
      objectID: object.objectID,
      absorbedID: absorbedID,
      kind: kind,
      policy: policy,
      outcome: outcome,
      choices: choices
    )
    merging.add(entry)
  }

  /// Tells the objects that the policy has changed, and the children that merge by themselves.
  func tellTouched() {
    guard !merging.touched.isEmpty else { return }
    let objects = merging.touched.values.sorted { $0._key < $1._key }
    merging.touched = [:]
    for object in objects where object._home != nil && !object.isForwarding {
      object.awake(fromSnapshotEvents: .mergePolicy)
    }
    passSettled(objects)
  }
}

extension PerennialError {
  /// The error of one conflict.
  fileprivate static func about(_ conflict: SavingConflict) -> PerennialError? {
    conflict.objectID.map { id in
      var error =
        switch conflict {
        case .version(let conflict):
          versionConflict(entity: id.entityName, id, isGone: conflict.isDeletedElsewhere)
        case .constraint(let conflict):
          constraintConflict(entity: id.entityName, constraint: conflict.constraint, id)
        }
      error.conflicts = [conflict]
      return error
    }
  }
}
