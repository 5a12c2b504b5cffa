// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// A change of all rows that a request selects, for stores that claim `batch`.
///
/// It affects nothing but these rows: no list names them, no derived attribute is computed from them, no
/// unique value is written, and no history is kept.
///
/// Core Data: `NSBatchUpdateRequest` and `NSBatchDeleteRequest`, which only SQLite stores get.
public struct StoreBatch: Sendable, Hashable {
  /// What happens to the rows.
  public enum Action: Sendable, Hashable {
    /// The values to set, `.null` to clear one; all others stay, and the version rises by one.
    case update([String: PropertyValue])
    /// The rows are deleted.
    case delete
  }

  /// Which rows change: all that the request selects.
  ///
  /// The request has no sort and no limit, and a predicate only for stores that claim `filter`.
  public var request: StoreRequest
  /// What happens to them.
  public var action: Action

  /// A change.
  ///
  /// - Parameters:
  ///   - request: Which rows change: all that the request selects.
  ///   - action: What happens to them.
  public init(_ request: StoreRequest, _ action: Action) {
    self.request = request
    self.action = action
  }
}
