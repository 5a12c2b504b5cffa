// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
package import PerennialPredicate
package import PerennialStore

/// A query as SQL.
package struct SelectStatement: Sendable {
  package var sql: String
  package var bindings: [SQLValue]

  package init(sql: String, bindings: [SQLValue]) {
    self.sql = sql
    self.bindings = bindings
  }
}

/// A predicate as a WHERE clause.
package struct ConditionSQL: Sendable {
  /// The clause; empty when it is always true.
  package var sql = ""
  package var bindings: [SQLValue] = []
  /// What memory has to evaluate on the rows that the clause selects.
  package var residual: FetchPredicate?
}

/// What a query's predicate and sorts are in SQL.
package struct QueryTranslation: Sendable {
  package var condition = ConditionSQL()
  /// The terms of ORDER BY; `nil` when memory has to sort.
  package var order: [String]? = []

  /// The translation of a query of all rows in any order.
  package init() {}

  /// Whether SQL does all; otherwise memory filters, sorts and cuts the rows that it gives.
  package var isComplete: Bool { condition.residual == nil && order != nil }

  /// What memory has to do with the rows that SQL selects for a query.
  package func remainder(of query: StoreQuery) -> StoreQuery {
    var remainder = query
    remainder.predicate = condition.residual
    return remainder
  }
}

/// Makes the SQL of a query.
///
/// The entity's table is called `t0`, a join table `j0`.
package struct SelectBuilder {
  private let schema: StoreSchema
  private let query: StoreQuery
  private let output: SelectOutput
  private let translation: QueryTranslation
  private var conditions: [String] = []
  private var bindings: [SQLValue] = []
  private var source: String
  private var order: [String] = []
  /// The column of the owner's key, for the members of a relationship.
  private var ownerColumn = ""

  /// A builder of one statement.
  package init(
    _ query: StoreQuery,
    output: SelectOutput,
    schema: StoreSchema,
    translation: QueryTranslation
  ) {
    self.schema = schema
    self.translation = translation
    self.query = query
    self.output = output
    source = "\(schema.table(of: query.entity)) AS t0"
  }

  /// The statement.
  ///
  /// - Parameters:
  ///   - columns: The columns of a row.
  ///   - keyCount: How many parameters a list of keys or owners gets; `nil` for one parameter
  ///     with all of them.
  /// - Returns: The text and the values of its parameters.
  package mutating func build(columns: String, keyCount: Int? = nil) -> SelectStatement {
    addConditions(keyCount: keyCount)
    if let terms = translation.order, translation.isComplete, !terms.isEmpty { order = terms }
    return SelectStatement(sql: text(columns: columns), bindings: bindings)
  }

  /// The clause of a statement that changes the rows of the entity's table, called `t0`.
  package mutating func buildCondition() -> SelectStatement {
    guard !hasWindow else {
      let keys = build(columns: "")
      return SelectStatement(sql: " WHERE \(key) IN (\(keys.sql))", bindings: keys.bindings)
    }
    addConditions(keyCount: nil)
    return SelectStatement(sql: clause, bindings: bindings)
  }

  private mutating func addConditions(keyCount: Int?) {
    addScope(keyCount: keyCount)
    if let condition = schema.entityCondition(
      query.entity,
      includesSubentities: query.includesSubentities,
      alias: "t0"
    ) {
      conditions.append(condition)
    }
    let condition = translation.condition
    if !condition.sql.isEmpty { conditions.append("(\(condition.sql))") }
    bindings += condition.bindings
  }

  private var clause: String {
    conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
  }

  private mutating func addScope(keyCount: Int?) {
    switch query.scope {
    case .all: break
    case .keys(let keys):
      if let keyCount {
        conditions.append(
          keyCount == 1 ? "\(key) = ?" : dialect.isAmong(key, parameters: keyCount)
        )
      } else {
        let condition = dialect.isAmong(key, keys: keys)
        conditions.append(condition.sql)
        bindings += condition.bindings
      }
    case .related(let relationship, let owner):
      addRelated(relationship, owner: owner, ownerCount: keyCount)
    case .relatedMember(let relationship, let owner, let member):
      addRelated(relationship, owner: owner)
      conditions.append("\(key) = ?")
      bindings.append(.integer(member))
    }
  }

  private mutating func addRelated(
    _ relationship: RelationshipLayout,
    owner: Int64,
    ownerCount: Int? = nil
  ) {
    var orderColumn: String?
    if let (table, side) = schema.joinTable(of: relationship) {
      source = "\(table) AS j0 JOIN \(source) ON \(key) = j0.\(side.other)"
      ownerColumn = "j0.\(side.own)"
      orderColumn = side.order.map { "j0.\($0)" }
    } else if let column = schema.ownerColumn(of: relationship) {
      ownerColumn = "t0.\(column.name)"
      orderColumn = column.orderColumn.map { "t0.\($0)" }
    }
    if let ownerCount {
      conditions.append(dialect.isAmong(ownerColumn, parameters: ownerCount))
      order = [ownerColumn]
    } else {
      conditions.append("\(ownerColumn) = ?")
      bindings.append(.integer(owner))
    }
    if let orderColumn { order += ["\(orderColumn) IS NULL", orderColumn, key] }
  }

  private func text(columns: String) -> String {
    var sql: String =
      switch output {
      case .rows: "SELECT \(columns)"
      case .keys: "SELECT \(key)"
      case .references where isOfOneEntity: "SELECT \(key)"
      case .references: "SELECT \(key), t0.\(schema.rows.entity)"
      case .membersByOwner: "SELECT \(columns), \(ownerColumn)"
      case .countsByOwner: "SELECT \(ownerColumn), COUNT(*)"
      case .count where hasWindow: "SELECT COUNT(*) FROM (SELECT 1"
      case .count: "SELECT COUNT(*)"
      }
    sql += " FROM \(source)\(clause)"
    if output == .countsByOwner { return sql + " GROUP BY \(ownerColumn)" }
    if output != .count, !order.isEmpty { sql += " ORDER BY " + order.joined(separator: ", ") }
    guard hasWindow else { return sql }
    sql += dialect.window(limit: query.limit, offset: query.offset)
    return output == .count ? sql + ") AS q" : sql
  }

  private var dialect: any StatementDialect { schema.dialect }

  private var key: String { schema.rows.keyOfQuery }

  /// Whether all rows are of the query's entity, so that an index may give the keys alone.
  private var isOfOneEntity: Bool {
    schema.isOfOneEntity(query.entity, includesSubentities: query.includesSubentities)
  }

  private var hasWindow: Bool { translation.isComplete && query.hasWindow }
}
