// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// The IDs of the objects that an event, a save or a merge has changed; they may go anywhere.
///
/// Core Data: the `userInfo` of `NSManagedObjectContextDidSaveObjectIDsNotification`.
public struct ObjectIDChanges: Sendable, Hashable {
  /// New objects.
  public var inserted: Set<ManagedObjectID>
  /// Objects of which a property or the members of a to-many relationship changed.
  public var updated: Set<ManagedObjectID>
  /// Deleted objects.
  public var deleted: Set<ManagedObjectID>
  /// Objects whose values were replaced from outside.
  public var refreshed: Set<ManagedObjectID>
  /// Objects that the context has forgotten, or whose rows are gone.
  public var invalidated: Set<ManagedObjectID>
  /// Whether the context has forgotten all of its objects.
  public var invalidatedAll: Bool

  /// Changes by their kinds.
  public init(
    inserted: Set<ManagedObjectID> = [],
    updated: Set<ManagedObjectID> = [],
    deleted: Set<ManagedObjectID> = [],
    refreshed: Set<ManagedObjectID> = [],
    invalidated: Set<ManagedObjectID> = [],
    invalidatedAll: Bool = false
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.refreshed = refreshed
    self.invalidated = invalidated
    self.invalidatedAll = invalidatedAll
  }

  /// Whether nothing changed.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty && !invalidatedAll
  }

  /// Takes in other changes.
  public mutating func formUnion(_ other: ObjectIDChanges) {
    inserted.formUnion(other.inserted)
    updated.formUnion(other.updated)
    deleted.formUnion(other.deleted)
    refreshed.formUnion(other.refreshed)
    invalidated.formUnion(other.invalidated)
    invalidatedAll = invalidatedAll || other.invalidatedAll
  }
}
