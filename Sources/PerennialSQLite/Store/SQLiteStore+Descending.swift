// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

// All rows, the greatest first: an index gives them without sorting only when equal rows come in
// falling order of their keys, too. They are to come in rising order, and are turned round here.

extension SQLiteStore {
  /// The references of all rows of one entity in falling order of a number; `nil` for other queries.
  func descendingReferences(
    _ query: StoreQuery,
    _ translation: QueryTranslation
  ) throws(PerennialError) -> [ObjectReference]? {
    guard case .all = query.scope, let column = descendingColumn(of: query),
      let order = translation.order, order.count == 2, order[1] == "t0.Z_PK"
    else { return nil }
    var falling = translation
    falling.order = [order[0], "t0.Z_PK DESC"]
    return try read { connection throws(SQLiteFailure) in
      var references: [ObjectReference] = []
      try run(query, falling, .keysAndValues(column: column.name), on: connection) {
        statement throws(SQLiteFailure) in
        var start = 0
        var last: SortedNumber?
        while try statement.step() {
          let value = SortedNumber(statement, column.kind)
          if value != last {
            if references.count - start > 1 { references[start...].reverse() }
            start = references.count
            last = value
          }
          references.append(ObjectReference(key: statement.integer(0), entity: query.entity))
        }
        references[start...].reverse()
      }
      return references
    }
  }

  /// The column of numbers that alone decides about a query's order, the greatest first.
  private func descendingColumn(of query: StoreQuery) -> SlotColumn? {
    guard query.limit == 0, query.offset == 0, query.sorts.count == 1,
      let sort = query.sorts.first, !sort.ascending, sort.steps.count == 1,
      schema.isOfOneEntity(query.entity, includesSubentities: query.includesSubentities),
      let slot = model.entities[query.entity].slot(named: sort.steps[0]),
      let column = schema.column(of: slot, in: query.entity)
    else { return nil }
    return [.integer, .bool, .double].contains(column.kind) ? column : nil
  }
}

/// A number or NULL, as the rows are ordered by it.
private enum SortedNumber: Equatable {
  case null
  case integer(Int64)
  case double(Double)

  @inline(__always)
  init(_ statement: SQLiteStatement, _ kind: ColumnKind) {
    if kind == .double {
      let value = statement.double(1)
      self = value == 0 && statement.isNull(1) ? .null : .double(value)
    } else {
      let value = statement.integer(1)
      self = value == 0 && statement.isNull(1) ? .null : .integer(value)
    }
  }
}
