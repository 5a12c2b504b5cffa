// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialPredicate

// `is`, `as` and `as?`, which are decided by the types alone, or not at all; and `#Expression`.

extension PredicateExpressions.TypeCheck: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    guard Input.Output.self is Desired.Type else { throw .typeTest(Desired.self) }
    return .condition(.constant(true))
  }
}

extension PredicateExpressions.ConditionalCast: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    guard Input.Output.self is Desired.Type else { throw .typeTest(Desired.self) }
    return try translator.term(input)
  }
}

extension PredicateExpressions.ForceCast: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    guard Input.Output.self is Desired.Type else { throw .typeTest(Desired.self) }
    return try translator.term(input)
  }
}

extension UntranslatablePredicate {
  /// A cast that only the object itself can decide.
  fileprivate static func typeTest(_ type: Any.Type) -> UntranslatablePredicate {
    UntranslatablePredicate(
      "a test for the type '\(type)'",
      recovery: "fetch the objects of that class itself: \(type).filter."
    )
  }
}

extension PredicateExpressions.ExpressionEvaluate: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    guard let captured = expression as? PredicateExpressions.Value<Transformation.Output> else {
      throw UntranslatablePredicate(
        "an #Expression that is not captured",
        recovery: "keep the #Expression in a constant and evaluate that."
      )
    }
    var inner = translator
    for (variable, input) in repeat (each captured.value.variable, each input) {
      inner = inner.binding(variable.key, to: try translator.value(input))
    }
    return try inner.term(captured.value.expression)
  }
}
