// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// An object that was changed or deleted in a context, and changed or deleted elsewhere since the
/// context read it.
///
/// Snapshots hold attributes and the IDs of to-one relationships by name, never to-many ones.
///
/// | who saved in between | `cachedSnapshot` | `persistedSnapshot` |
/// | --- | --- | --- |
/// | another context on the same container | what it saved | `nil` |
/// | another container or process | what this container read | what is stored now |
///
/// If the row was deleted elsewhere, ``newVersionNumber`` is 0, and no snapshot shows a row that is stored now.
///
/// Core Data: `NSMergeConflict`.
public struct MergeConflict: Sendable, Hashable {
  /// The object, which is in the context with its changes pending.
  public let objectID: ManagedObjectID
  /// The properties that the context has changed, with their new values; empty if the context has deleted the
  /// object.
  public let changedValues: [String: PropertyValue]
  /// The object as the context read it, before its changes.
  public let objectSnapshot: [String: PropertyValue]
  /// What the container last knew of the row; `nil` if another context has deleted it.
  public let cachedSnapshot: [String: PropertyValue]?
  /// What is stored now, if another container or process wrote it; otherwise `nil`.
  public let persistedSnapshot: [String: PropertyValue]?
  /// The version of the row when the context read it.
  public let oldVersionNumber: Int
  /// The version of the row as it is stored now; 0 if it was deleted.
  public let newVersionNumber: Int

  package init(
    objectID: ManagedObjectID,
    changedValues: [String: PropertyValue],
    objectSnapshot: [String: PropertyValue],
    cachedSnapshot: [String: PropertyValue]?,
    persistedSnapshot: [String: PropertyValue]?,
    oldVersionNumber: Int,
    newVersionNumber: Int
  ) {
    self.objectID = objectID
    self.changedValues = changedValues
    self.objectSnapshot = objectSnapshot
    self.cachedSnapshot = cachedSnapshot
    self.persistedSnapshot = persistedSnapshot
    self.oldVersionNumber = oldVersionNumber
    self.newVersionNumber = newVersionNumber
  }

  /// Whether the row was deleted elsewhere.
  public var isDeletedElsewhere: Bool { newVersionNumber == 0 }

  /// The row as it is stored now; `nil` when it was deleted.
  public var storedSnapshot: [String: PropertyValue]? {
    isDeletedElsewhere ? nil : persistedSnapshot ?? cachedSnapshot
  }
}
