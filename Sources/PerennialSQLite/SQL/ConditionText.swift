// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A condition in SQL together with its opposite, which have the same bindings in the same order.
///
/// A row satisfies the condition when `sql` is true; false and NULL mean the same. Exactly one of
/// the two is true for every row, so that NOT is never written around NULL.
struct ConditionText {
  var sql: String
  var opposite: String
  var bindings: [SQLValue]

  /// A condition with its opposite written out.
  init(_ sql: String, opposite: String, _ bindings: [SQLValue] = []) {
    self.sql = sql
    self.opposite = opposite
    self.bindings = bindings
  }

  /// A condition that may be NULL.
  init(_ sql: String, _ bindings: [SQLValue] = []) {
    self.init(sql, opposite: "(\(sql)) IS NOT TRUE", bindings)
  }

  /// A condition that no row changes.
  static func constant(_ value: Bool) -> ConditionText {
    value ? ConditionText("1", opposite: "0") : ConditionText("0", opposite: "1")
  }

  /// Whether a value is absent.
  static func isNull(_ operand: SQLText) -> ConditionText {
    ConditionText(
      "\(operand.sql) IS NULL",
      opposite: "\(operand.sql) IS NOT NULL",
      operand.bindings
    )
  }

  /// Whether a subquery gives a row.
  static func exists(_ query: SQLText) -> ConditionText {
    ConditionText(
      "EXISTS (\(query.sql))",
      opposite: "NOT EXISTS (\(query.sql))",
      query.bindings
    )
  }

  var negated: ConditionText { ConditionText(opposite, opposite: sql, bindings) }

  static func all(_ conditions: [ConditionText]) -> ConditionText {
    joined(conditions, "AND", "OR") ?? .constant(true)
  }

  static func any(_ conditions: [ConditionText]) -> ConditionText {
    joined(conditions, "OR", "AND") ?? .constant(false)
  }

  private static func joined(
    _ conditions: [ConditionText],
    _ word: String,
    _ oppositeWord: String
  ) -> ConditionText? {
    guard conditions.count > 1 else { return conditions.first }
    guard conditions.count <= SQLLimits.chainLength else {
      let middle = conditions.count / 2
      let halves = [conditions[..<middle], conditions[middle...]]
      return joined(halves.compactMap { joined(Array($0), word, oppositeWord) }, word, oppositeWord)
    }
    return ConditionText(
      "(" + conditions.map(\.sql).joined(separator: " \(word) ") + ")",
      opposite: "(" + conditions.map(\.opposite).joined(separator: " \(oppositeWord) ") + ")",
      conditions.flatMap(\.bindings)
    )
  }
}

/// A piece of SQL and the values of its parameters.
struct SQLText {
  var sql: String
  var bindings: [SQLValue] = []

  init(_ sql: String, _ bindings: [SQLValue] = []) {
    self.sql = sql
    self.bindings = bindings
  }
}
