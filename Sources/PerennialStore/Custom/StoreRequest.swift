// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialPredicate

/// Which rows a store is asked for.
///
/// A store's requests contain only what it claims to do.
public struct StoreRequest: Sendable, Hashable {
  /// The table.
  public var table: String
  /// The names of the rows' own entities; rows of other entities in the table are not asked for.
  public var entityNames: Set<String>
  /// The condition; `nil` for all rows.
  ///
  /// For stores that claim `filter`. ``FetchPredicate/condition`` is the predicate as a tree to translate.
  public var predicate: FetchPredicate?
  /// The order; empty for any order.
  ///
  /// For stores that claim `sort`. Rows that are equal under all sorts are ordered by key, descending when the last
  /// sort descends. An absent value counts as less than all others.
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
  ///   - sorts: The order; empty for any order.
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
