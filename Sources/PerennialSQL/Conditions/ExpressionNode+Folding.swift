// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialPredicate

extension ExpressionNode {
  /// The expression as a constant, or a list of constants, when no row changes it.
  ///
  /// An expression whose evaluation fails stays as it is: it fails in memory, for each row.
  var folded: ExpressionNode {
    switch self {
    case .constant: return self
    case .list(let nodes): return .list(nodes.map(\.folded))
    default: break
    }
    guard isIndependent, let value = try? PredicateEvaluator(.null).value(of: self),
      let expression = value.expression
    else { return self }
    return expression
  }

  /// Whether the expression is a constant or a list of constants.
  var isConstant: Bool {
    switch self {
    case .constant: true
    case .list(let nodes): nodes.allSatisfy(\.isConstant)
    default: false
    }
  }

  /// Whether neither a row nor a variable nor chance decides the value.
  private var isIndependent: Bool {
    switch self {
    case .constant: true
    case .object, .variable, .subquery, .ternary, .aggregate: false
    case .list(let nodes): nodes.allSatisfy(\.isIndependent)
    case .function(.random, _), .function(.randomn, _): false
    case .function(_, let nodes): nodes.allSatisfy(\.isIndependent)
    case .keyPath(let root, _): root.isIndependent
    case .index(let collection, .element(let position)):
      collection.isIndependent && position.isIndependent
    case .index(let collection, _): collection.isIndependent
    case .cast(let node, _): node.isIndependent
    }
  }
}

extension EvaluationValue {
  /// The value written as an expression, or `nil` for objects and dictionaries.
  fileprivate var expression: ExpressionNode? {
    if case .list(let values) = self, case let nodes = values.compactMap(\.expression),
      nodes.count == values.count
    {
      return .list(nodes)
    }
    return isNull ? .null : scalar.map { .constant($0) }
  }
}
