// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// An engine of a third party as the dialect that the translators ask.
///
/// What an engine is not asked for is left to memory: decimals, patterns, upper and lower case, sums.
struct EngineDialect: SQLDialect {
  let engine: any SQLEngine

  // MARK: Schema

  func name(_ name: String) -> String { name.shortened(to: engine.longestName) }

  func typeName(of type: ColumnType) -> String {
    switch type {
    case .integer: engine.typeName(of: .integer)
    case .double, .date: engine.typeName(of: .double)
    case .decimal, .text: engine.typeName(of: .text)
    case .bytes: engine.typeName(of: .bytes)
    }
  }

  var decimals: DecimalStorage { .texts }

  // MARK: Conditions

  var limits: SQLLimits {
    // Some parameters are left for the rest of the query.
    SQLLimits(
      bindingCount: max(engine.greatestParameterCount - 16, 16),
      chainLength: 32,
      termCount: 500,
      byteCount: 500_000,
      nesting: nil,
      takesNUL: engine.takesNUL
    )
  }

  func truth(_ value: Bool) -> String { value ? "1 = 1" : "1 = 0" }

  func equality(_ left: SQLText, _ right: SQLText, mayBeNull: Bool) -> ConditionText {
    let same = SQLText(template: engine.isSame, left, right)
    // An equality with a constant is what indexes are made for.
    let isInOrder = SQLText(template: { $0 + $1 }, left, right).bindings == same.bindings
    let sql = mayBeNull || !isInOrder ? same.sql : "\(left.sql) = \(right.sql)"
    return ConditionText(sql, opposite: "NOT (\(same.sql))", same.bindings)
  }

  func text(
    _ relation: TextRelation,
    _ text: SQLText,
    _ other: TextOperand,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    guard options.isEmpty else { return nil }
    let right = other.sql
    switch relation {
    case .contains: return unlessEmpty(other, SQLText(template: engine.contains, text, right))
    case .ends: return unlessEmpty(other, SQLText(template: engine.ends, text, right))
    // Without options, equality and order are asked for elsewhere.
    case .equal, .ordered, .begins, .like, .matches: return nil
    }
  }

  /// The condition on a part, which no text has when it is empty: of a constant that is known.
  private func unlessEmpty(_ part: TextOperand, _ condition: SQLText?) -> ConditionText? {
    guard let condition else { return nil }
    switch part {
    case .constant(""): return .constant(false, self)
    case .constant: return ConditionText(condition.sql, condition.bindings)
    case .value(let value):
      let bindings = value.bindings + condition.bindings
      return ConditionText("(\(value.sql) <> '' AND \(condition.sql))", bindings)
    }
  }

  func length(of text: SQLText) -> SQLText? {
    SQLText(template: { text, _ in engine.length(text) }, text, SQLText(""))
  }

  /// Of an integer column and a double, and the other way round, engines may round either: constants become what the
  /// column is, or are left to memory.
  func constant(_ value: PropertyValue, for kind: ValueKind) -> SQLConstant {
    switch (kind, kind.constant(value)) {
    case (_, .bound(.text(let text))) where !engine.takesNUL && text.containsNUL: .untranslatable
    case (.integer, .bound(.double(let number))):
      Int64(exactly: number).map { .bound(.integer($0)) } ?? .untranslatable
    case (.double, .bound(.integer(let whole))):
      Int64(exactly: Double(whole)) == whole ? .bound(.double(Double(whole))) : .untranslatable
    case (_, let constant): constant
    }
  }

  func comparesExactly(_ left: ValueKind, _ right: ValueKind) -> Bool {
    Set([left, right]) != [.integer, .double]
  }

  func isAmong(_ value: SQLText, _ constants: [SQLValue]) -> ConditionText {
    let list = "\(value.sql) IN (\(SQLText.marks(constants.count)))"
    return ConditionText(list, value.bindings + constants)
  }

  func aggregate(
    _ operation: CollectionOperator,
    _ kind: ValueKind
  ) -> (sql: String, kind: ValueKind)? { nil }

  func decimal(_ number: String) -> String { number }

  func transformed(_ text: String, by transform: TextTransform) -> String? { nil }

  func unindexed(_ value: SQLText) -> SQLText { value }

  func isIndexable(_ condition: String) -> Bool { false }

  func bits(of value: SQLText) -> SQLText? { nil }

  // MARK: Statements

  func finished(_ sql: String) -> String {
    engine.parameter(1) == "?" ? sql : SQLText.numbered(sql, engine.parameter)
  }

  func order(_ value: String, ascending: Bool) -> String {
    engine.order(value, ascending: ascending)
  }

  func order(_ value: String, _ comparison: FetchSort.Comparison, ascending: Bool) -> String? {
    comparison == .binary ? order(value, ascending: ascending) : nil
  }

  func window(limit: Int, offset: Int) -> String {
    " " + engine.window(limit: limit, offset: offset)
  }

  func isAmong(_ column: String, parameters count: Int) -> String {
    "\(column) IN (\(SQLText.marks(count)))"
  }

  func isAmong(_ column: String, keys: [Int64]) -> SQLText {
    SQLText(isAmong(column, parameters: keys.count), keys.map { .integer($0) })
  }

  /// ``SQLTables`` writes rows that are not there.
  func insertion(
    into table: String,
    columns: [String],
    constants: [InsertionConstant],
    rows: Int,
    conflict: InsertionConflict
  ) -> String {
    "INSERT " + SQLText.rows(rows, of: columns, constants: constants, into: table)
  }

  func keyReservation(
    of table: String,
    key: String,
    number: Int64,
    in counters: CounterNames
  ) -> String {
    let greatest = counters.greatest
    return "UPDATE \(counters.table) SET \(greatest) = \(greatest) + ? "
      + "WHERE \(counters.entity) = \(number)"
  }

  var hasDependentSubqueries: Bool { false }

  func explanation(of sql: String) -> String { "EXPLAIN " + sql }

  /// No store of a third party is asked.
  var changeQuestion: String { "SELECT 1" }
}

extension SQLText {
  /// What a function makes of two pieces, each wherever it likes; `nil` when it makes nothing.
  fileprivate init?(
    template: (String, String) -> String?,
    _ first: SQLText,
    _ second: SQLText
  ) {
    guard let template = template("\u{1}", "\u{2}") else { return nil }
    self.init("")
    for character in template {
      switch character {
      case "\u{1}": append(first)
      case "\u{2}": append(second)
      default: sql.append(character)
      }
    }
  }

  /// What a function makes of two pieces.
  fileprivate init(
    template: (String, String) -> String,
    _ first: SQLText,
    _ second: SQLText
  ) {
    let optional: (String, String) -> String? = { template($0, $1) }
    self = SQLText(template: optional, first, second) ?? first
  }

  private mutating func append(_ piece: SQLText) {
    sql += piece.sql
    bindings += piece.bindings
  }
}
