// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObject {
  /// Whether a save would write the object: it is new or deleted, or its stored properties have changed.
  ///
  /// A changed transient attribute makes ``hasChanges`` true, but not this property. An attribute that is derived
  /// from other objects does not make this property true, either.
  ///
  /// Core Data: `NSManagedObject.hasPersistentChangedValues`.
  public final var hasPersistentChangedValues: Bool {
    if let survivor = _survivor { return survivor.hasPersistentChangedValues }
    guard let home = _home else { return false }
    if _hasRowToWrite { return true }
    let relationships = home.pointee.context.relationships
    return home.pointee.layout.toManys.contains { relationship in
      guard let side = relationship.side, let delta = relationships.delta(side) else {
        return false
      }
      return delta.added(to: _key) != nil || delta.removed(from: _key) != nil
    }
  }

  /// Whether a save would write the object's row, or delete it.
  final var _hasRowToWrite: Bool {
    guard let edit = _edit, let home = _home else { return false }
    if edit.pointee.state != .updated { return true }
    let layout = home.pointee.layout
    let derived = home.pointee.derivations?.storeSlots ?? []
    return EditRecord.changedSlots(edit, layout).contains {
      !layout.slots[$0].isTransient && !derived.contains($0)
    }
  }

  /// The values of properties as they were last saved or fetched, by name.
  ///
  /// Values are as ``value(forKey:)`` gives them, without the unsaved changes: a to-one relationship is an ID, a
  /// to-many relationship an array of IDs. Every requested property has an entry, which is `nil` when the property
  /// has no value.
  ///
  /// Core Data: `NSManagedObject.committedValues(forKeys:)`.
  ///
  /// - Parameter keys: The names; `nil` for all attributes and to-one relationships, and for the to-many
  ///   relationships that have been loaded. `nil` loads nothing but a fault's own row.
  /// - Returns: The values; empty for a new object.
  /// - Throws: `unknownName` (200003), or the store's error for a to-many relationship.
  public final func committedValues(
    forKeys keys: [String]?
  ) throws(PerennialError) -> [String: (any Sendable)?] {
    if let survivor = _survivor { return try survivor.committedValues(forKeys: keys) }
    guard let home = _home else { return [:] }
    let layout = home.pointee.layout
    let slots = committedValues()
    var values: [String: (any Sendable)?] = [:]
    for key in keys ?? layout.propertyNames {
      if layout.slotsByName[key] != nil {
        if let value = slots[key] { values.updateValue(value.sendable, forKey: key) }
        continue
      }
      guard let index = layout.toManysByName[key] else {
        let elements = layout.elements(of: key)
        guard !elements.isEmpty else { throw .unknownProperty(key, of: layout) }
        let value = elements.nested { slots[layout.slots[$0].name] ?? .null }
        if !slots.isEmpty { values.updateValue(value, forKey: key) }
        continue
      }
      let relationship = layout.toManys[index]
      let context = home.pointee.context
      if keys == nil, context.relationships.loaded[context.ownerKey(self, relationship)] == nil {
        continue
      }
      guard context.isKnownAbove(self) else { continue }
      let members = try context.storedMembers(of: self, relationship)
      values.updateValue(members.map(\.objectID), forKey: key)
    }
    return values
  }
}

extension ManagedObjectContext {
  /// The members that the store has, without pending changes.
  func storedMembers(
    of owner: ManagedObject,
    _ relationship: RelationshipLayout
  ) throws(PerennialError) -> [ManagedObject] {
    try storedMembers(of: owner, relationship, ownerKey(owner, relationship))
  }
}

extension PerennialError {
  /// A value for an attribute that is computed.
  static func derivedIsSet(_ key: String, of layout: EntityLayout) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "'\(layout.name).\(key)' is derived and cannot be set.",
      recovery: "set the properties that it is derived from",
      entity: layout.name,
      property: key
    )
  }
}
