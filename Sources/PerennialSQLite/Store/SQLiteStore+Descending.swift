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
        references = try Self.read(statement, column.kind, entity: query.entity)
      }
      return references
    }
  }

  /// Reads keys and values in falling order, and turns every run of equal values round.
  private static func read(
    _ statement: SQLiteStatement,
    _ kind: ColumnKind,
    entity: Int
  ) throws(SQLiteFailure) -> [ObjectReference] {
    var references: [ObjectReference] = []
    var start = 0
    var last: UInt64 = 0
    while try statement.step() {
      let value = sortedBits(statement, kind)
      if value != last {
        if references.count - start > 1 { references[start...].reverse() }
        start = references.count
        last = value
      }
      references.append(ObjectReference(key: statement.integer(0), entity: entity))
    }
    references[start...].reverse()
    return references
  }

  /// The same for equal values only; NULL, which is no number, is that of a NaN.
  @inline(__always)
  private static func sortedBits(_ statement: SQLiteStatement, _ kind: ColumnKind) -> UInt64 {
    if kind == .double {
      let value = statement.double(1)
      if value != 0 { return value.bitPattern }
    } else {
      let value = statement.integer(1)
      if value != 0 { return UInt64(bitPattern: value) }
    }
    return statement.isNull(1) ? Double.nan.bitPattern : 0
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
