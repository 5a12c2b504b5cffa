// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
package import PerennialModel
package import PerennialPredicate
import PerennialSQL
package import PerennialStore

extension PostgresStore {
  package func fetchReferences(
    _ query: StoreQuery,
    sectionedBy key: FetchSort
  ) throws(PerennialError) -> SectionedReferences {
    guard let (statement, types) = try sectionStatement(query, values: [key]) else {
      return SectionedReferences(try projectedSortKeys(query, [key]))
    }
    let rows = try run(statement)
    let references = try reading { () throws(PostgresFailure) in
      try self.references(rows, query)
    }
    var result = SectionedReferences()
    var last: PropertyValue?
    for row in 0..<rows.count {
      let value = ValueReader.attribute(types[0]).value(rows, row, 2, schema, objectIDs) ?? .null
      if last != value {
        result.sections.append(.init(value: value, start: row))
        last = value
      }
    }
    result.references = references
    return result
  }

  package func fetchSortKeys(
    _ query: StoreQuery,
    _ sorts: [FetchSort]
  ) throws(PerennialError) -> [SortKeys] {
    guard let (statement, types) = try sectionStatement(query, values: sorts) else {
      return try projectedSortKeys(query, sorts)
    }
    let rows = try run(statement)
    let references = try reading { () throws(PostgresFailure) in
      try self.references(rows, query)
    }
    return references.enumerated().map { row, reference in
      let values = types.indices.map { place in
        ValueReader.attribute(types[place])
          .value(rows, row, place + 2, schema, objectIDs) ?? .null
      }
      return SortKeys(reference: reference, values: values)
    }
  }

  /// The rows of a statement of a translator's.
  func run(_ statement: SelectStatement) throws(PerennialError) -> PostgresResult {
    let call = PostgresCall(statement, schema.dialect)
    return try read { connection throws(PostgresFailure) in
      try connection.run(call.statement, call.parameters, .reading)
    }
  }
}
#endif
