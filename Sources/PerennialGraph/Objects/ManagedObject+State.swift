// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

// A forwarding object answers every question as its survivor does, but whether it is one.

extension ManagedObject {
  /// The object's ID: temporary until the object is saved, then permanent.
  ///
  /// A forwarding object has the ID of the object that it stands for. An object keeps its permanent ID even when
  /// its context or its row is gone.
  public final var objectID: ManagedObjectID {
    guard let home = _home else { return _formerID }
    if let survivor = _survivor { return survivor.objectID }
    return home.objectID(key: _publishedKey)
  }

  /// The context that the object belongs to; `nil` once the object's deletion is saved, or when the context is
  /// gone.
  public final var managedObjectContext: ManagedObjectContext? {
    if let survivor = _survivor { return survivor.managedObjectContext }
    return _home?.pointee.context
  }

  /// The description of the object's entity, even if the entity has no class of its own.
  public final var entityDescription: EntityDescription {
    _home?.pointee.layout.description ?? Self.entity
  }

  /// Whether the object's row is not loaded; the first access to a property loads it.
  public final var isFault: Bool {
    if let survivor = _survivor { return survivor.isFault }
    return _row == nil
  }

  /// Whether the object has been merged into another, for which it stands.
  ///
  /// It reads and writes the other object's properties, and it is new, changed, deleted or gone when the other one
  /// is. Only this property and `==` tell the two apart.
  public final var isForwarding: Bool { _survivor != nil }

  /// Whether the object is new and not saved.
  public final var isInserted: Bool {
    if let survivor = _survivor { return survivor.isInserted }
    return _home != nil && _state == .inserted
  }

  /// Whether the object has been saved before and has unsaved changes.
  ///
  /// When a member of a to-many relationship comes or goes, the owner is changed too, although the save need not
  /// write the owner's row for it.
  public final var isUpdated: Bool {
    if let survivor = _survivor { return survivor.isUpdated }
    return _home != nil && (_state == .updated || _edit == nil && _hasMembershipChanges)
  }

  /// Whether the next save will delete the object, or another context has deleted it and this context has merged
  /// the deletion.
  ///
  /// An object that has unsaved changes here when another context deletes it does not count as deleted: its next
  /// save decides what happens to it.
  public final var isDeleted: Bool {
    if let survivor = _survivor { return survivor.isDeleted }
    guard _home != nil else { return false }
    guard let state = _state else { return has(.isGone) }
    return state.isDeleted
  }

  /// Whether the object has no row any more, as far as its context knows: a save of any context has
  /// deleted it, or its fault found none.
  ///
  /// It reads as it was before its deletion, or as empty, and takes no changes. When its own context has deleted
  /// it, or its fault found no row, it no longer has a context and is not ``isDeleted``: there is nothing left to
  /// delete.
  ///
  /// Core Data: `isDeleted` of an inaccessible fault.
  public final var isGone: Bool {
    if let survivor = _survivor { return survivor.isGone }
    return _home == nil ? _bits < 0 : has(.isGone)
  }

  /// Whether the object is inserted, updated or deleted.
  public final var hasChanges: Bool {
    if let survivor = _survivor { return survivor.hasChanges }
    return _hasEdits || _home != nil && _hasMembershipChanges
  }

  /// Whether the next save has something to do with the object's own row.
  final var _hasEdits: Bool { _home != nil && _edit != nil }

  private final var _hasMembershipChanges: Bool {
    _home?.pointee.context.hasMembershipChanges(self) == true
  }

  final var _state: EditRecord.State? { _edit?.pointee.state }

  /// The key that a save has set aside for the new object; 0 for none.
  final var _reservedKey: Int64 { _edit?.pointee.reservedKey ?? 0 }

  /// The object that this one stands for.
  final var _survivor: ManagedObject? {
    _row == nil ? _home?.pointee.context.survivor(of: self) : nil
  }
}
