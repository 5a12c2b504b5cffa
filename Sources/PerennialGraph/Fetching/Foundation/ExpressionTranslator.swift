// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

/// A node of a `#Predicate` that has a counterpart in a predicate of ours.
protocol TranslatableExpression {
  /// The node's counterpart.
  ///
  /// - Parameter translator: Knows the variables at this place, and translates the node's parts.
  /// - Returns: A value, a condition, or what becomes one together with its neighbours.
  /// - Throws: What the node or one of its parts has that no fetch can decide.
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
}

/// Turns the tree of a `#Predicate` into a predicate of ours; knows what its variables stand for.
struct ExpressionTranslator {
  /// What each variable stands for.
  let variables: [PredicateExpressions.VariableID: ExpressionNode]
  /// How many conditions on elements of collections are around this place.
  let depth: Int

  init(variables: [PredicateExpressions.VariableID: ExpressionNode], depth: Int = 0) {
    self.variables = variables
    self.depth = depth
  }

  /// The translator of a part in which one more variable has a meaning.
  func binding(
    _ variable: PredicateExpressions.VariableID,
    to expression: ExpressionNode
  ) -> ExpressionTranslator {
    var variables = variables
    variables[variable] = expression
    return ExpressionTranslator(variables: variables, depth: depth)
  }

  /// The translator of a condition on an element, and the name that the element has there.
  func entering(
    _ variable: PredicateExpressions.VariableID
  ) -> (name: String, translator: ExpressionTranslator) {
    let name = ElementVariable.name(at: depth)
    var variables = variables
    variables[variable] = .variable(name)
    return (name, ExpressionTranslator(variables: variables, depth: depth + 1))
  }

  // MARK: Parts

  /// A part, whatever it is.
  func term(_ expression: any PredicateExpression) throws(UntranslatablePredicate) -> TranslatedTerm
  {
    guard let expression = expression as? any TranslatableExpression else {
      throw UntranslatablePredicate(
        "the part '\(Self.name(of: expression))'",
        recovery: UntranslatablePredicate.filterLater
      )
    }
    return try expression.translated(by: self)
  }

  /// A part as a value.
  func value(_ expression: any PredicateExpression) throws(UntranslatablePredicate)
    -> ExpressionNode
  {
    try term(expression).value()
  }

  /// A part as a condition.
  func condition(_ expression: any PredicateExpression) throws(UntranslatablePredicate)
    -> PredicateNode
  {
    try term(expression).condition()
  }

  /// A comparison of two parts.
  func comparison(
    _ left: any PredicateExpression,
    _ comparator: Comparison.Operator,
    _ right: any PredicateExpression,
    _ options: StringComparisonOptions = []
  ) throws(UntranslatablePredicate) -> TranslatedTerm {
    let left = try value(left)
    return .condition(
      .comparison(Comparison(left, comparator, try value(right), options: options))
    )
  }

  /// A function of some parts.
  func call(
    _ function: PredicateFunction,
    _ operands: any PredicateExpression...
  ) throws(UntranslatablePredicate) -> TranslatedTerm {
    var values: [ExpressionNode] = []
    for operand in operands { values.append(try value(operand)) }
    return .value(.function(function, values))
  }

  /// The name of a node's type without its parameters.
  private static func name(of expression: any PredicateExpression) -> String {
    let name = String(describing: type(of: expression))
    return String(name.prefix { $0 != "<" })
  }
}
