// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

// Variables, captured values and nil.

extension PredicateExpressions.Variable: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    guard let expression = translator.variables[key] else {
      throw UntranslatablePredicate(
        "a variable of another predicate",
        recovery: "write one #Predicate, or join two FetchPredicates with && and ||."
      )
    }
    return .value(expression)
  }
}

extension PredicateExpressions.Value: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    if let range = value as? any CapturedRange { return .range(try range.translated()) }
    return .value(try ExpressionNode.captured(value))
  }
}

extension PredicateExpressions.NilLiteral: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .value(.null)
  }
}

extension ExpressionNode {
  /// A value from outside the predicate.
  fileprivate static func captured(_ value: Any) throws(UntranslatablePredicate) -> ExpressionNode {
    if let expression = ExpressionNode(argument: value) { return expression }
    if let character = value as? Character { return .constant(.string(String(character))) }
    throw UntranslatablePredicate(
      "a value of the type '\(type(of: value))'",
      recovery:
        "capture a string, number, date, UUID, URL, data, object ID or a collection of those."
    )
  }
}

/// A range that was made outside the predicate.
private protocol CapturedRange {
  func translated() throws(UntranslatablePredicate) -> TranslatedRange
}

extension ClosedRange: CapturedRange {
  fileprivate func translated() throws(UntranslatablePredicate) -> TranslatedRange {
    TranslatedRange(lower: try .captured(lowerBound), upper: try .captured(upperBound))
  }
}

extension Range: CapturedRange {
  fileprivate func translated() throws(UntranslatablePredicate) -> TranslatedRange {
    TranslatedRange(
      lower: try .captured(lowerBound),
      upper: try .captured(upperBound),
      includesUpper: false
    )
  }
}

extension PartialRangeFrom: CapturedRange {
  fileprivate func translated() throws(UntranslatablePredicate) -> TranslatedRange {
    TranslatedRange(lower: try .captured(lowerBound))
  }
}

extension PartialRangeThrough: CapturedRange {
  fileprivate func translated() throws(UntranslatablePredicate) -> TranslatedRange {
    TranslatedRange(upper: try .captured(upperBound))
  }
}

extension PartialRangeUpTo: CapturedRange {
  fileprivate func translated() throws(UntranslatablePredicate) -> TranslatedRange {
    TranslatedRange(upper: try .captured(upperBound), includesUpper: false)
  }
}
