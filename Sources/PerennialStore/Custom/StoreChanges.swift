// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// Everything that one save writes.
///
/// Core Data: `NSSaveChangesRequest`.
public struct StoreChanges: Sendable, Hashable, Codable {
  /// Some values of a row that exists.
  public struct Update: Sendable, Hashable, Codable {
    /// Where the row lies.
    public var id: StoreRowID
    /// The name of the row's own entity.
    public var entityName: String
    /// The version that the stored row must have; another one is a conflict.
    public var expectedVersion: Int
    /// The version that the row gets: the expected one plus one, or the same when only derived attributes
    /// have been computed anew.
    public var version: Int
    /// The values to set, `.null` to clear one; all others stay.
    public var values: [String: PropertyValue]
  }

  /// A row to delete.
  public struct Deletion: Sendable, Hashable, Codable {
    /// Where the row lies.
    public var id: StoreRowID
    /// The name of the row's own entity.
    public var entityName: String
    /// The version that the stored row must have; another one is a conflict, but a row that is gone is not.
    public var expectedVersion: Int
  }

  /// What happens to the list of members of one owner.
  public struct MemberChange: Sendable, Hashable, Codable {
    /// The relationship.
    public var relationship: StoreRelationship
    /// The key of the owner.
    public var owner: Int64
    /// The keys that the list loses; a key that it does not have does no harm.
    public var removed: [Int64]
    /// The keys that the list gains, where it does not have them yet.
    public var added: [Int64]
    /// The keys that come first from now on, in this order; `nil` to leave the order as it
    /// is.
    ///
    /// The other keys follow in their old order. A key that is not in the list stays out of it, unless
    /// the list is replaced.
    public var order: [Int64]?
    /// Whether the list is emptied first: its owner is deleted, or the list says only the order.
    public var replacesList: Bool

    /// The list after the change.
    ///
    /// ```swift
    /// lists[change.relationship, default: [:]][change.owner] = change.applied(to: old)
    /// ```
    ///
    /// - Parameter list: The list before the change; empty when there was none.
    /// - Returns: The list to keep, each key once; an empty list need not be kept.
    public func applied(to list: [Int64]) -> [Int64] {
      let gone = Set(removed)
      var members: Set<Int64> = []
      var result = replacesList ? [] : list.filter { !gone.contains($0) }
      result = (result + added).filter { members.insert($0).inserted }
      guard let order else { return result }
      // Somebody else may have taken away what an order names, unless the list is nothing but an order.
      var named: Set<Int64> = []
      let first = order.filter {
        (replacesList || members.contains($0)) && named.insert($0).inserted
      }
      return first + result.filter { !named.contains($0) }
    }
  }

  /// Which save this is: the same number when the save comes again after a failure.
  public var identifier: UInt64
  /// Who saves, as ``ManagedObjectContext`` `.transactionAuthor` says.
  public var author: String?
  /// The name of the context that saves.
  public var contextName: String?
  /// New rows, complete.
  ///
  /// When the changes come again, a row may be there already: the new one replaces it.
  public var insertions: [StoreRow]
  /// Changed rows.
  public var updates: [Update]
  /// Deleted rows.
  public var deletions: [Deletion]
  /// Changed lists of members.
  public var members: [MemberChange]

  init(identifier: UInt64, author: ChangeSet.Author = ChangeSet.Author()) {
    self.identifier = identifier
    self.author = author.name
    contextName = author.contextName
    insertions = []
    updates = []
    deletions = []
    members = []
  }
}

/// Why a store that claims `constraints` has not saved.
public enum StoreConflict: Sendable, Hashable {
  /// The stored row of an update or a deletion has another version than expected; or the row of an update
  /// is gone (`nil`); or a different row is in the place of a new one.
  ///
  /// A row that an earlier attempt at the same save has written (``StoreChanges/identifier``) is no conflict.
  case version(StoreRowID, stored: StoreRow?)
  /// A new or changed row has the same values as a stored row where they must be unique.
  ///
  /// Rows in which one of the values is absent never conflict.
  case constraint(entityName: String, properties: [String], newcomer: StoreRowID, stored: StoreRow)
}
