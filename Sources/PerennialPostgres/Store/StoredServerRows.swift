// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// Reads the stored rows that may be in the way of a save.
struct StoredServerRows: StoredRows {
  let connection: PostgresConnection
  let schema: StoreSchema
  let plans: [RowPlan]

  func rows(keys: [Int64], root: Int) throws(PostgresFailure) -> [PageRow] {
    var parameters = PostgresFields()
    parameters.append(keys)
    let condition = "t0.\(schema.rows.key) = ANY ($1)"
    return try rows(condition, [PostgresType.integer.array], parameters, root: root)
  }

  func rows(
    of constraint: TableConstraint,
    values: [[SlotKey]],
    root: Int
  ) throws(PostgresFailure) -> [PageRow] {
    let columns = constraint.slots.compactMap { schema.column(of: $0, in: constraint.owner) }
    var parameters = PostgresFields()
    for (index, column) in columns.enumerated() {
      var elements = PostgresFields()
      for list in values { elements.append(list[index], of: column.kind) }
      parameters.append(elements, arrayOf: PostgresType(column.kind))
    }
    let names = columns.indices.map { "v\($0)" }
    let condition = zip(columns, names).map { "t0.\($0.name) = n.\($1)" }
    let marks = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    return try rows(
      """
      EXISTS (SELECT 1 FROM unnest(\(marks)) AS n (\(names.joined(separator: ", ")))
      WHERE \(condition.joined(separator: " AND ")))
      """,
      columns.map { PostgresType($0.kind).array },
      parameters,
      root: root
    )
  }

  private func rows(
    _ condition: String,
    _ types: [PostgresType],
    _ parameters: PostgresFields,
    root: Int
  ) throws(PostgresFailure) -> [PageRow] {
    let sql =
      "SELECT \(plans[root].columns) FROM \(schema.table(of: root)) AS t0 WHERE \(condition)"
    let result = try connection.run(PostgresStatement(sql, types), parameters, .reading)
    var reader = RowReader(plans[root])
    var rows: [PageRow] = []
    func take(_ page: RowPage) {
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    try reader.read(result, take)
    reader.finish(take)
    return rows
  }
}

extension PostgresFields {
  /// Appends a value as a column of a kind has it.
  fileprivate mutating func append(_ value: SlotKey, of kind: ColumnKind) {
    switch value.sqlValue {
    case .null: appendNull()
    case .integer(let number):
      if kind == .decimal, let number = PostgresNumeric("\(number)") {
        append(number)
      } else {
        append(number)
      }
    case .double(let number): append(number)
    case .text(let text):
      if kind == .decimal {
        if let number = PostgresNumeric(text) { append(number) } else { appendNull() }
      } else {
        append(text)
      }
    case .blob(let data): append(data)
    }
  }
}
#endif
