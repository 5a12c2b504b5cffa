// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// The IDs of objects that changed: a value that may cross isolations and processes.
///
/// Core Data: the `userInfo` of `NSManagedObjectContextDidSaveObjectIDs` and
/// `NSManagedObjectContextDidMergeChangesObjectIDs`.
public struct ObjectChanges: Sendable, Hashable {
  /// New objects.
  public var inserted: Set<ManagedObjectID>
  /// Objects with other values or other related objects than before.
  public var updated: Set<ManagedObjectID>
  /// Objects whose rows are gone.
  public var deleted: Set<ManagedObjectID>
  /// Objects that took over newer values from outside: by a refresh or a merge.
  public var refreshed: Set<ManagedObjectID>
  /// Objects that a context forgot.
  public var invalidated: Set<ManagedObjectID>

  /// Changes of the given objects.
  ///
  /// - Parameters:
  ///   - inserted: New objects.
  ///   - updated: Objects with other values or other related objects than before.
  ///   - deleted: Objects whose rows are gone.
  ///   - refreshed: Objects that took over newer values from outside.
  ///   - invalidated: Objects that a context forgot.
  public init(
    inserted: Set<ManagedObjectID> = [],
    updated: Set<ManagedObjectID> = [],
    deleted: Set<ManagedObjectID> = [],
    refreshed: Set<ManagedObjectID> = [],
    invalidated: Set<ManagedObjectID> = []
  ) {
    self.inserted = inserted
    self.updated = updated
    self.deleted = deleted
    self.refreshed = refreshed
    self.invalidated = invalidated
  }

  /// Whether the changes name no object.
  public var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
      && invalidated.isEmpty
  }

  /// Adds the objects of other changes.
  ///
  /// Each set is united with its counterpart: an object that is inserted in one and deleted in the other is then in
  /// both sets.
  ///
  /// - Parameter other: The changes to add.
  /// - Complexity: Linear in the number of objects of `other`.
  public mutating func formUnion(_ other: ObjectChanges) {
    inserted.join(other.inserted)
    updated.join(other.updated)
    deleted.join(other.deleted)
    refreshed.join(other.refreshed)
    invalidated.join(other.invalidated)
  }
}

extension Set {
  /// The union; without work for each element when this set is empty.
  fileprivate mutating func join(_ other: Set) {
    if isEmpty { self = other } else { formUnion(other) }
  }
}
