// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObject {
  /// The object's ID: temporary until the object is saved, then permanent.
  ///
  /// A forwarding object has the ID of the object that it stands for.
  public final var objectID: ManagedObjectID {
    guard let home = _home else {
      return ManagedObjectID(entityName: Self.entityName, owner: .none, key: _key)
    }
    if let survivor = _survivor { return survivor.objectID }
    return home.pointee.objectID(key: _key < 0 ? _publishedKey : _key)
  }

  /// The context that the object belongs to; `nil` once it is deleted and saved, or when the
  /// context is gone.
  public final var managedObjectContext: ManagedObjectContext? { _home?.pointee.context }

  /// The description of the object's entity, also when it has no class of its own.
  public final var entityDescription: EntityDescription {
    _home?.pointee.layout.description ?? Self.entity
  }

  /// Whether the object's row is not loaded; it is at the first access to a property.
  public final var isFault: Bool { _row == nil && !isForwarding }

  /// Whether the object has been merged into another, for which it stands.
  ///
  /// It reads and writes the other's properties. Only equality tells them apart.
  public final var isForwarding: Bool { _row == nil && _survivor != nil }

  /// Whether the object is new and not saved.
  public final var isInserted: Bool { _home != nil && _state == .inserted }

  /// Whether the object is saved and has changes that are not.
  public final var isUpdated: Bool { _home != nil && _state == .updated }

  /// Whether the object will be deleted by the next save.
  public final var isDeleted: Bool {
    _home != nil && (_state == .deleted || _state == .deletedInsertion)
  }

  /// Whether the object is inserted, updated or deleted.
  public final var hasChanges: Bool { _home != nil && _edit != nil }

  final var _state: EditRecord.State? { _edit?.pointee.state }

  /// The object that this one stands for.
  final var _survivor: ManagedObject? {
    _row == nil ? _home?.pointee.context.survivor(of: self) : nil
  }
}
