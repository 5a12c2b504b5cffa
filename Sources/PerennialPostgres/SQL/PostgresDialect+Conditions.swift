// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
package import PerennialModel
package import PerennialPredicate
package import PerennialSQL

/// Conditions of PostgreSQL: texts are compared by their bytes, and what folds them is left to memory.
extension PostgresDialect: ConditionDialect {
  /// A statement takes 65,535 parameters, of which some are left for the rest of the query.
  ///
  /// A text has no NUL.
  private static let limits = SQLLimits(
    bindingCount: 60_000,
    chainLength: 32,
    termCount: 1_000,
    byteCount: 500_000,
    nesting: nil,
    takesNUL: false
  )

  package var limits: SQLLimits { Self.limits }

  package func truth(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  /// `IS NOT DISTINCT FROM` uses no index, so that constants are compared with `=`.
  package func equality(_ left: SQLText, _ right: SQLText, mayBeNull: Bool) -> ConditionText {
    ConditionText(
      "\(left.sql) \(mayBeNull ? "IS NOT DISTINCT FROM" : "=") \(right.sql)",
      opposite: "\(left.sql) IS DISTINCT FROM \(right.sql)",
      left.bindings + right.bindings
    )
  }

  package func text(
    _ relation: TextRelation,
    _ text: SQLText,
    _ other: TextOperand,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    guard options.isEmpty else { return nil }
    let left = text.sql
    let right = other.sql
    switch relation {
    case .equal, .ordered: return nil
    case .contains:
      return unlessEmpty(other, "strpos(\(left), \(right.sql)) > 0", text.bindings + right.bindings)
    case .begins:
      return unlessEmpty(
        other,
        "starts_with(\(left), \(right.sql))",
        text.bindings + right.bindings
      )
    case .ends:
      return unlessEmpty(
        other,
        "right(\(left), length(\(right.sql))) = \(right.sql)",
        text.bindings + right.bindings + right.bindings
      )
    case .like:
      guard case .constant(let pattern) = other else { return nil }
      return ConditionText("\(left) LIKE ?", text.bindings + [.text(PostgresPattern.like(pattern))])
    case .matches:
      guard case .constant(let pattern) = other, PostgresPattern.isShared(pattern) else {
        return nil
      }
      return ConditionText("\(left) ~ ?", text.bindings + [.text("^(?:\(pattern))$")])
    }
  }

  /// The condition on a part, which no text has when it is empty: of a constant that is known.
  private func unlessEmpty(
    _ part: TextOperand,
    _ sql: String,
    _ bindings: [SQLValue]
  ) -> ConditionText {
    switch part {
    case .constant(""): .constant(false, self)
    case .constant: ConditionText(sql, bindings)
    case .value(let value):
      ConditionText("(\(value.sql) <> '' AND \(sql))", value.bindings + bindings)
    }
  }

  /// The server counts characters: those beyond U+FFFF, of which nothing else remains, count twice.
  package func length(of text: SQLText) -> SQLText? {
    let beyond = "regexp_replace(\(text.sql), '[\\u0001-\\uFFFF]+', '', 'g')"
    return SQLText("(length(\(text.sql)) + length(\(beyond)))", text.bindings + text.bindings)
  }

  /// The server makes doubles of integers that it compares with doubles, so that constants become what the column is.
  package func constant(_ value: PropertyValue, for kind: ValueKind) -> SQLConstant {
    if kind == .decimal, case .decimal(let number) = value {
      guard !number.isNaN else { return .incomparable }
      return Int64(number.description).map { SQLConstant.bound(.integer($0)) } ?? .untranslatable
    }
    switch (kind, kind.constant(value)) {
    case (_, .bound(.text(let text))) where text.utf8.contains(0): return .untranslatable
    case (.integer, .bound(.double(let number))):
      if let whole = Int64(exactly: number) { return .bound(.integer(whole)) }
      return number.magnitude < 0x1p53 ? .bound(.double(number)) : .untranslatable
    case (.double, .bound(.integer(let whole))):
      let number = Double(whole)
      return Int64(exactly: number) == whole ? .bound(.double(number)) : .untranslatable
    case (_, let constant): return constant
    }
  }

  package func comparesExactly(_ left: ValueKind, _ right: ValueKind) -> Bool {
    Set([left, right]) != [.integer, .double]
  }

  package func isAmong(_ value: SQLText, _ constants: [SQLValue]) -> ConditionText {
    if constants.count == 1 {
      return ConditionText("\(value.sql) = ?", value.bindings + constants)
    }
    let conditions = PostgresArray.arrays(constants).map { list in
      ConditionText("\(value.sql) = ANY (\(list.sql))", value.bindings + [list.value])
    }
    return .any(conditions, self)
  }

  /// A sum of integers is of type `numeric`, so that none is too large.
  ///
  /// There is no least or greatest `bytea`.
  package func aggregate(
    _ operation: CollectionOperator,
    _ kind: ValueKind
  ) -> (sql: String, kind: ValueKind)? {
    switch operation {
    case .sum where kind == .integer: ("COALESCE(SUM(?), 0)", .integer)
    case .average where kind == .integer: ("CAST(SUM(?) AS double precision) / COUNT(?)", .double)
    case .min where kind.isOrdered && kind != .uuid && kind != .data: ("MIN(?)", kind)
    case .max where kind.isOrdered && kind != .uuid && kind != .data: ("MAX(?)", kind)
    default: nil
    }
  }

  /// The server adds them exactly.
  package func decimal(_ number: String) -> String { number }

  /// The server folds texts by its own locales.
  package func transformed(_ text: String, by transform: TextTransform) -> String? { nil }

  /// The planner takes no such advice.
  package func unindexed(_ value: SQLText) -> SQLText { value }

  /// There are none of ours.
  package func isIndexable(_ condition: String) -> Bool { true }

  /// Sums are of type `numeric`, which has no bits.
  package func bits(of value: SQLText) -> SQLText? {
    SQLText("CAST(\(value.sql) AS bigint)", value.bindings)
  }
}
