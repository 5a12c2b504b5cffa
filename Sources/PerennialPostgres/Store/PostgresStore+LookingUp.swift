// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialPredicate
import PerennialSQL
package import PerennialStore

// Rows by the value of one attribute: however many values, one statement with one parameter.

extension PostgresStore {
  package func fetchRows(
    _ lookUp: LookUp,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    switch lookUp.values {
    case .one(let constant):
      guard let value = KeyLookUp.value(constant, of: lookUp, schema) else { break }
      return try fetchRows(lookUp, value, body)
    case .several(let constants):
      guard let values = KeyLookUp(lookUp, of: constants, schema) else { break }
      var query = StoreQuery(entity: lookUp.entity)
      query.includesSubentities = lookUp.includesSubentities
      return try fetchRows(query, values, body)
    }
    try fetchRows(translating: StoreQuery(lookUp, of: model), body)
  }

  private func fetchRows(
    _ lookUp: LookUp,
    _ value: SQLValue,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let query = StoreQuery(lookUp, of: model)
    let expectsOne = lookUp.limit == 1 || schema.isUnique(lookUp.slot, in: lookUp.entity)
    let value = PostgresValue(value)
    let statement = PostgresStatement(sql(query, slot: lookUp.slot, count: 1), [value.type])
    try fetchRows(query, statement, PostgresFields([value]), expectsOne: expectsOne, body)
  }

  /// Gives the rows of a look-up by a list.
  func fetchRows(
    _ query: StoreQuery,
    _ lookUp: KeyLookUp,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let values = lookUp.values.map { PostgresValue($0) }
    let type = values[0].type
    var parameters = PostgresFields()
    parameters.append(PostgresFields(values), arrayOf: type)
    let statement = PostgresStatement(
      sql(query, slot: lookUp.slot, count: values.count + 1),
      [type.array]
    )
    try fetchRows(query, statement, parameters, expectsOne: false, body)
  }

  private func fetchRows(
    _ query: StoreQuery,
    _ statement: PostgresStatement,
    _ parameters: PostgresFields,
    expectsOne: Bool,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let result = try read { connection throws(PostgresFailure) in
      try connection.run(statement, parameters, .reading)
    }
    var reader = RowReader(plan(of: query), expectsOne: expectsOne)
    reader.read(result, body)
    reader.finish(body)
  }

  private func sql(_ query: StoreQuery, slot: Int, count: Int) -> String {
    var translation = QueryTranslation()
    let column = schema.column(of: slot, in: query.entity)?.name ?? ""
    translation.condition = KeyLookUp.condition(column, count: count, schema.dialect)
    return schema.dialect.finished(select(query, translation, .rows).sql)
  }
}
#endif
