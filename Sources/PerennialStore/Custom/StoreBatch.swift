// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// A change of all rows that a request selects, for stores that claim `batch`.
///
/// Nothing but these rows depends on it: no list names them, no derived attribute is computed from
/// them, no unique value is written, and no history is kept.
///
/// Core Data: `NSBatchUpdateRequest` and `NSBatchDeleteRequest`, which only SQLite stores get.
public struct StoreBatch: Sendable, Hashable {
  /// What happens to the rows.
  public enum Action: Sendable, Hashable {
    /// The values to set, `.null` to clear; all others stay, and the version rises by one.
    case update([String: PropertyValue])
    /// The rows go.
    case delete
  }

  /// Which rows: all that it selects.
  ///
  /// It has no sort and no limit, and a predicate only for stores that claim `filter`.
  public var request: StoreRequest
  /// What happens to them.
  public var action: Action

  /// A change.
  ///
  /// - Parameters:
  ///   - request: Which rows: all that it selects.
  ///   - action: What happens to them.
  public init(_ request: StoreRequest, _ action: Action) {
    self.request = request
    self.action = action
  }
}
