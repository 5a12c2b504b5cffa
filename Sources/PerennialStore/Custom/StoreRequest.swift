// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialPredicate

/// Which rows a store is to give.
///
/// What a store does not claim is not in the requests that it gets.
public struct StoreRequest: Sendable, Hashable {
  /// The table.
  public var table: String
  /// The names of the rows' own entities; rows of others in the table do not count.
  public var entityNames: Set<String>
  /// The condition; `nil` for all rows.
  ///
  /// For stores that claim `filter`.
  /// ``FetchPredicate/condition`` is a form of it that can be translated.
  public var predicate: FetchPredicate?
  /// The order; empty for any.
  ///
  /// For stores that claim `sort`. Rows that are equal under all sorts come by key: falling when the last sort falls.
  /// Absent values come before all others.
  public var sorts: [FetchSort]
  /// The greatest number of rows; 0 for all.
  ///
  /// For stores that claim `limit`.
  public var limit: Int
  /// How many rows to leave out at the beginning.
  ///
  /// For stores that claim `limit`.
  public var offset: Int

  /// A request.
  ///
  /// - Parameters:
  ///   - table: The name of the table.
  ///   - entityNames: The names of the rows' own entities.
  ///   - predicate: The condition; `nil` for all rows.
  ///   - sorts: The order; empty for any.
  ///   - limit: The greatest number of rows; 0 for all.
  ///   - offset: How many rows to leave out at the beginning.
  public init(
    table: String,
    entityNames: Set<String>,
    predicate: FetchPredicate? = nil,
    sorts: [FetchSort] = [],
    limit: Int = 0,
    offset: Int = 0
  ) {
    self.table = table
    self.entityNames = entityNames
    self.predicate = predicate
    self.sorts = sorts
    self.limit = limit
    self.offset = offset
  }
}
