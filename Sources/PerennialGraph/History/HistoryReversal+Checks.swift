// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// What is looked at before anything is changed.

extension HistoryReversal {
  /// Looks whether the history has all values that a change has replaced.
  func checkDetails(of change: PersistentHistoryChange) throws(PerennialError) {
    let entity = try context.store.model.entity(named: change.changedObjectID.entityName)
    let names =
      change.changeType == .update
      ? Array(change.updatedProperties)
      : entity.slots.filter { !$0.isTransient }.map(\.name)
    for name in names {
      guard let slot = entity.slotsByName[name],
        entity.slots[slot].attribute?.derivationExpression == nil,
        change.details.values[name] == nil
      else { continue }
      throw PerennialError(
        .persistentStoreUnsupportedRequestType,
        "The history has no old value of '\(entity.name).\(name)'.",
        recovery:
          "set 'historyKeepsOldValues' of the store's description before the changes are saved; what was of another type before a migration cannot be undone",
        entity: entity.name,
        property: name,
        objectID: change.changedObjectID
      )
    }
  }

  /// Looks at the values that will be restored: whoever wrote the file may have put others there.
  func checkValues() throws(PerennialError) {
    let deleted = Set(
      transaction.changes.filter { $0.changeType == .delete }.map(\.changedObjectID)
    )
    for change in transaction.changes where change.changeType != .insert {
      let id = change.changedObjectID
      let entity = try context.store.model.entity(named: id.entityName)
      if let object = updated[id], object._home?.pointee.index != entity.index {
        throw .objectGone(id)
      }
      for (name, value) in change.details.values where !value.isNull {
        guard let slot = entity.slotsByName[name] else { continue }
        if try isUsable(value, for: entity.slots[slot], deleted) { continue }
        throw PerennialError(
          .persistentStoreUnsupportedRequestType,
          "The history's old value of '\(entity.name).\(name)' is not one of that property.",
          recovery: "the store's file is damaged, or was edited: this transaction cannot be undone",
          entity: entity.name,
          property: name,
          objectID: id
        )
      }
    }
  }

  /// Whether a value can be one of a property.
  ///
  /// - Parameters:
  ///   - value: The value, not null.
  ///   - slot: The property.
  ///   - deleted: The objects that come back.
  /// - Returns: Whether it can be.
  /// - Throws: `objectGone` when the object to which a relationship would lead again is gone.
  private func isUsable(
    _ value: PropertyValue,
    for slot: SlotLayout,
    _ deleted: Set<ManagedObjectID>
  ) throws(PerennialError) -> Bool {
    if let attribute = slot.attribute { return attribute.type.accepts(value) }
    guard let relationship = slot.relationship, case .objectID(let id) = value else { return false }
    let model = context.store.model
    let family = model.entities[relationship.destination].family
    guard let entity = model.entitiesByName[id.entityName], family.contains(entity) else {
      return false
    }
    if deleted.contains(id) { return true }
    guard let home = try living(id)._home else { return false }
    return family.contains(home.pointee.index)
  }
}
