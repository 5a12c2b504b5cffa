// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// Where a row lies: its table and its key.
///
/// An entity without a superentity has a table of the same name, in which the rows of its subentities lie,
/// too. A key is unique in its table.
public struct StoreRowID: Sendable, Hashable, Codable {
  /// The name of the root entity.
  public var table: String
  /// The key, positive and less than 2⁴⁷.
  public var key: Int64

  /// The place of a row.
  ///
  /// - Parameters:
  ///   - table: The name of the root entity.
  ///   - key: The key, positive and less than 2⁴⁷.
  public init(table: String, key: Int64) {
    self.table = table
    self.key = key
  }
}

extension StoreRowID {
  /// The table of the history, for stores that claim ``StoreCapabilities/history``.
  ///
  /// No entity can have this name. The rows are of an "entity" of the same name, which the model does not
  /// have. Their values are the integers `first`, `last`, `lastChange` and `firstChange`; the boolean
  /// `keepsOldValues`; the date `timestamp`; and the texts `author`, `contextName`, `processID`, `bundleID`
  /// and `changes`. Any of them may be absent.
  public static let historyTable = "perennial-history"
}

/// One object as a store keeps it.
///
/// Core Data: `NSIncrementalStoreNode`, `NSAtomicStoreCacheNode`.
public struct StoreRow: Sendable, Hashable, Codable {
  /// Where the row lies.
  public var id: StoreRowID
  /// The name of the object's own entity, never an abstract one.
  public var entityName: String
  /// The version: 1 for a new row, and one more with every save of the row.
  ///
  /// A save that only computes derived attributes anew leaves it as it is. A store gives back what it was
  /// given.
  public var version: Int
  /// The values by property: attributes, and to-one relationships as `.objectID`.
  ///
  /// A property without a value is left out, or `.null`. An element of a composite attribute goes by the
  /// name `address.city`. Transient attributes are never here. To-many relationships are in lists of
  /// members. `ManagedObjectID.uriRepresentation` is the text of an ID, from which the ID can be read again.
  public var values: [String: PropertyValue]

  /// A row.
  ///
  /// - Parameters:
  ///   - id: Where the row lies.
  ///   - entityName: The name of the object's own entity, never an abstract one.
  ///   - version: The version, from 1.
  ///   - values: The values by property; a property that is left out has no value.
  public init(
    id: StoreRowID,
    entityName: String,
    version: Int,
    values: [String: PropertyValue]
  ) {
    self.id = id
    self.entityName = entityName
    self.version = version
    self.values = values
  }
}

/// A to-many relationship whose members a store is asked for.
///
/// A store keeps lists for many-to-many relationships, for to-many relationships without inverse, and for
/// ordered ones. The list of an ordered one-to-many relationship says only the order: the members' rows say
/// who the members are. An unordered one-to-many relationship has no lists; only a store that claims
/// `members` is asked for its members.
public struct StoreRelationship: Sendable, Hashable, Codable {
  /// The name of the entity that declares the relationship.
  public var entityName: String
  /// The name of the relationship.
  public var name: String
  /// The table of the owners.
  public var table: String
  /// The table of the members.
  public var destinationTable: String
  /// The name of the to-one relationship in the members' rows that leads back; `nil` when the lists say who
  /// the members are.
  public var inverseToOne: String?
  /// Whether the order of the lists counts.
  public var isOrdered: Bool
}
