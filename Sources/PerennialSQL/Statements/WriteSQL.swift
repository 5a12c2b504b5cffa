// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The statements that write rows.
package enum WriteSQL {
  /// Several rows at once.
  ///
  /// - Parameters:
  ///   - entity: The rows' entity.
  ///   - version: The version of them all; `nil` where each has its own, as the second parameter.
  ///   - columns: The columns of slots; the key comes before them.
  ///   - rows: How many rows.
  ///   - schema: The schema.
  /// - Returns: The statement.
  package static func insert(
    into entity: Int,
    version: Int64?,
    columns: [String],
    rows: Int,
    _ schema: StoreSchema
  ) -> String {
    let names = schema.rows
    var constants: [InsertionConstant] = []
    if schema.hasEntityColumn(entity) {
      constants.append((names.entity, schema.number(of: entity)))
    }
    if let version { constants.append((names.version, version)) }
    return schema.dialect.insertion(
      into: schema.table(of: entity),
      columns: (version == nil ? [names.key, names.version] : [names.key]) + columns,
      constants: constants,
      rows: rows,
      conflict: .fails
    )
  }

  /// A pair of a link, which may be there already.
  package static func insertPair(
    into join: JoinTable,
    _ dialect: any StatementDialect
  ) -> String {
    dialect.insertion(
      into: join.table,
      columns: [join.first.own, join.first.other],
      rows: 1,
      conflict: .keepsOld
    )
  }

  /// One row, when it has the expected version; `emptied` columns become NULL.
  package static func update(
    _ table: String,
    columns: [String],
    emptied: [String],
    _ names: RowNames
  ) -> String {
    let assignments =
      ["\(names.version) = ?"] + columns.map { "\($0) = ?" } + emptied.map { "\($0) = NULL" }
    let list = assignments.joined(separator: ", ")
    return
      "UPDATE \(table) SET \(list) WHERE \(names.key) = ? AND COALESCE(\(names.version), 0) = ?"
  }

  /// The same values into all rows of a condition on `t0` that follows, which get the next version.
  package static func updateAll(
    _ table: String,
    columns: [String],
    _ names: RowNames
  ) -> String {
    let assignments =
      columns.map { "\($0) = ?" } + ["\(names.version) = COALESCE(\(names.version), 0) + 1"]
    return "UPDATE \(table) AS t0 SET \(assignments.joined(separator: ", "))"
  }

  /// NULL into columns of one row.
  package static func clear(_ table: String, columns: [String], _ names: RowNames) -> String {
    let list = columns.map { "\($0) = NULL" }.joined(separator: ", ")
    return "UPDATE \(table) SET \(list) WHERE \(names.key) = ?"
  }
}
