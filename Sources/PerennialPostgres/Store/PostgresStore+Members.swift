// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
import PerennialSQL
package import PerennialStore

// The members of several owners, in one statement.

extension PostgresStore {
  package func fetchMembers(
    of relationship: RelationshipLayout,
    owners: [Int64],
    limit: Int
  ) throws(PerennialError) -> MemberRows {
    let query = StoreQuery(
      entity: relationship.destination,
      scope: .related(relationship, owner: 0)
    )
    var rows = MemberRows()
    var reader = RowReader(plan(of: query))
    let call = call(query, relationship, .membersByOwner, owners: owners)
    if limit > 0 {
      try forEachRows(call, nil) { result throws(PostgresFailure) in
        try reader.readMembers(result, &rows, limit: limit)
      }
    } else {
      let result = try read { connection throws(PostgresFailure) in
        try connection.run(call.statement, call.parameters, .reading)
      }
      _ = try reading { () throws(PostgresFailure) in
        try reader.readMembers(result, &rows, limit: 0)
      }
    }
    reader.finish { rows.append($0) }
    return rows
  }

  package func countMembers(
    of relationship: RelationshipLayout,
    owners: [Int64]
  ) throws(PerennialError) -> [Int64: Int] {
    let query = StoreQuery(
      entity: relationship.destination,
      scope: .related(relationship, owner: 0)
    )
    let call = call(query, relationship, .countsByOwner, owners: owners)
    let result = try read { connection throws(PostgresFailure) in
      try connection.run(call.statement, call.parameters, .reading)
    }
    var counts: [Int64: Int] = [:]
    for row in 0..<result.count {
      counts[result.integer(row, 0)] = Int(result.integer(row, 1))
    }
    return counts
  }

  private func call(
    _ query: StoreQuery,
    _ relationship: RelationshipLayout,
    _ output: SelectOutput,
    owners: [Int64]
  ) -> PostgresCall {
    func make() -> PostgresStatement {
      let text = select(query, QueryTranslation(), output, keyCount: 2).sql
      return PostgresStatement(schema.dialect.finished(text), [PostgresType.integer.array])
    }
    var statement: PostgresStatement?
    if case .toMany(let number) = relationship.place {
      let key = StatementKey.members(owner: relationship.entity, toMany: number, output: output)
      statement = statements.statement(key, make)
    }
    var parameters = PostgresFields()
    parameters.append(owners)
    return PostgresCall(statement ?? make(), parameters)
  }
}
#endif
