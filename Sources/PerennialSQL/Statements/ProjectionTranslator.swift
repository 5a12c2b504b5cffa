// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
import PerennialModel
import PerennialPredicate
package import PerennialStore

/// A projection as SQL.
package struct ProjectionStatement: Sendable {
  package var sql: String
  package var bindings: [SQLValue]
  /// How the value of each column is read.
  package var readers: [ValueReader]
}

/// Turns a projection into one statement.
///
/// The columns are called `c0`, `c1` and so on, so that groups and sorts can name them; behind them are
/// the numbers of entities that object IDs need. Columns of a group that are not grouped themselves depend
/// on what is, so that it does not matter of which row an engine takes them.
package struct ProjectionTranslator {
  private let query: ProjectionQuery
  private let schema: StoreSchema
  private var translator: PredicateTranslator
  private let scope: PredicateTranslator.Scope
  /// What the statement selects.
  private var columns: [String] = []
  private var columnBindings: [SQLValue] = []
  private var readers: [ValueReader] = []
  /// What stands behind WHERE.
  private var rest = ""
  private var restBindings: [SQLValue] = []
  /// The values that rows of a group have in common.
  private var groups: [SQLText] = []
  /// The part that SQL cannot say, in words.
  package private(set) var obstacle = ""

  /// A translator of one projection.
  package init(_ query: ProjectionQuery, schema: StoreSchema, store: UUID) {
    self.query = query
    self.schema = schema
    translator = PredicateTranslator(schema: schema, store: store)
    scope = PredicateTranslator.Scope(object: .init(entity: query.rows.entity, alias: "t0"))
  }

  /// The statement for a condition on rows that is all in SQL; `nil` when SQL cannot say a part of the
  /// values in just the way that memory does.
  package mutating func statement(_ translation: QueryTranslation) -> ProjectionStatement? {
    guard addColumns(), addGroups(), addCondition(), addOrder(), checkGroups(),
      checkLimits(translation.condition)
    else { return nil }
    addWindow()
    var builder = SelectBuilder(
      query.rows,
      output: .rows,
      schema: schema,
      translation: translation
    )
    let list = (query.isDistinct ? "DISTINCT " : "") + columns.joined(separator: ", ")
    let select = builder.build(columns: list)
    return ProjectionStatement(
      sql: select.sql + rest,
      bindings: columnBindings + select.bindings + restBindings,
      readers: readers
    )
  }

  // MARK: Columns

  private mutating func addColumns() -> Bool {
    for column in query.columns {
      guard !(query.isDistinct && column.needsConversion),
        let (text, reader) = value(of: column)
      else {
        obstacle = "the value '\(column.name)' is computed in a way that SQL does not share"
        return false
      }
      columns.append("\(text.sql) AS c\(columns.count)")
      columnBindings += text.bindings
      readers.append(reader)
    }
    for (number, reader) in readers.enumerated() {
      guard case .object(let entity, _) = reader,
        !schema.isOfOneEntity(entity, includesSubentities: true)
      else { continue }
      // The text of the column has no parameters: it is a key.
      let key = columns[number].dropLast(" AS c\(number)".count)
      readers[number] = .object(entity, numberColumn: columns.count)
      let inRow =
        "(SELECT n.\(schema.rows.entity) FROM \(schema.table(of: entity)) AS n "
        + "WHERE n.\(schema.rows.key) = \(key))"
      // The row may be gone; what names it knows, too.
      let expression = query.columns[number].expression.folded
      let known = translator.entityNumber(expression, scope)
      columns.append(known.map { "COALESCE(\(inRow), \($0.sql))" } ?? inRow)
    }
    return true
  }

  private mutating func value(of column: ProjectionQuery.Column) -> (SQLText, ValueReader)? {
    switch translator.operand(column.expression.folded, scope) {
    case .constant(let value):
      guard case .attribute(let type) = column.type, let bound = SQLValue(value) else { return nil }
      return (SQLText("?", [bound]), .attribute(type))
    case .value(let text, let kind):
      switch (column.type, kind) {
      case (.object(let entity), .object) where text.bindings.isEmpty:
        return (text, .object(entity, numberColumn: nil))
      case (.attribute, .opaque), (.attribute, .object): return nil
      case (.attribute(.int64), .integer):
        return (text, column.expression.isSum ? .integerSum : .attribute(.int64))
      case (.attribute(let type), _): return (text, .attribute(type))
      default: return nil
      }
    case nil: return nil
    }
  }

  // MARK: Groups

  private mutating func addGroups() -> Bool {
    guard let groups = query.groups, !groups.isEmpty else { return true }
    for group in groups {
      guard let term = term(group) else {
        obstacle = "a value to group by is computed in a way that SQL does not share"
        return false
      }
      self.groups.append(term)
    }
    rest += " GROUP BY " + self.groups.map(\.sql).joined(separator: ", ")
    restBindings += self.groups.flatMap(\.bindings)
    return true
  }

  /// A value behind WHERE: its column, or its text.
  private mutating func term(_ node: ExpressionNode) -> SQLText? {
    if let column = query.columns.firstIndex(where: { $0.expression == node }) {
      return SQLText("c\(column)")
    }
    guard case .value(let text, let kind)? = translator.operand(node, scope), kind != .opaque else {
      return nil
    }
    return text
  }

  /// Whether the engine takes what stands beside the groups.
  private mutating func checkGroups() -> Bool {
    guard let groups = query.groups, !schema.dialect.hasDependentSubqueries else { return true }
    let grouped = groups.compactMap { group in
      query.columns.firstIndex { $0.expression == group }
    }
    let others = columns.indices.filter { !grouped.contains($0) }.map { columns[$0] } + [rest]
    if others.contains(where: { $0.contains("(SELECT") }) {
      obstacle = "a value beside the groups comes from another table"
      return false
    }
    // Each parameter is another one to the engine, and so is what is computed with it.
    for number in grouped {
      let text = String(columns[number].dropLast(" AS c\(number)".count))
      if text.contains("?"), others.contains(where: { $0.contains(text) }) {
        obstacle = "a value beside the groups is computed of a grouped one with a parameter"
        return false
      }
    }
    return true
  }

  /// Whether the engine compiles so much, beside a condition on rows.
  private mutating func checkLimits(_ condition: ConditionSQL) -> Bool {
    let limits = schema.dialect.limits
    var account = SQLLimits.Account(limits)
    let orderCount = query.sorts.count + (query.isDistinct ? columns.count : groups.count)
    if max(columns.count, orderCount) <= limits.termCount,
      account.admit(columns.joined(separator: ", "), columnBindings + condition.bindings),
      account.admit(rest, restBindings)
    {
      return true
    }
    obstacle = "the values, groups and sorts are too long or nested too deeply for one statement"
    return false
  }

  private mutating func addCondition() -> Bool {
    guard let having = query.having else { return true }
    guard let condition = translator.condition(having, scope) else {
      obstacle = "the havingPredicate has a part that SQL does not share"
      return false
    }
    rest += " HAVING " + condition.sql
    restBindings += condition.bindings
    return true
  }

  // MARK: Order

  private mutating func addOrder() -> Bool {
    guard let last = query.sorts.last?.sort else { return true }
    var terms: [String] = []
    for sort in query.sorts {
      guard let term = term(of: sort) else {
        obstacle = "the sort by '\(sort.sort.key)' has no column with an order"
        return false
      }
      terms.append(term)
    }
    if query.isDistinct {
      terms += query.columns.indices.map { schema.dialect.order("c\($0)", ascending: true) }
    } else if query.groups != nil {
      terms += groups.map { schema.dialect.order($0.sql, ascending: true) }
      restBindings += groups.flatMap(\.bindings)
    } else {
      let key = schema.rows.keyOfQuery
      terms.append(last.ascending ? key : key + " DESC")
    }
    rest += " ORDER BY " + terms.joined(separator: ", ")
    return true
  }

  private mutating func term(of sort: ProjectionQuery.Sort) -> String? {
    guard case .value(let text, let kind)? = translator.operand(sort.expression, scope),
      kind.isOrdered
    else { return nil }
    let comparison = kind == .string ? sort.sort.comparison : .binary
    if let column = sort.column {
      return query.columns[column].needsConversion
        ? nil : schema.dialect.order("c\(column)", comparison, ascending: sort.sort.ascending)
    }
    restBindings += text.bindings
    return schema.dialect.order(text.sql, comparison, ascending: sort.sort.ascending)
  }

  private mutating func addWindow() {
    guard query.limit > 0 || query.offset > 0 else { return }
    rest += schema.dialect.window(limit: query.limit, offset: query.offset)
  }
}

extension ExpressionNode {
  /// Whether the value is a sum, which may be too large for an integer.
  fileprivate var isSum: Bool {
    switch self {
    case .function(.sum, _): true
    case .function(.noindex, let operands): operands.first?.isSum == true
    default: false
    }
  }
}

extension SQLValue {
  /// A constant that reads back as itself.
  fileprivate init?(_ value: PropertyValue) {
    switch value {
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .string(let text): self = .text(text)
    default: return nil
    }
  }
}
