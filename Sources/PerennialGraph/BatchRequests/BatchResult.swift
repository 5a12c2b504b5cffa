// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// What a batch request tells of what it did.
///
/// Core Data: `NSBatchInsertRequestResultType` and its like.
public enum BatchResultType: Sendable, Hashable {
  /// Only that it succeeded.
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
  /// An insertion counts each dictionary and each object, also where it merges two into one row. What a delete rule
  /// changes beside the rows does not count.
  public let count: Int
  /// Their IDs, when the request asked for them; of an insertion in the order of the objects.
  public let objectIDs: [ManagedObjectID]
}
