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
    /// The name of its own entity.
    public var entityName: String
    /// The version that the stored row has; another one is a conflict.
    public var expectedVersion: Int
    /// The version that it gets: the expected one plus one, or the same when only derived attributes
    /// have been computed anew.
    public var version: Int
    /// The values to set, `.null` to clear; all others stay.
    public var values: [String: PropertyValue]
  }

  /// A row that goes.
  public struct Deletion: Sendable, Hashable, Codable {
    /// Where the row lies.
    public var id: StoreRowID
    /// The name of its own entity.
    public var entityName: String
    /// The version that the stored row has; another one is a conflict, no row is none.
    public var expectedVersion: Int
  }

  /// What happens to the list of members of one owner.
  public struct MemberChange: Sendable, Hashable, Codable {
    /// The relationship.
    public var relationship: StoreRelationship
    /// The key of the owner.
    public var owner: Int64
    /// The keys that the list loses; that it lacks one does no harm.
    public var removed: [Int64]
    /// The keys that the list gains, if it does not have them.
    public var added: [Int64]
    /// The keys that come first from now on, in this order; `nil` to leave the order as it
    /// is.
    ///
    /// The others follow in their old order. A key that is not in the list stays out of it, unless the
    /// list is replaced.
    public var order: [Int64]?
    /// Whether the list is emptied first: its owner goes, or all that counts is the order.
    public var replacesList: Bool

    /// The list after the change.
    ///
    /// ```swift
    /// lists[change.relationship, default: [:]][change.owner] = change.applied(to: old)
    /// ```
    ///
    /// - Parameter list: The list as it was; empty when there was none.
    /// - Returns: The list to keep, each key once; an empty one need not be kept.
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

  /// Which save it is: the same when it comes again after a failure.
  public var identifier: UInt64
  /// Who saves, as ``ManagedObjectContext`` `.transactionAuthor` says.
  public var author: String?
  /// The name of the context that saves.
  public var contextName: String?
  /// New rows, complete.
  ///
  /// One may be there already, when the changes come again: it is put in its place.
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
  /// The stored row of an update or a deletion has another version than expected, or an update's row is
  /// gone (`nil`); or there is a row in the place of a new one that is not equal to it.
  ///
  /// A row that an earlier attempt of the same save has written (``StoreChanges/identifier``) is none.
  case version(StoreRowID, stored: StoreRow?)
  /// A new or changed row has the values of a stored row that have to be unique.
  ///
  /// Rows in which one of the values is absent never conflict.
  case constraint(entityName: String, properties: [String], newcomer: StoreRowID, stored: StoreRow)
}
