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
    _ values: LookUp.Values,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    try fetchRows(lookUp, values, cancellation: nil, body)
  }

  /// Gives the rows of a look-up, until somebody cancels it.
  func fetchRows(
    _ lookUp: LookUp,
    _ values: LookUp.Values,
    cancellation: FetchCancellation?,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    var query = StoreQuery(lookUp, values, of: model)
    query.cancellation = cancellation
    if let value = KeyLookUp.onlyValue(of: lookUp, values, schema) {
      try fetchRows(lookUp, value, query, body)
    } else if let values = KeyLookUp(lookUp, values, schema) {
      var query = StoreQuery(entity: lookUp.entity)
      query.includesSubentities = lookUp.includesSubentities
      query.cancellation = cancellation
      try fetchRows(query, values, body)
    } else {
      try fetchRows(translating: query, body)
    }
  }

  private func fetchRows(
    _ lookUp: LookUp,
    _ value: SQLValue,
    _ query: StoreQuery,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let expectsOne = lookUp.limit == 1 || schema.isUnique(lookUp.slot, in: lookUp.entity)
    let value = PostgresValue(value)
    let statement = statement(query, slot: lookUp.slot, value.type, isOne: true)
    try fetchRows(query, statement, PostgresFields([value]), expectsOne: expectsOne, body)
  }

  /// Gives the rows of a look-up by a list.
  func fetchRows(
    _ query: StoreQuery,
    _ lookUp: KeyLookUp,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let type = PostgresValue(lookUp.values[0]).type
    var elements = PostgresFields()
    for value in lookUp.values { elements.append(PostgresValue(value)) }
    var parameters = PostgresFields()
    parameters.append(elements, arrayOf: type)
    let statement = statement(query, slot: lookUp.slot, type.array, isOne: false)
    try fetchRows(query, statement, parameters, expectsOne: false, body)
  }

  private func fetchRows(
    _ query: StoreQuery,
    _ statement: PostgresStatement,
    _ parameters: PostgresFields,
    expectsOne: Bool,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let options = PostgresRunOptions(cancellation: query.cancellation, isReading: true)
    let result = try read(query.cancellation) { connection throws(PostgresFailure) in
      try connection.run(statement, parameters, options)
    }
    var reader = RowReader(plan(of: query), expectsOne: expectsOne)
    try reading { () throws(PostgresFailure) in try reader.read(result, body) }
    reader.finish(body)
  }

  /// The statement for one value, or a list; its text is made once, but for unusual limits.
  private func statement(
    _ query: StoreQuery,
    slot: Int,
    _ type: PostgresType,
    isOne: Bool
  ) -> PostgresStatement {
    func make() -> PostgresStatement {
      var translation = QueryTranslation()
      let column = schema.column(of: slot, in: query.entity)?.name ?? ""
      translation.condition = KeyLookUp.condition(column, count: isOne ? 1 : 2, schema.dialect)
      let text = select(query, translation, .rows).sql
      return PostgresStatement(schema.dialect.finished(text), [type])
    }
    guard query.limit <= 1, query.slots == nil else { return make() }
    let key = StatementKey.lookUp(
      entity: query.entity,
      family: query.includesSubentities,
      slot: slot,
      isOne: isOne,
      isLimited: query.limit == 1
    )
    return statements.statement(key, make)
  }
}
#endif
