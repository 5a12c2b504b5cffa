// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel
import PerennialSQL
package import PerennialStore

// Rows by the value of one attribute.

extension SQLiteStore {
  package func fetchRows(
    _ lookUp: LookUp,
    _ values: LookUp.Values,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    if let value = KeyLookUp.onlyValue(of: lookUp, values, schema) {
      try fetchRows(lookUp, value, body)
    } else if let values = KeyLookUp(lookUp, values, schema) {
      var query = StoreQuery(entity: lookUp.entity)
      query.includesSubentities = lookUp.includesSubentities
      query.isForUpdate = lookUp.isForUpdate
      try fetchRows(query, values, body)
    } else {
      try fetchRows(translating: StoreQuery(lookUp, values, of: model), body)
    }
  }

  /// Gives the rows of a look-up of one value.
  ///
  /// Safe because the reader that has the lent block ends before the block does, and pages are copies of it.
  private func fetchRows(
    _ lookUp: LookUp,
    _ value: SQLValue,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let plan = lookUp.includesSubentities ? familyPlans[lookUp.entity] : ownPlans[lookUp.entity]
    guard lookUp.limit == 1 || schema.isUnique(lookUp.slot, in: lookUp.entity) else {
      var reader = PageReader(plan)
      return try fetchRows(lookUp, value, &reader, body)
    }
    try withUnsafeTemporaryAllocation(byteCount: PageBuilder.rowByteCount, alignment: 16) {
      (block) throws(PerennialError) in
      var reader = PageReader(plan, lending: block)
      try fetchRows(lookUp, value, &reader, body)
    }
  }

  private func fetchRows(
    _ lookUp: LookUp,
    _ value: SQLValue,
    _ reader: inout PageReader,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    try look(isForUpdate: lookUp.isForUpdate) { connection throws(SQLiteFailure) in
      let key = StatementKey.lookUp(
        entity: lookUp.entity,
        family: lookUp.includesSubentities,
        slot: lookUp.slot,
        bucket: 1,
        limit: lookUp.limit
      )
      let statement = try connection.statement(key) { () throws(SQLiteFailure) in
        sql(StoreQuery(lookUp, .one(.null), of: model), slot: lookUp.slot, bucket: 1)
      }
      try statement.withBound(value) { () throws(SQLiteFailure) in
        try reader.read(statement, body)
      }
      reader.finish(body)
    }
  }

  /// Gives the rows of a look-up by a list.
  func fetchRows(
    _ query: StoreQuery,
    _ lookUp: KeyLookUp,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    // A value that is in two statements' lists must not give its rows twice.
    let isOneStatement = lookUp.values.count <= ParameterList<SQLValue>.greatestCount
    let values = isOneStatement ? lookUp.values : Array(Set(lookUp.values))
    try look(isForUpdate: query.isForUpdate) { connection throws(SQLiteFailure) in
      try connection.begin(query.cancellation)
      defer { connection.end(query.cancellation) }
      func look() throws(SQLiteFailure) {
        try self.look(query, slot: lookUp.slot, values.inIndexOrder, on: connection, body)
      }
      guard !isOneStatement else { return try look() }
      // Several statements must see one snapshot.
      try connection.transaction(.deferred) { () throws(SQLiteFailure) in try look() }
    }
  }

  /// Reads with a reader; with the writer before an update, so that its cache has the pages that the
  /// save will change.
  private func look(
    isForUpdate: Bool,
    _ body: (SQLiteConnection) throws(SQLiteFailure) -> Void
  ) throws(PerennialError) {
    if isForUpdate, pool.canWrite { try write(body) } else { try read(body) }
  }

  /// Reads rows by values, as many at a time as a list takes.
  private func look(
    _ query: StoreQuery,
    slot: Int,
    _ values: [SQLValue],
    on connection: SQLiteConnection,
    _ body: (RowPage) -> Void
  ) throws(SQLiteFailure) {
    var reader = PageReader(plan(of: query))
    for list in values.parameterLists {
      let key = StatementKey.lookUp(
        entity: query.entity,
        family: query.includesSubentities,
        slot: slot,
        bucket: list.count,
        limit: 0
      )
      let statement = try connection.statement(key) { () throws(SQLiteFailure) in
        sql(query, slot: slot, bucket: list.count)
      }
      defer { statement.clear() }
      try statement.bind(list)
      try reader.read(statement, body)
    }
    reader.finish(body)
  }

  private func sql(_ query: StoreQuery, slot: Int, bucket: Int) -> String {
    var translation = QueryTranslation()
    let column = schema.column(of: slot, in: query.entity)?.name ?? ""
    translation.condition = KeyLookUp.condition(column, count: bucket, schema.dialect)
    return select(query, translation, .rows).sql
  }
}
