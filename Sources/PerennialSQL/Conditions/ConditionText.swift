// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialStore

/// A condition in SQL together with its opposite, which have the same bindings in the same order.
///
/// A row satisfies the condition when `sql` is true; false and NULL mean the same. Exactly one of
/// the two is true for every row, so that NOT is never written around NULL.
package struct ConditionText: Sendable {
  package var sql: String
  package var opposite: String
  package var bindings: [SQLValue]

  /// A condition with its opposite written out.
  package init(_ sql: String, opposite: String, _ bindings: [SQLValue] = []) {
    self.sql = sql
    self.opposite = opposite
    self.bindings = bindings
  }

  /// A condition that may be NULL.
  package init(_ sql: String, _ bindings: [SQLValue] = []) {
    self.init(sql, opposite: "(\(sql)) IS NOT TRUE", bindings)
  }

  /// A condition that no row changes.
  package static func constant(_ value: Bool, _ dialect: any ConditionDialect) -> ConditionText {
    ConditionText(dialect.truth(value), opposite: dialect.truth(!value))
  }

  /// Whether a value is absent.
  package static func isNull(_ operand: SQLText) -> ConditionText {
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

  /// The condition that is true for all other rows.
  package var negated: ConditionText { ConditionText(opposite, opposite: sql, bindings) }

  /// Whether all conditions hold.
  package static func all(
    _ conditions: [ConditionText],
    _ dialect: any ConditionDialect
  ) -> ConditionText {
    joined(conditions, "AND", "OR", dialect.limits.chainLength) ?? .constant(true, dialect)
  }

  /// Whether some condition holds.
  package static func any(
    _ conditions: [ConditionText],
    _ dialect: any ConditionDialect
  ) -> ConditionText {
    joined(conditions, "OR", "AND", dialect.limits.chainLength) ?? .constant(false, dialect)
  }

  private static func joined(
    _ conditions: [ConditionText],
    _ word: String,
    _ oppositeWord: String,
    _ chainLength: Int
  ) -> ConditionText? {
    guard conditions.count > 1 else { return conditions.first }
    guard conditions.count <= chainLength else {
      // Chains of chains: that takes few levels, of which a parser bears less than of conditions.
      let chains = conditions.batches(of: chainLength).compactMap {
        joined(Array($0), word, oppositeWord, chainLength)
      }
      return joined(chains, word, oppositeWord, chainLength)
    }
    return ConditionText(
      "(" + conditions.map(\.sql).joined(separator: " \(word) ") + ")",
      opposite: "(" + conditions.map(\.opposite).joined(separator: " \(oppositeWord) ") + ")",
      conditions.flatMap(\.bindings)
    )
  }
}

/// A piece of SQL and the values of its parameters.
package struct SQLText: Sendable {
  package var sql: String
  package var bindings: [SQLValue] = []

  package init(_ sql: String, _ bindings: [SQLValue] = []) {
    self.sql = sql
    self.bindings = bindings
  }
}
