// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Perennial

/// One call of a store.
public enum StoreCall: Sendable, Hashable {
  /// `open(_:)`.
  case open
  /// `write(_:)`.
  case write(PersistentStoreMetadata)
  /// `fetch(_:)`.
  case fetch(StoreRequest)
  /// `count(_:)`.
  case count(StoreRequest)
  /// `rows(of:keys:)`.
  case rows(table: String, keys: [Int64])
  /// `members(of:owners:)`.
  case members(StoreRelationship, owners: [Int64])
  /// `reserveKeys(_:of:)`.
  case reserveKeys(Int, table: String)
  /// `save(_:)`.
  case save(StoreChanges)
  /// `execute(_:)`.
  case execute(StoreBatch)

  /// Which requirement is called.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// `open(_:)`.
    case open
    /// `write(_:)`.
    case write
    /// `fetch(_:)`.
    case fetch
    /// `count(_:)`.
    case count
    /// `rows(of:keys:)`.
    case rows
    /// `members(of:owners:)`.
    case members
    /// `reserveKeys(_:of:)`.
    case reserveKeys
    /// `save(_:)`.
    case save
    /// `execute(_:)`.
    case execute
  }

  /// Which requirement is called.
  public var kind: Kind {
    switch self {
    case .open: .open
    case .write: .write
    case .fetch: .fetch
    case .count: .count
    case .rows: .rows
    case .members: .members
    case .reserveKeys: .reserveKeys
    case .save: .save
    case .execute: .execute
    }
  }
}
