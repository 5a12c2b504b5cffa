// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialGraph
public import PerennialModel

// What the snapshots that @Managed writes are made of. A macro cannot tell whether `Author?` is a
// relationship or an attribute; these declarations let the compiler decide.

extension Decodable {
  /// The type of an attribute in a snapshot: its own.
  public typealias _SnapshotValue = Self
}

extension ManagedObject {
  /// The type of a related object in a snapshot: its ID.
  public typealias _SnapshotValue = ManagedObjectID

  /// An attribute's value for a snapshot.
  @_disfavoredOverload
  public final func _snapshotValue<Value>(_ value: Value) -> Value { value }

  /// A related object's ID for a snapshot.
  public final func _snapshotValue(_ object: ManagedObject?) -> ManagedObjectID? {
    object?.objectID
  }
}
