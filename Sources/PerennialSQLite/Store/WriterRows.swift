// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// What the writer's connection reads for a ``ConflictFinder``.
struct WriterRows: StoredRows {
  let connection: SQLiteConnection
  let schema: StoreSchema
  let plans: [RowPlan]

  private static let listSize = 500

  func rows(keys: [Int64], root: Int) throws(SQLiteFailure) -> [PageRow] {
    var rows: [PageRow] = []
    for batch in keys.batches(of: Self.listSize) {
      let list = batch.map { SQLValue.integer($0) }
      rows += try self.rows(where: "t0.Z_PK", list, root: root)
    }
    return rows
  }

  func rows(
    of constraint: TableConstraint,
    values: [[SlotKey]],
    root: Int
  ) throws(SQLiteFailure) -> [PageRow] {
    let columns = constraint.slots.compactMap { schema.column(of: $0, in: constraint.owner)?.name }
      .map { "t0.\($0)" }
    var rows: [PageRow] = []
    if columns.count == 1 {
      for batch in values.batches(of: Self.listSize) {
        let list = batch.map { $0[0].sqlValue }
        rows += try self.rows(where: columns[0], list, root: root)
      }
    } else {
      let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
      for list in values {
        rows += try self.rows(matching: condition, list.map(\.sqlValue), root: root)
      }
    }
    return rows
  }

  private func rows(
    where column: String,
    _ values: [SQLValue],
    root: Int
  ) throws(SQLiteFailure) -> [PageRow] {
    let marks = SQLText.marks(values.count)
    return try rows(matching: "\(column) IN (\(marks))", values, root: root)
  }

  private func rows(
    matching condition: String,
    _ values: [SQLValue],
    root: Int
  ) throws(SQLiteFailure) -> [PageRow] {
    let sql =
      "SELECT \(plans[root].columns) FROM \(schema.table(of: root)) AS t0 WHERE \(condition)"
    let statement = try connection.statement(.text(sql)) { () throws(SQLiteFailure) in sql }
    defer { statement.clear() }
    try statement.bind(values)
    var reader = PageReader(plans[root], expectsOne: values.count == 1)
    var rows: [PageRow] = []
    func take(_ page: RowPage) {
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    try reader.read(statement, take)
    reader.finish(take)
    return rows
  }
}
