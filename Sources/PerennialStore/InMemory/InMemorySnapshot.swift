// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// The rows of a store at one moment, and the answers that they give.
struct InMemorySnapshot: RowReader {
  let state: InMemoryState
  let identifier: UUID
  private let members = MemberIndex()

  init(state: InMemoryState, identifier: UUID) {
    self.state = state
    self.identifier = identifier
  }

  var model: ModelLayout { state.model }

  func row(of reference: ObjectReference) throws(PerennialError) -> PageRow? {
    state.tables[model.entities[reference.entity].root][reference.key]
  }

  func rows(
    of relationship: RelationshipLayout,
    owner: Int64
  ) throws(PerennialError) -> [PageRow] {
    members.rows(of: relationship, owner: owner, in: state)
  }

  /// The rows that a query selects.
  func select(_ query: StoreQuery) throws(PerennialError) -> [PageRow] {
    var rest = query
    let matcher = try takeMatcher(from: &rest)
    return try RowQuery.select(state.rows(in: query, matching: matcher), for: rest, reader: self)
  }

  /// Of some rows of a query's entity, those that it selects.
  func select(
    _ query: StoreQuery,
    from rows: [PageRow]
  ) throws(PerennialError) -> [PageRow] {
    var rest = query
    guard let matcher = try takeMatcher(from: &rest) else {
      return try RowQuery.select(rows, for: rest, reader: self)
    }
    let matching = rows.filter { matcher.matches($0.pointer) }
    return try RowQuery.select(matching, for: rest, reader: self)
  }

  /// What decides about a query's predicate by a look at the row, if that is enough.
  private func takeMatcher(from query: inout StoreQuery) throws(PerennialError) -> RowMatcher? {
    guard let predicate = try query.predicate?.checked(),
      let matcher = RowMatcher(predicate, of: model.entities[query.entity], in: model)
    else { return nil }
    query.predicate = nil
    return matcher
  }

  /// The members of several owners; no further owner is begun after so many rows.
  func memberRows(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) -> MemberRows {
    let members = state.members(of: relationship, owners: Set(owners))
    var rows = MemberRows()
    var builder = PageBuilder()
    for owner in owners.sorted() {
      if rows.isFull(for: owner, limit: limit) { break }
      for row in members[owner] ?? [] {
        if builder.isFull, builder.hasRows { rows.append(builder.seal()) }
        rows.noteRow(of: owner, at: builder.rowCount)
        builder.copy(
          row.pointer,
          byteCount: PackedRow.byteCount(row.pointer, model.entities[row.entity])
        )
      }
    }
    if builder.hasRows { rows.append(builder.seal()) }
    return rows
  }
}

/// The members of relationships that conditions look at.
///
/// The first owner is looked up by itself, as there is often no second one; from then on the members
/// of all are known, so that a condition on many rows does not read all members for each of them.
private final class MemberIndex {
  private var asked: Set<ObjectIdentifier> = []
  private var members: [ObjectIdentifier: [Int64: [PageRow]]] = [:]

  func rows(
    of relationship: RelationshipLayout,
    owner: Int64,
    in state: InMemoryState
  ) -> [PageRow] {
    let name = ObjectIdentifier(relationship)
    if let known = members[name] { return known[owner] ?? [] }
    if asked.insert(name).inserted { return state.members(of: relationship, owner: owner) }
    let owners = state.tables[state.model.entities[relationship.entity].root]
      .filter { _ in true }.map(\.key)
    let all = state.members(of: relationship, owners: Set(owners))
    members[name] = all
    return all[owner] ?? []
  }
}
