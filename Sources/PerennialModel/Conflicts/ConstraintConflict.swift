// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// Objects with the same values under a uniqueness constraint.
///
/// Either one changed object and a stored one (``databaseObjectID`` is set), or two changed objects
/// of one context (it is `nil`).
///
/// Core Data: `NSConstraintConflict`.
public struct ConstraintConflict: Sendable, Hashable {
  /// The names of the properties that are unique together.
  public let constraint: [String]
  /// Their values.
  public let constraintValues: [String: PropertyValue]
  /// The stored object that has the values.
  public let databaseObjectID: ManagedObjectID?
  /// The stored object's attributes and to-one IDs.
  public let databaseSnapshot: [String: PropertyValue]?
  /// The changed objects that have the values, the newest first.
  public let conflictingObjectIDs: [ManagedObjectID]
  /// What has been assigned to each of them.
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
