// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialPredicate

// Arithmetic.

extension PredicateExpressions.Arithmetic: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    switch op {
    case .add: return try translator.call(.add, lhs, rhs)
    case .subtract: return try translator.call(.subtract, lhs, rhs)
    case .multiply: return try translator.call(.multiply, lhs, rhs)
    @unknown default:
      throw UntranslatablePredicate(
        "an unknown operation on numbers",
        recovery: UntranslatablePredicate.filterLater
      )
    }
  }
}

extension PredicateExpressions.IntDivision: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    try translator.call(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.IntRemainder: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    try translator.call(.modulus, lhs, rhs)
  }
}

extension PredicateExpressions.FloatDivision: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    try translator.call(.divide, lhs, rhs)
  }
}

extension PredicateExpressions.UnaryMinus: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .value(try translator.value(wrapped).negated)
  }
}
