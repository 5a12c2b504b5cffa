// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

/// Collection operators: `commits.@count`, `SUBQUERY(…).@count`, `commits.@max.date`.
extension PredicateTranslator {
  mutating func aggregate(
    _ collection: ExpressionNode,
    _ operation: CollectionOperator,
    _ key: ExpressionNode,
    _ scope: Scope
  ) -> SQLOperand? {
    guard !isForeign(collection, scope), let members = members(of: collection, scope) else {
      return nil
    }
    if operation == .count {
      return .value(parenthesized(query("COUNT(*)", of: members)), .integer)
    }
    guard key != .object,
      case .value(let text, let kind)? = operand(key, Scope(object: members.row)),
      let (function, result) = dialect.aggregate(operation, kind)
    else { return nil }
    var query = query(function.replacing("?", with: text.sql), of: members)
    query.bindings =
      Array(repeatElement(text.bindings, count: function.count { $0 == "?" }).joined())
      + query.bindings
    return .value(parenthesized(query), result)
  }

  /// Whether a collection is a to-many relationship of a subentity: for other rows it is nil, and so
  /// is what is computed of it.
  func isForeign(_ collection: ExpressionNode, _ scope: Scope) -> Bool {
    guard let (row, steps) = start(of: collection, scope),
      case (.toMany(let relationship), _)? = property(steps, of: row)
    else { return false }
    return !schema.model.entities[relationship.entity].family.contains(row.entity)
  }

  private func parenthesized(_ text: SQLText) -> SQLText {
    SQLText("(\(text.sql))", text.bindings)
  }

  /// An aggregate over the rows of a group.
  mutating func groupValue(
    _ function: PredicateFunction,
    _ list: ExpressionNode,
    _ scope: Scope
  ) -> SQLOperand? {
    guard case .aggregate(_, _, let key) = list,
      case .value(let text, let kind)? = operand(key, scope)
    else { return nil }
    if function == .count { return .value(SQLText("COUNT(\(text.sql))", text.bindings), .integer) }
    guard let operation = CollectionOperator(function),
      let (function, result) = dialect.aggregate(operation, kind)
    else { return nil }
    let bindings = repeatElement(text.bindings, count: function.count { $0 == "?" }).joined()
    return .value(SQLText(function.replacing("?", with: text.sql), Array(bindings)), result)
  }

  /// A comparison of a count that asks only whether there is an element.
  mutating func countCondition(_ pair: Pair) -> ConditionText? {
    guard case .aggregate(let collection, .count, _) = pair.left,
      case .constant(.integer(let number)) = pair.right
    else { return nil }
    let isEmpty: Bool
    switch (pair.comparator, number) {
    case (.greater, 0), (.greaterOrEqual, 1): isEmpty = false
    case (.equal, 0), (.lessOrEqual, 0), (.less, 1): isEmpty = true
    default: return nil
    }
    guard !isForeign(collection, pair.leftScope),
      let members = members(of: collection, pair.leftScope)
    else { return nil }
    let exists = ConditionText.exists(query("1", of: members))
    return isEmpty ? exists.negated : exists
  }
}

extension CollectionOperator {
  /// The operator that makes the same of a collection as a function of its arguments.
  fileprivate init?(_ function: PredicateFunction) {
    switch function {
    case .sum: self = .sum
    case .min: self = .min
    case .max: self = .max
    case .average: self = .average
    default: return nil
    }
  }
}
