// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialSQL
import PerennialStore

/// Conditions of SQLite: what SQL lacks, functions of ours do, which are registered on every connection.
extension SQLiteDialect: ConditionDialect {
  /// SQLite: "Implementation Limits".
  ///
  /// Some of 32,766 parameters are left for the rest of the query; a chain of
  /// conditions takes levels of an expression, of which there are 1,000; the parser, before version 3.46, has a
  /// stack of 100 entries: eleven subqueries in each other fill it.
  static let limits = SQLLimits(
    bindingCount: 32_000,
    chainLength: 32,
    termCount: 1_900,
    byteCount: 500_000,
    nesting: 75,
    takesNUL: true
  )

  var limits: SQLLimits { Self.limits }

  func truth(_ value: Bool) -> String { value ? "1" : "0" }

  func equality(_ left: SQLText, _ right: SQLText, mayBeNull: Bool) -> ConditionText {
    ConditionText(
      "\(left.sql) IS \(right.sql)",
      opposite: "\(left.sql) IS NOT \(right.sql)",
      left.bindings + right.bindings
    )
  }

  func text(
    _ relation: TextRelation,
    _ text: SQLText,
    _ other: TextOperand,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    let right = other.sql
    let bindings = text.bindings + right.bindings
    func call(_ function: SQLFunction) -> String { function.call(text.sql, right.sql, options) }
    switch relation {
    case .equal: return ConditionText(call(.equal), bindings)
    case .ordered(let comparator):
      return ConditionText("\(call(.order)) \(comparator.rawValue) 0", bindings)
    case .contains:
      if case .constant = other, options.isEmpty {
        return ConditionText("instr(\(text.sql), ?) > 0", bindings)
      }
      return ConditionText(call(.contains), bindings)
    case .begins: return ConditionText(call(.begins), bindings)
    case .ends: return ConditionText(call(.ends), bindings)
    case .like: return ConditionText(call(.like), bindings)
    case .matches: return ConditionText(call(.matches), bindings)
    }
  }

  func length(of text: SQLText) -> SQLText? {
    SQLText(SQLFunction.length.call(text.sql, "''", []), text.bindings)
  }

  /// Decimals are compared with doubles as doubles, but those without a fraction are integers here, which SQLite
  /// compares with doubles exactly: from 2^53 on that is not the same.
  func constant(_ value: PropertyValue, for kind: ValueKind) -> SQLConstant {
    if kind == .decimal, case .double(let number) = value,
      (0x1p53...0x1p63).contains(number.magnitude)
    {
      return .untranslatable
    }
    return kind.constant(value)
  }

  func comparesExactly(_ left: ValueKind, _ right: ValueKind) -> Bool {
    Set([left, right]) != [.decimal, .double]
  }

  /// A list filled up with its last value to one of a few sizes, so that few statements serve all.
  ///
  /// Long lists of integers become one parameter.
  func isAmong(_ value: SQLText, _ constants: [SQLValue]) -> ConditionText {
    guard let last = constants.last, constants.count > 1 else {
      return ConditionText("\(value.sql) = ?", value.bindings + constants)
    }
    if constants.count > Self.longestList, let numbers = Self.integers(constants) {
      let list = isAmong(value.sql, keys: numbers)
      return ConditionText(list.sql, value.bindings + list.bindings)
    }
    var count = 2
    while count < min(constants.count, Self.paddedList) { count *= 2 }
    count = max(count, constants.count)
    let filled = constants + repeatElement(last, count: count - constants.count)
    return ConditionText(isAmong(value.sql, parameters: count), value.bindings + filled)
  }

  private static let longestList = 512
  /// Longer lists are not filled up: they are rare, and may need all the parameters that there are.
  private static let paddedList = 4_096

  /// The values, when all are integers.
  private static func integers(_ values: [SQLValue]) -> [Int64]? {
    var numbers: [Int64] = []
    for value in values {
      guard case .integer(let number) = value else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// Sums of doubles and decimals are left to memory: SQLite adds them in its own way.
  func aggregate(
    _ operation: CollectionOperator,
    _ kind: ValueKind
  ) -> (sql: String, kind: ValueKind)? {
    switch operation {
    case .sum where kind == .integer: ("IFNULL(\(Self.integerSum), 0)", .integer)
    case .average where kind == .integer: (Self.integerMean, .double)
    case .min where kind.isOrdered: ("MIN(?)", kind)
    case .max where kind.isOrdered: ("MAX(?)", kind)
    default: nil
    }
  }

  func decimal(_ number: String) -> String { DecimalFunction.call(number) }

  /// The sum of integers by their halves, with what the lower ones carry.
  ///
  /// SUM fails when integers overflow, and it may look at rows that memory never reaches.
  private static let integerSum = {
    let carry = "(SUM(? & 4294967295) >> 32)"
    return "((SUM(? >> 32) + \(carry)) * 4294967296 + (SUM(? & 4294967295) & 4294967295))"
  }()

  /// The mean of integers (`?`): a sum of theirs that does not fit is a double.
  private static let integerMean = "CAST(\(integerSum) AS REAL) / COUNT(?)"

  func transformed(_ text: String, by transform: TextTransform) -> String? {
    "\(transform.functionName)(\(text))"
  }

  func unindexed(_ value: SQLText) -> SQLText { SQLText("+\(value.sql)", value.bindings) }

  func isIndexable(_ condition: String) -> Bool {
    !SQLFunction.allCases.contains { condition.contains($0.rawValue + "(") }
  }

  func bits(of value: SQLText) -> SQLText? { value }
}
