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
    case .equal, .notEqual: return countCondition(pair) ?? equality(pair)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return countCondition(pair) ?? order(pair)
    case .between: return between(pair)
    case .isIn: return element(pair)
    case .contains: return element(pair.mirrored(.isIn))
    case .beginsWith: return text(pair, .begins)
    case .endsWith: return text(pair, .ends)
    case .like: return text(pair, .like)
    case .matches: return text(pair, .matches)
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

  /// The two sides of a comparison, of which one at least is a value of the row.
  enum Sides {
    case values(SQLText, ValueKind, SQLText, ValueKind)
    case valueAndConstant(SQLText, ValueKind, PropertyValue)
    case constantAndValue(PropertyValue, SQLText, ValueKind)
  }

  /// The two sides, or `nil` when one of them cannot be said.
  mutating func sides(of pair: Pair) -> Sides? {
    if case .constant(let value) = pair.right {
      guard case .value(let text, let kind)? = operand(pair.left, pair.leftScope) else {
        return nil
      }
      return .valueAndConstant(text, kind, value)
    }
    if case .constant(let value) = pair.left {
      guard case .value(let text, let kind)? = operand(pair.right, pair.rightScope) else {
        return nil
      }
      return .constantAndValue(value, text, kind)
    }
    guard case .value(let left, let leftKind)? = operand(pair.left, pair.leftScope),
      case .value(let right, let rightKind)? = operand(pair.right, pair.rightScope)
    else { return nil }
    return .values(left, leftKind, right, rightKind)
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

  private mutating func equality(_ pair: Pair) -> ConditionText? {
    switch sides(of: pair) {
    case nil: nil
    case .valueAndConstant(let text, let kind, let value)?,
      .constantAndValue(let value, let text, let kind)?:
      equality(text, kind, value, pair.options)
    case .values(let left, let leftKind, let right, let rightKind)?:
      equality(left, leftKind, right, rightKind, pair.options)
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

  private mutating func order(_ pair: Pair) -> ConditionText? {
    switch sides(of: pair) {
    case nil: return nil
    case .valueAndConstant(let text, let kind, let value)?:
      return order(text, kind, pair.comparator, value, pair.options)
    case .constantAndValue(let value, let text, let kind)?:
      return order(text, kind, pair.comparator.mirrored, value, pair.options)
    case .values(let a, let firstKind, let b, let secondKind)?:
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
  /// The operator of order that says the same with its sides exchanged.
  fileprivate var mirrored: Comparison.Operator {
    let isLess = self == .less || self == .lessOrEqual
    return includesEqual
      ? (isLess ? .greaterOrEqual : .lessOrEqual) : (isLess ? .greater : .less)
  }

  fileprivate var includesEqual: Bool { self == .lessOrEqual || self == .greaterOrEqual }
}
