// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// Where a row lies: its table and its key.
///
/// An entity without a superentity has a table, named like it; its subentities' rows lie there too. A
/// key is unique in its table.
public struct StoreRowID: Sendable, Hashable, Codable {
  /// The name of the root entity.
  public var table: String
  /// The key, positive and less than 2⁴⁷.
  public var key: Int64

  /// A place.
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
  /// No entity can have this name. Its rows are of an "entity" of the same name, which the model does
  /// not have, and their values are: integers `first`, `last`, `lastChange`, `firstChange`; the boolean
  /// `keepsOldValues`; the date `timestamp`; texts `author`, `contextName`, `processID`, `bundleID`,
  /// `changes`. All of them may be absent.
  public static let historyTable = "perennial-history"
}

/// One object as a store keeps it.
///
/// Core Data: `NSIncrementalStoreNode`, `NSAtomicStoreCacheNode`.
public struct StoreRow: Sendable, Hashable, Codable {
  /// Where it lies.
  public var id: StoreRowID
  /// The name of its own entity, never an abstract one.
  public var entityName: String
  /// How often it has been saved: 1 for a new one.
  ///
  /// A store gives back what it was given.
  public var version: Int
  /// The values by property: attributes, and to-one relationships as `.objectID`.
  ///
  /// A property without a value is left out, or `.null`. An element of a composite attribute goes by the
  /// name `address.city`. Transient attributes are never here, to-many relationships are in lists of
  /// members. `ManagedObjectID.uriRepresentation` is the text of an ID, from which it can be read again.
  public var values: [String: PropertyValue]

  /// A row.
  ///
  /// - Parameters:
  ///   - id: Where it lies.
  ///   - entityName: The name of its own entity, never an abstract one.
  ///   - version: How often it has been saved, from 1.
  ///   - values: The values by property; what is left out has none.
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

/// A to-many relationship, as a store is asked for its members.
///
/// A store keeps lists of many-to-many relationships, of those without inverse, and of ordered ones. Of
/// an ordered one-to-many relationship a list says the order only: who the members are, their rows say.
/// An unordered one has no lists; only a store that claims `members` is asked for it.
public struct StoreRelationship: Sendable, Hashable, Codable {
  /// The name of the entity that declares it.
  public var entityName: String
  /// Its name.
  public var name: String
  /// The table of the owners.
  public var table: String
  /// The table of the members.
  public var destinationTable: String
  /// The name of the to-one relationship back, in the members' rows; `nil` when the lists say who the
  /// members are.
  public var inverseToOne: String?
  /// Whether the lists' order counts.
  public var isOrdered: Bool
}
