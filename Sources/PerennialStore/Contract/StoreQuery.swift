// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
package import PerennialPredicate

/// What to fetch from a store.
package struct StoreQuery: Sendable {
  /// The set of rows that the predicate chooses from.
  package enum Scope: Sendable {
    /// All rows of the entity.
    case all
    /// The rows of these keys; keys that do not exist are left out. The order is the store's.
    case keys([Int64])
    /// The objects that a to-many relationship of an owner leads to; without sorts, an ordered
    /// relationship gives them in its order.
    case related(RelationshipLayout, owner: Int64)
    /// One object, when a to-many relationship of an owner leads to it.
    case relatedMember(RelationshipLayout, owner: Int64, member: Int64)
  }

  /// The place of the entity.
  package var entity: Int
  /// Whether rows of subentities count.
  package var includesSubentities = true
  package var scope: Scope
  /// The condition; `nil` for all.
  package var predicate: FetchPredicate?
  package var sorts: [FetchSort]
  /// The greatest number of rows; 0 for all.
  package var limit: Int
  /// How many rows to leave out at the beginning.
  package var offset: Int
  /// Whether the rows will probably be changed soon: a store may then read them where it writes.
  package var isForUpdate = false
  /// The only slots of the rows that will be looked at; `nil` for all.
  ///
  /// A store may leave others empty, so such rows must not be kept.
  package var slots: [Int]?
  /// The stores that are asked, if there are several; `nil` for all.
  package var stores: Set<UUID>?
  /// What ends the reading of rows before it is done.
  package var cancellation: FetchCancellation?

  package init(
    entity: Int,
    scope: Scope = .all,
    predicate: FetchPredicate? = nil,
    sorts: [FetchSort] = [],
    limit: Int = 0,
    offset: Int = 0
  ) {
    self.entity = entity
    self.scope = scope
    self.predicate = predicate
    self.sorts = sorts
    self.limit = limit
    self.offset = offset
  }
}

extension StoreQuery {
  /// Whether the query cuts its result to a limit or an offset.
  package var hasWindow: Bool { limit > 0 || offset > 0 }

  /// The query of rows that this one has selected: a second statement may find others in a window without an order.
  package func selecting(_ references: [ObjectReference]) -> StoreQuery {
    var query = StoreQuery(entity: entity, scope: .keys(references.map(\.key)))
    query.includesSubentities = includesSubentities
    return query
  }
}
