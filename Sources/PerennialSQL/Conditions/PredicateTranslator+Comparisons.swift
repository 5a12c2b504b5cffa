// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Comparisons of two values.
extension PredicateTranslator {
  mutating func condition(_ pair: Pair) -> ConditionText? {
    if pair.comparator == .notEqual {
      var equal = pair
      equal.comparator = .equal
      return condition(equal)?.negated
    }
    if let condition = choice(pair) { return condition }
    if pair.left.isConstant, pair.right.isConstant {
      return pair.holds(pair.left, pair.right).map { truth($0) }
    }
    if let condition = throughToOne(pair) { return condition }
    switch pair.comparator {
    case .equal, .notEqual: return countCondition(pair) ?? compared(pair, equality)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return countCondition(pair) ?? compared(pair, order)
    case .between: return between(pair)
    case .isIn: return element(pair)
    case .contains: return element(pair.mirrored(.isIn))
    case .beginsWith, .endsWith, .like, .matches: return compared(pair, text)
    }
  }

  /// The comparison of a path through a to-one relationship with a constant, by the destinations
  /// that satisfy it: so an index on the destination and one on the relationship can be used.
  private mutating func throughToOne(_ pair: Pair) -> ConditionText? {
    var inner = pair
    let hop: (column: SQLText, destination: Int, rest: ExpressionNode)
    let truthOfNull: Bool?
    if pair.right.isConstant, let found = firstHop(of: pair.left, pair.leftScope) {
      hop = found
      truthOfNull = pair.holds(.object, pair.right)
      inner.left = found.rest
    } else if pair.left.isConstant, let found = firstHop(of: pair.right, pair.rightScope) {
      hop = found
      truthOfNull = pair.holds(pair.left, .object)
      inner.right = found.rest
    } else {
      return nil
    }
    guard let truthOfNull else { return nil }
    let row = makeRow(of: hop.destination)
    inner.leftScope = Scope(object: row)
    inner.rightScope = Scope(object: row)
    return condition(inner).map {
      condition(throughToOne: hop.column, to: row, truthOfNull: truthOfNull, $0)
    }
  }

  private mutating func compared(
    _ pair: Pair,
    _ compare: (SQLOperand, SQLOperand, Pair) -> ConditionText?
  ) -> ConditionText? {
    guard let left = operand(pair.left, pair.leftScope),
      let right = operand(pair.right, pair.rightScope)
    else { return nil }
    return compare(left, right, pair)
  }

  private mutating func between(_ pair: Pair) -> ConditionText? {
    guard case .list(let bounds) = pair.right, bounds.count == 2 else { return nil }
    var lower = pair
    lower.comparator = .greaterOrEqual
    lower.right = bounds[0]
    var upper = pair
    upper.comparator = .lessOrEqual
    upper.right = bounds[1]
    guard let first = condition(lower), let second = condition(upper) else { return nil }
    return .all([first, second], dialect)
  }

  // MARK: Equality

  func equality(_ left: SQLOperand, _ right: SQLOperand, _ pair: Pair) -> ConditionText? {
    switch (left, right) {
    case (.constant, .constant): nil
    case (.value(let text, let kind), .constant(let value)),
      (.constant(let value), .value(let text, let kind)):
      equality(text, kind, value, pair.options)
    case (.value(let a, let firstKind), .value(let b, let secondKind)):
      equality(a, firstKind, b, secondKind, pair.options)
    }
  }

  private func equality(
    _ text: SQLText,
    _ kind: ValueKind,
    _ value: PropertyValue,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    if value.isNull { return .isNull(text) }
    switch constant(value, for: kind) {
    case .untranslatable: return nil
    case .incomparable: return truth(false)
    case .bound(let bound):
      if kind == .string, !options.isEmpty, case .text(let string) = bound {
        return dialect.text(.equal, text, .constant(string), options)
      }
      return dialect.equality(text, SQLText("?", [bound]), mayBeNull: false)
    }
  }

  private func equality(
    _ left: SQLText,
    _ leftKind: ValueKind,
    _ right: SQLText,
    _ rightKind: ValueKind,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    guard leftKind != .opaque, rightKind != .opaque else { return nil }
    let bothNull = self.bothNull(left, right)
    guard leftKind.isComparable(with: rightKind) else { return bothNull }
    guard dialect.comparesExactly(leftKind, rightKind) else { return nil }
    if leftKind == .string, !options.isEmpty {
      guard let equal = dialect.text(.equal, left, .value(right), options) else { return nil }
      return .any([equal, bothNull], dialect)
    }
    return dialect.equality(left, right, mayBeNull: true)
  }

  func bothNull(_ left: SQLText, _ right: SQLText) -> ConditionText {
    .all([.isNull(left), .isNull(right)], dialect)
  }

  // MARK: Order

  private func order(_ left: SQLOperand, _ right: SQLOperand, _ pair: Pair) -> ConditionText? {
    switch (left, right) {
    case (.constant, .constant): return nil
    case (.value(let text, let kind), .constant(let value)):
      return order(text, kind, pair.comparator, value, pair.options)
    case (.constant(let value), .value(let text, let kind)):
      return order(text, kind, pair.comparator.mirrored, value, pair.options)
    case (.value(let a, let firstKind), .value(let b, let secondKind)):
      guard firstKind != .opaque, secondKind != .opaque else { return nil }
      var conditions: [ConditionText] = []
      if firstKind.isOrdered, firstKind.isComparable(with: secondKind) {
        let options = firstKind == .string ? pair.options : []
        guard dialect.comparesExactly(firstKind, secondKind),
          let ordered = ordered(a, pair.comparator, .value(b), options)
        else { return nil }
        conditions.append(ordered)
      }
      if pair.comparator.includesEqual { conditions.append(bothNull(a, b)) }
      return .any(conditions, dialect)
    }
  }

  private func order(
    _ text: SQLText,
    _ kind: ValueKind,
    _ comparator: Comparison.Operator,
    _ value: PropertyValue,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    if value.isNull { return comparator.includesEqual ? .isNull(text) : truth(false) }
    if case .object = kind { return truth(false) }
    switch constant(value, for: kind) {
    case .untranslatable: return nil
    case .incomparable: return truth(false)
    case .bound(.text(let string)) where kind == .string:
      return ordered(text, comparator, .constant(string), options)
    case .bound(let bound):
      return ordered(text, comparator, .value(SQLText("?", [bound])), [])
    }
  }

  private func ordered(
    _ left: SQLText,
    _ comparator: Comparison.Operator,
    _ right: TextOperand,
    _ options: StringComparisonOptions
  ) -> ConditionText? {
    guard options.isEmpty else { return dialect.text(.ordered(comparator), left, right, options) }
    let right = right.sql
    return ConditionText(
      "\(left.sql) \(comparator.rawValue) \(right.sql)",
      left.bindings + right.bindings
    )
  }
}

extension Comparison.Operator {
  /// The operator that says the same with its sides exchanged.
  fileprivate var mirrored: Comparison.Operator {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: self
    }
  }

  fileprivate var includesEqual: Bool { self == .lessOrEqual || self == .greaterOrEqual }
}
