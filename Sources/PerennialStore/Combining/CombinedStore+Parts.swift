// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

extension CombinedStore {
  /// What one store has to do with a query, in its own keys.
  struct Part {
    let member: Member
    let query: StoreQuery
  }

  /// The stores that may have rows for a query, in their order.
  func parts(of query: StoreQuery) -> [Part] {
    let family =
      query.includesSubentities
      ? model.entities[query.entity].family : query.entity..<query.entity + 1
    return members.compactMap { member in
      guard query.stores?.contains(member.store.identifier) != false,
        !member.entities.isDisjoint(with: family),
        let scope = scope(query.scope, in: member)
      else { return nil }
      var own = query
      own.scope = scope
      own.stores = nil
      return Part(member: member, query: own)
    }
  }

  /// The rows of a scope that are a store's; `nil` when there cannot be any.
  private func scope(_ scope: StoreQuery.Scope, in member: Member) -> StoreQuery.Scope? {
    switch scope {
    case .all: return .all
    case .keys(let keys):
      let own = keys.lazy.filter { StoreKey.store(of: $0) == member.number }.map(StoreKey.own)
      return own.isEmpty ? nil : .keys(Array(own))
    case .related(let relationship, let owner):
      guard StoreKey.store(of: owner) == member.number else { return nil }
      return .related(relationship, owner: StoreKey.own(owner))
    case .relatedMember(let relationship, let owner, let row):
      guard StoreKey.store(of: owner) == member.number, StoreKey.store(of: row) == member.number
      else { return nil }
      return .relatedMember(
        relationship,
        owner: StoreKey.own(owner),
        member: StoreKey.own(row)
      )
    }
  }
}

extension StoreQuery {
  /// The query for all rows that may come into its window, whatever other stores have.
  var widened: StoreQuery { widened(by: 0) }

  /// The query for all rows that may come into its window when some of them are left out.
  ///
  /// - Parameter count: How many may be left out.
  /// - Returns: The query, whose window begins with the first row.
  package func widened(by count: Int) -> StoreQuery {
    var query = self
    query.offset = 0
    guard limit > 0 else { return query }
    let (end, isOver) = limit.addingReportingOverflow(max(0, offset))
    let (sum, isOverWithMore) = end.addingReportingOverflow(count)
    // More rows than there can be are all rows.
    query.limit = isOver || isOverWithMore ? 0 : sum
    return query
  }

  /// The places of the window among so many rows.
  package func window(of count: Int) -> Range<Int> {
    let start = min(max(0, offset), count)
    return start..<(limit > 0 ? start + min(limit, count - start) : count)
  }
}
