// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate
import PerennialStore

/// Functions that SQL computes exactly as memory does: the bits of integers, the length of text.
extension PredicateTranslator {
  mutating func functionValue(
    _ function: PredicateFunction,
    _ nodes: [ExpressionNode],
    _ scope: Scope
  ) -> SQLOperand? {
    switch (function, nodes.count) {
    case (_, 1) where nodes[0].isGroupList: return groupValue(function, nodes[0], scope)
    case (.noindex, 1):
      guard case .value(let text, let kind)? = operand(nodes[0], scope) else { return nil }
      return .value(dialect.unindexed(text), kind)
    case (.length, 1):
      guard case .value(let text, let kind)? = operand(nodes[0], scope) else { return nil }
      return length(of: text, kind)
    case (.bitwiseAnd, 2), (.bitwiseOr, 2), (.bitwiseXor, 2):
      guard let left = integer(nodes[0], scope), let right = integer(nodes[1], scope) else {
        return nil
      }
      return bits(function, left, right)
    default: return nil
    }
  }

  /// The number of UTF-16 units of a text.
  func length(of text: SQLText, _ kind: ValueKind) -> SQLOperand? {
    guard kind == .string else { return nil }
    return dialect.length(of: text).map { .value($0, .integer) }
  }

  private mutating func integer(_ node: ExpressionNode, _ scope: Scope) -> SQLText? {
    switch operand(node.folded, scope) {
    case .value(let text, .integer): dialect.bits(of: text)
    case .constant(.integer(let number)): SQLText("?", [.integer(number)])
    case .constant(.boolean(let flag)): SQLText("?", [.integer(flag ? 1 : 0)])
    default: nil
    }
  }

  /// Not every engine has an exclusive or: it is what only one of two numbers has, each written twice, which a
  /// chain of them would do again and again.
  private func bits(
    _ function: PredicateFunction,
    _ left: SQLText,
    _ right: SQLText
  ) -> SQLOperand? {
    let bindings = left.bindings + right.bindings
    switch function {
    case .bitwiseAnd: return .value(SQLText("(\(left.sql) & \(right.sql))", bindings), .integer)
    case .bitwiseOr: return .value(SQLText("(\(left.sql) | \(right.sql))", bindings), .integer)
    default:
      guard left.sql.utf8.count + right.sql.utf8.count < 200 else { return nil }
      let either = "(\(left.sql) | \(right.sql))"
      let both = "(\(left.sql) & \(right.sql))"
      return .value(SQLText("(\(either) - \(both))", bindings + bindings), .integer)
    }
  }
}
