// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A conflict of objects that have the same values under a uniqueness constraint.
///
/// The objects are a changed one and a stored one (``databaseObjectID`` is set), or two changed ones of one
/// context (``databaseObjectID`` is `nil`).
///
/// Core Data: `NSConstraintConflict`.
public struct ConstraintConflict: Sendable, Hashable {
  /// The names of the properties that are unique together.
  public let constraint: [String]
  /// The values of these properties, by name, that the objects share.
  public let constraintValues: [String: PropertyValue]
  /// The stored object that has the values; `nil` if two changed objects conflict.
  public let databaseObjectID: ManagedObjectID?
  /// The stored object's attributes and the IDs of its to-one relationships, by name.
  public let databaseSnapshot: [String: PropertyValue]?
  /// The changed objects that have the values, the newest first.
  public let conflictingObjectIDs: [ManagedObjectID]
  /// The values that have been assigned to each of these objects, in the same order.
  public let conflictingSnapshots: [[String: PropertyValue]]

  package init(
    constraint: [String],
    constraintValues: [String: PropertyValue],
    databaseObjectID: ManagedObjectID?,
    databaseSnapshot: [String: PropertyValue]?,
    conflictingObjectIDs: [ManagedObjectID],
    conflictingSnapshots: [[String: PropertyValue]]
  ) {
    self.constraint = constraint
    self.constraintValues = constraintValues
    self.databaseObjectID = databaseObjectID
    self.databaseSnapshot = databaseSnapshot
    self.conflictingObjectIDs = conflictingObjectIDs
    self.conflictingSnapshots = conflictingSnapshots
  }
}
