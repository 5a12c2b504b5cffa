// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

// Regular expressions, and comparisons of text by the rules of a locale.

extension PredicateExpressions.StringContainsRegex: TranslatableExpression {
  /// `MATCHES` is about the whole text: the pattern may have anything on both sides.
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    guard let regex = regex as? PredicateExpressions.Value<PredicateExpressions.PredicateRegex>
    else {
      throw UntranslatablePredicate(
        "a regular expression that is not a literal",
        recovery: "write the pattern in the predicate: contains(/fix(es)?/)."
      )
    }
    let pattern = ExpressionNode.constant(.string(".*(?:\(regex.value.stringRepresentation)).*"))
    let text = try translator.value(subject)
    return .condition(.comparison(Comparison(text, .matches, pattern)))
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    try translator.comparison(
      root,
      .contains,
      other,
      [.caseInsensitive, .diacriticInsensitive, .localized]
    )
  }
}

extension PredicateExpressions.StringCaseInsensitiveCompare: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let first = try translator.value(root)
    return .order(first, try translator.value(other), .caseInsensitive)
  }
}

extension PredicateExpressions.StringLocalizedCompare: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let first = try translator.value(root)
    return .order(first, try translator.value(other), .localized)
  }
}
