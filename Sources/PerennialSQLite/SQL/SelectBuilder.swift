// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// A query as SQL.
struct SelectStatement {
  var sql: String
  var bindings: [SQLValue]
  /// What is left to do in memory with the rows that SQL gives: a condition, sorts, the window.
  var remainder: StoreQuery?
}

/// A predicate as a WHERE clause.
struct ConditionSQL {
  /// The clause; empty when it is always true.
  var sql = ""
  var bindings: [SQLValue] = []
  var residual: FetchPredicate?
}

/// Makes the SQL of a query.
///
/// The entity's table is called `t0`, a join table `j0`.
struct SelectBuilder {
  private let schema: StoreSchema
  private let query: StoreQuery
  private let output: SelectOutput
  private var conditions: [String] = []
  private var bindings: [SQLValue] = []
  private var source: String
  private var order: [String] = []

  init(_ query: StoreQuery, output: SelectOutput, schema: StoreSchema) {
    self.schema = schema
    self.query = query
    self.output = output
    source = "\(schema.table(of: query.entity)) AS t0"
  }

  /// The statement.
  ///
  /// - Parameters:
  ///   - columns: The columns of a row.
  ///   - keyCount: How many parameters a list of keys gets; `nil` for one parameter with JSON.
  /// - Returns: The text and what is bound to its parameters.
  mutating func build(columns: String, keyCount: Int? = nil) -> SelectStatement {
    addScope(keyCount: keyCount)
    if let condition = schema.entityCondition(
      query.entity,
      includesSubentities: query.includesSubentities,
      alias: "t0"
    ) {
      conditions.append(condition)
    }
    let condition = query.predicate.map { self.condition(of: $0) } ?? ConditionSQL()
    if !condition.sql.isEmpty { conditions.append("(\(condition.sql))") }
    bindings += condition.bindings
    let terms = orderTerms(of: query.sorts)
    if let terms, !terms.isEmpty { order = terms }
    let remainder = remainder(condition.residual, isSorted: terms != nil)
    return SelectStatement(
      sql: text(columns: columns, hasWindow: remainder == nil && hasWindow),
      bindings: bindings,
      remainder: remainder
    )
  }

  /// What is left to do in memory, if anything is.
  private func remainder(_ residual: FetchPredicate?, isSorted: Bool) -> StoreQuery? {
    guard residual != nil || !isSorted else { return nil }
    var remainder = query
    remainder.predicate = residual
    if isSorted { remainder.sorts = [] }
    return remainder
  }

  /// Where the predicate translator is plugged in: the clause over `t0`, its bindings in the order
  /// of their parameters, and what is left to do in memory.
  private func condition(of predicate: FetchPredicate) -> ConditionSQL {
    ConditionSQL(residual: predicate)
  }

  /// Where the predicate translator is plugged in: the terms of ORDER BY, over `t0`; `nil` when SQL
  /// cannot sort so.
  private func orderTerms(of sorts: [FetchSort]) -> [String]? { sorts.isEmpty ? [] : nil }

  private mutating func addScope(keyCount: Int?) {
    switch query.scope {
    case .all: break
    case .keys(let keys):
      if let keyCount {
        let marks = repeatElement("?", count: keyCount).joined(separator: ", ")
        conditions.append(keyCount == 1 ? "t0.Z_PK = ?" : "t0.Z_PK IN (\(marks))")
      } else {
        conditions.append("t0.Z_PK IN (SELECT value FROM json_each(?))")
        bindings.append(.text("[" + keys.map(String.init).joined(separator: ",") + "]"))
      }
    case .related(let relationship, let owner):
      addRelated(relationship, owner: owner)
    case .relatedMember(let relationship, let owner, let member):
      addRelated(relationship, owner: owner)
      conditions.append("t0.Z_PK = ?")
      bindings.append(.integer(member))
    }
  }

  private mutating func addRelated(_ relationship: RelationshipLayout, owner: Int64) {
    var orderColumn: String?
    if let (table, side) = schema.joinTable(of: relationship) {
      source = "\(table) AS j0 JOIN \(source) ON t0.Z_PK = j0.\(side.other)"
      conditions.append("j0.\(side.own) = ?")
      orderColumn = side.order.map { "j0.\($0)" }
    } else if let column = schema.ownerColumn(of: relationship) {
      conditions.append("t0.\(column.name) = ?")
      orderColumn = column.orderColumn.map { "t0.\($0)" }
    }
    bindings.append(.integer(owner))
    if let orderColumn { order = ["\(orderColumn) IS NULL", orderColumn, "t0.Z_PK"] }
  }

  private func text(columns: String, hasWindow: Bool) -> String {
    var sql: String =
      switch output {
      case .rows: "SELECT \(columns)"
      case .references: "SELECT t0.Z_PK, t0.Z_ENT"
      case .count where hasWindow: "SELECT COUNT(*) FROM (SELECT 1"
      case .count: "SELECT COUNT(*)"
      }
    sql += " FROM \(source)"
    if !conditions.isEmpty { sql += " WHERE " + conditions.joined(separator: " AND ") }
    if output != .count, !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
    guard hasWindow else { return sql }
    sql += " LIMIT \(query.limit > 0 ? query.limit : -1)"
    if query.offset > 0 { sql += " OFFSET \(query.offset)" }
    return output == .count ? sql + ")" : sql
  }

  private var hasWindow: Bool { query.limit > 0 || query.offset > 0 }
}
