// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel

/// The objects that an event or a save has changed.
///
/// The objects belong to the context that reports them, and so do the sets: they are not Sendable. ``objectIDs`` is.
///
/// Core Data: the `userInfo` of `NSManagedObjectContextObjectsDidChangeNotification`.
public struct ChangedObjects {
  /// New objects, and deleted ones that undo or a rollback brought back.
  public internal(set) var inserted: Set<ManagedObject> = []
  /// Objects of which a property or the members of a to-many relationship changed.
  public internal(set) var updated: Set<ManagedObject> = []
  /// Objects that were deleted, and new ones that undo or a rollback removed.
  public internal(set) var deleted: Set<ManagedObject> = []
  /// Objects whose values were replaced from outside: refreshed, merged or rolled back.
  public internal(set) var refreshed: Set<ManagedObject> = []
  /// Objects that the context has forgotten, or whose rows are gone.
  public internal(set) var invalidated: Set<ManagedObject> = []
  /// Whether the context has forgotten all of its objects; then the sets are empty.
  public internal(set) var invalidatedAll = false
  /// The updated objects of which nothing changed but the members of to-many relationships.
  var owners: Set<ManagedObject> = []
  /// The objects that were forgotten with all others.
  var invalidatedAllObjectIDs: [ManagedObjectID] = []

  init() {}

  /// Whether nothing changed.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty && !invalidatedAll
  }

  /// The IDs of the objects, which may go anywhere; the ID of a new object is temporary until the object is saved.
  ///
  /// When the context has forgotten all of its objects, the IDs of all are among the invalidated ones.
  public var objectIDs: ObjectChanges {
    ObjectChanges(
      inserted: Set(inserted.lazy.map(\.objectID)),
      updated: Set(updated.lazy.map(\.objectID)),
      deleted: Set(deleted.lazy.map(\.objectID)),
      refreshed: Set(refreshed.lazy.map(\.objectID)),
      invalidated: Set(invalidated.lazy.map(\.objectID)).union(invalidatedAllObjectIDs)
    )
  }
}

@available(*, unavailable, message: "objects stay with their context; send objectIDs")
extension ChangedObjects: Sendable {}
