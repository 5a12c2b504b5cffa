// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

// Rows by the value of one attribute.

extension SQLiteStore {
  /// Gives the rows of a look-up.
  func fetchRows(
    _ query: StoreQuery,
    _ lookUp: KeyLookUp,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    guard query.isForUpdate, pool.canWrite else {
      return try read { connection throws(SQLiteFailure) in
        try look(query, lookUp, on: connection, body)
      }
    }
    // The writer's cache then has the pages that the save will change.
    try write { connection throws(SQLiteFailure) in
      try look(query, lookUp, on: connection, body)
    }
  }

  private func look(
    _ query: StoreQuery,
    _ lookUp: KeyLookUp,
    on connection: SQLiteConnection,
    _ body: (RowPage) -> Void
  ) throws(SQLiteFailure) {
    switch lookUp.condition {
    case .value(let value):
      var reader = PageReader(
        plan(of: query),
        expectsOne: query.limit == 1 || schema.isUnique(lookUp.slot, in: query.entity)
      )
      let statement = try statement(query, lookUp, bucket: 1, on: connection)
      try statement.withBound(value) { () throws(SQLiteFailure) in
        try reader.read(statement, body)
      }
      reader.finish(body)
    case .list(let values):
      // A value that is in two statements' lists must not give its rows twice.
      let isOneStatement = values.count <= Self.greatestBucket
      let list = isOneStatement ? values : Array(Set(values))
      try look(query, lookUp, list, on: connection, body)
    }
  }

  /// Reads rows by lists of a few sizes, so that few statements serve all; a list is filled up with
  /// its last value.
  private func look(
    _ query: StoreQuery,
    _ lookUp: KeyLookUp,
    _ values: [SQLValue],
    on connection: SQLiteConnection,
    _ body: (RowPage) -> Void
  ) throws(SQLiteFailure) {
    var reader = PageReader(plan(of: query))
    for start in stride(from: 0, to: values.count, by: Self.greatestBucket) {
      let list = values[start..<min(start + Self.greatestBucket, values.count)]
      let bucket = Self.buckets.first { $0 >= list.count } ?? Self.greatestBucket
      let statement = try statement(query, lookUp, bucket: bucket, on: connection)
      defer { statement.clear() }
      for offset in 0..<bucket {
        try statement.bind(offset + 1, list[min(start + offset, list.endIndex - 1)])
      }
      try reader.read(statement, body)
    }
    reader.finish(body)
  }

  private func statement(
    _ query: StoreQuery,
    _ lookUp: KeyLookUp,
    bucket: Int,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> SQLiteStatement {
    let key = StatementKey.lookUp(
      entity: query.entity,
      family: query.includesSubentities,
      slot: lookUp.slot,
      bucket: bucket,
      limit: query.limit
    )
    return try connection.statement(key) { () throws(SQLiteFailure) in
      var translation = QueryTranslation()
      let column = schema.column(of: lookUp.slot, in: query.entity)?.name ?? ""
      translation.condition = KeyLookUp.condition(column, count: bucket)
      return select(query, translation, .rows).sql
    }
  }
}
