// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// What happened to an object in a transaction.
///
/// Core Data: `NSPersistentHistoryChangeType`.
public enum PersistentHistoryChangeType: Int, Sendable, Hashable, Codable {
  /// The object is new.
  case insert = 0
  /// The object has other values or other related objects.
  case update = 1
  /// The object is gone.
  case delete = 2
}

/// What one transaction did to one object.
///
/// Core Data: `NSPersistentHistoryChange`.
public struct PersistentHistoryChange: Sendable, Hashable, Identifiable {
  /// The number of the change, unique in its store.
  public let changeID: Int64
  /// The object.
  public let changedObjectID: ManagedObjectID
  /// What happened to it.
  public let changeType: PersistentHistoryChangeType
  /// The names of the properties that an update wrote; empty for insertions and deletions.
  ///
  /// When a to-one relationship changes, the object that has it is updated, and the objects at the other
  /// end are not. In a many-to-many relationship, both objects are. An element of a composite attribute goes
  /// by its path (`address.city`).
  public let updatedProperties: Set<String>
  /// The last values of a deleted object, for the attributes that the model preserves and that had a value.
  public let tombstone: [String: PropertyValue]
  /// What else history keeps so that the change can be undone.
  package let details: HistoryDetails

  package init(
    changeID: Int64,
    changedObjectID: ManagedObjectID,
    changeType: PersistentHistoryChangeType,
    updatedProperties: Set<String> = [],
    tombstone: [String: PropertyValue] = [:],
    details: HistoryDetails = HistoryDetails()
  ) {
    self.changeID = changeID
    self.changedObjectID = changedObjectID
    self.changeType = changeType
    self.updatedProperties = updatedProperties
    self.tombstone = tombstone
    self.details = details
  }

  /// The number of the change.
  public var id: Int64 { changeID }

  /// The values that an update or a deletion has replaced, by property; for to-one relationships, the IDs of
  /// the objects.
  ///
  /// It is empty unless `historyKeepsOldValues` of the store's description is set. If it is set, all stored
  /// attributes and to-one relationships of a deleted object are here.
  public var oldValues: [String: PropertyValue] { details.values }
}

/// What history keeps of a change so that it can be undone.
package struct HistoryDetails: Sendable, Hashable, Codable {
  /// The replaced values by the names of slots.
  package var values: [String: PropertyValue] = [:]
  /// The objects that many-to-many relationships gained and lost, by the relationship that names the
  /// link.
  package var added: [String: [Int64]] = [:]
  package var removed: [String: [Int64]] = [:]
  /// The objects of ordered relationships in their order before; history of earlier versions has none.
  package var orders: [String: [Int64]]?
  /// The places that the object had among those of its owners, by the slots that lead to these.
  package var places: [String: Int]?

  package init() {}

  package var isEmpty: Bool { !hasValues && orders == nil && places == nil }

  /// Whether there is more than orders.
  package var hasValues: Bool { !values.isEmpty || !added.isEmpty || !removed.isEmpty }
}
