// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialPredicate

// `&&`, `||`, `!`, and `if`.

extension PredicateExpressions.Conjunction: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let left = try translator.condition(lhs)
    return .condition(.conjunction([left, try translator.condition(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let left = try translator.condition(lhs)
    return .condition(.disjunction([left, try translator.condition(rhs)]))
  }
}

extension PredicateExpressions.Negation: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .condition(.not(try translator.condition(wrapped)))
  }
}

extension PredicateExpressions.Conditional: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let test = try translator.condition(test)
    let branches = (try translator.term(trueBranch), try translator.term(falseBranch))
    guard Output.self == Bool.self else {
      return .value(.ternary(test, try branches.0.value(), try branches.1.value()))
    }
    let first = PredicateNode.conjunction([test, try branches.0.condition()])
    let second = PredicateNode.conjunction([.not(test), try branches.1.condition()])
    return .condition(.disjunction([first, second]))
  }
}
