// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialPredicate

/// The rows of a store at one moment, and the answers that they give.
package struct InMemorySnapshot: RowReader, Sendable {
  let state: InMemoryState
  package let identifier: UUID

  package var model: ModelLayout { state.model }

  package func row(of reference: ObjectReference) throws(PerennialError) -> PageRow? {
    state.tables[model.entities[reference.entity].root][reference.key]
  }

  package func rows(
    of relationship: RelationshipLayout,
    owner: Int64
  ) throws(PerennialError) -> [PageRow] {
    state.members(of: relationship, owner: owner)
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
    var rows = MemberRows()
    var builder = PageBuilder()
    for owner in owners.sorted() {
      if rows.isFull(for: owner, limit: limit) { break }
      for row in state.members(of: relationship, owner: owner) {
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
