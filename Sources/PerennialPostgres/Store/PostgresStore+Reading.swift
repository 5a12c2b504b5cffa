// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
package import PerennialSQL
package import PerennialStore

extension PostgresStore {
  package func fetchRows(
    _ query: StoreQuery,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    if let (lookUp, value) = try query.lookUp(in: model) {
      return try fetchRows(lookUp, .one(value), cancellation: query.cancellation, body)
    }
    if let lookUp = try KeyLookUp(query, schema: schema) {
      return try fetchRows(query, lookUp, body)
    }
    try fetchRows(translating: query, body)
  }

  package func fetchRows(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    _ body: (RowPage) -> Void
  ) throws(PerennialError) {
    let call = call(query, translation, .rows)
    var reader = RowReader(plan(of: query), expectsOne: query.expectsOne(translation))
    guard query.isOpen else {
      let options = PostgresRunOptions(cancellation: query.cancellation, isReading: true)
      let result = try read(query.cancellation) { connection throws(PostgresFailure) in
        try connection.run(call.statement, call.parameters, options)
      }
      try reading { () throws(PostgresFailure) in try reader.read(result, body) }
      return reader.finish(body)
    }
    try forEachRows(call, query.cancellation) { result throws(PostgresFailure) in
      try reader.read(result, body)
      return true
    }
    reader.finish(body)
  }

  /// Turns what is wrong with an answer into an error for users.
  func reading<Result>(
    _ body: () throws(PostgresFailure) -> Result
  ) throws(PerennialError) -> Result {
    do throws(PostgresFailure) {
      return try body()
    } catch {
      throw PerennialError(error, during: .reading, store: location)
    }
  }

  /// Hands on the rows of a query as they arrive, as long as they are wanted.
  func forEachRows(
    _ call: PostgresCall,
    _ cancellation: FetchCancellation?,
    _ body: (PostgresResult) throws(PostgresFailure) -> Bool
  ) throws(PerennialError) {
    let options = PostgresRunOptions(cancellation: cancellation, isReading: true)
    var attempts = Attempts()
    var hasRows = false
    while true {
      do throws(PostgresFailure) {
        return try pool.use(cancellation) { connection throws(PostgresFailure) in
          try noting(on: connection) { connection throws(PostgresFailure) in
            var isWanted = true
            do throws(PostgresFailure) {
              try connection.forEachRows(call.statement, call.parameters, options) {
                rows throws(PostgresFailure) in
                hasRows = hasRows || rows.count > 0
                isWanted = try body(rows)
                if !isWanted { throw PostgresFailure(.cancelled, "that is enough") }
              }
            } catch {
              if isWanted { throw error }
            }
          }
        }
      } catch {
        // What has been handed on cannot be taken back.
        guard !hasRows, attempts.mayRepeat(after: error) else {
          throw PerennialError(error, during: .reading, store: location)
        }
      }
    }
  }

  package func fetchReferences(_ query: StoreQuery) throws(PerennialError) -> [ObjectReference] {
    let translation = try translation(of: query)
    guard translation.isComplete else {
      return try select(query, translation)
        .map { ObjectReference(key: $0.key, entity: $0.entity) }
    }
    let result = try read(query.cancellation) { connection throws(PostgresFailure) in
      try fetchReferences(query, translation, on: connection)
    }
    return try reading { () throws(PostgresFailure) in try references(result, query) }
  }

  /// The keys and numbers of entities of the rows that SQL selects.
  func fetchReferences(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    isForUpdate: Bool = false,
    on connection: PostgresConnection
  ) throws(PostgresFailure) -> PostgresResult {
    let call = call(query, translation, .references)
    let statement = call.statement
    return try connection.run(
      isForUpdate
        ? PostgresStatement(statement.sql + " FOR UPDATE OF t0", statement.types) : statement,
      call.parameters,
      PostgresRunOptions(cancellation: query.cancellation, isReading: true)
    )
  }

  /// The references of a result.
  ///
  /// - Throws: That a row has a key that no object can have: it would be taken for another one's.
  func references(
    _ result: PostgresResult,
    _ query: StoreQuery
  ) throws(PostgresFailure) -> [ObjectReference] {
    let isOfOneEntity = isOfOneEntity(query)
    var references: [ObjectReference] = []
    references.reserveCapacity(result.count)
    for row in 0..<result.count {
      let key = result.integer(row, 0)
      guard PostgresFailure.possibleKeys.contains(key) else { throw .impossibleKey(key) }
      let entity = isOfOneEntity ? nil : schema.entity(ofNumber: result.integer(row, 1))
      references.append(ObjectReference(key: key, entity: entity ?? query.entity))
    }
    return references
  }

  package func count(_ query: StoreQuery) throws(PerennialError) -> Int {
    let translation = try translation(of: query)
    guard translation.isComplete else { return try select(query, translation).count }
    let call = call(query, translation, .count)
    let options = PostgresRunOptions(cancellation: query.cancellation, isReading: true)
    let result = try read(query.cancellation) { connection throws(PostgresFailure) in
      try connection.run(call.statement, call.parameters, options)
    }
    return result.count > 0 ? Int(result.integer(0, 0)) : 0
  }

  /// The plan for the rows of a query.
  package func plan(of query: StoreQuery) -> RowPlan {
    let plan = query.includesSubentities ? familyPlans[query.entity] : ownPlans[query.entity]
    guard let slots = query.slots else { return plan }
    return RowPlan(
      entity: query.entity,
      includesSubentities: query.includesSubentities,
      slots: Set(slots),
      schema: schema,
      externalFiles: .nowhere
    )
  }

  /// Whether all rows of a query are of just its entity.
  func isOfOneEntity(_ query: StoreQuery) -> Bool {
    schema.isOfOneEntity(query.entity, includesSubentities: query.includesSubentities)
  }

  /// The statement of a query with its parameters: a list of keys is one.
  func call(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    _ output: SelectOutput
  ) -> PostgresCall {
    guard query.isPlain, query.slots == nil else {
      return PostgresCall(select(query, translation, output), schema.dialect)
    }
    switch query.scope {
    case .keys(let keys): return call(query, keys: keys, output)
    case .related(let relationship, let owner):
      guard case .toMany(let number) = relationship.place else { break }
      let key = StatementKey.related(
        entity: query.entity,
        family: query.includesSubentities,
        output: output,
        owner: relationship.entity,
        toMany: number
      )
      let statement = statements.statement(key) {
        PostgresCall(select(query, translation, output), schema.dialect).statement
      }
      var parameters = PostgresFields()
      parameters.append(owner)
      return PostgresCall(statement, parameters)
    case .all, .relatedMember: break
    }
    return PostgresCall(select(query, translation, output), schema.dialect)
  }

  private func call(_ query: StoreQuery, keys: [Int64], _ output: SelectOutput) -> PostgresCall {
    let isOne = keys.count == 1
    let key = StatementKey.keys(
      entity: query.entity,
      family: query.includesSubentities,
      output: output,
      isOne: isOne
    )
    let statement = statements.statement(key) {
      let text = select(query, QueryTranslation(), output, keyCount: isOne ? 1 : 2).sql
      let type = isOne ? PostgresType.integer : PostgresType.integer.array
      return PostgresStatement(schema.dialect.finished(text), [type])
    }
    var parameters = PostgresFields()
    if isOne { parameters.append(keys[0]) } else { parameters.append(keys) }
    return PostgresCall(statement, parameters)
  }

  func select(
    _ query: StoreQuery,
    _ translation: QueryTranslation,
    _ output: SelectOutput,
    keyCount: Int? = nil
  ) -> SelectStatement {
    var builder = SelectBuilder(query, output: output, schema: schema, translation: translation)
    return builder.build(columns: plan(of: query).columns, keyCount: keyCount)
  }
}

extension StoreQuery {
  /// Whether so many rows may come that they are read as they arrive.
  fileprivate var isOpen: Bool {
    switch scope {
    case .keys, .relatedMember: false
    case .all, .related: limit == 0 || limit > 1_000
    }
  }
}

extension PostgresRunOptions {
  /// Of a statement that only reads.
  static let reading = PostgresRunOptions(isReading: true)
}
#endif
