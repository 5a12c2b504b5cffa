// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// What the result of a batch request contains.
///
/// Core Data: `NSBatchInsertRequestResultType` and its like.
public enum BatchResultType: Sendable, Hashable {
  /// Only that the request succeeded; ``BatchResult/count`` is set all the same.
  case statusOnly
  /// The number of rows, and their IDs.
  case objectIDs
  /// The number of rows.
  case count
}

/// What a batch request did.
///
/// Core Data: `NSBatchInsertResult`, `NSBatchUpdateResult` and `NSBatchDeleteResult`.
public struct BatchResult: Sendable, Hashable {
  /// The number of rows that were inserted, updated or deleted.
  ///
  /// An insertion counts each dictionary and each object, even where it merges two into one row. What delete rules
  /// change in addition does not count.
  public let count: Int
  /// The IDs of these rows, for an insertion in the order of the objects; empty unless the request asked for them.
  public let objectIDs: [ManagedObjectID]
}
