// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

// Elements, parts and extremes of sequences.

extension PredicateExpressions.SequenceContains: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let collection = try translator.value(sequence)
    let element = try translator.value(element)
    switch try CollectionKind(LHS.Output.self, collection) {
    case .captured: return .condition(.comparison(Comparison(element, .isIn, collection)))
    case .objects, .text:
      return .condition(.comparison(Comparison(collection, .contains, element)))
    }
  }
}

extension PredicateExpressions.CollectionContainsCollection: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    try TextPart.check(Base.Output.self, "a search for a part of a collection")
    return try translator.comparison(base, .contains, other)
  }
}

extension PredicateExpressions.SequenceStartsWith: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    try TextPart.check(Base.Output.self, "the beginning of a collection")
    return try translator.comparison(base, .beginsWith, prefix)
  }
}

/// Parts are only looked for in texts.
private enum TextPart {
  static func check(_ type: Any.Type, _ construct: String) throws(UntranslatablePredicate) {
    guard type == String.self || type == Substring.self else {
      throw UntranslatablePredicate(construct, recovery: UntranslatablePredicate.filterLater)
    }
  }
}

extension PredicateExpressions.SequenceMaximum: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .value(try translator.extreme(.max, of: elements, Elements.Output.self))
  }
}

extension PredicateExpressions.SequenceMinimum: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    .value(try translator.extreme(.min, of: elements, Elements.Output.self))
  }
}

extension ExpressionTranslator {
  /// The least or greatest of some captured values.
  fileprivate func extreme(
    _ function: PredicateFunction,
    of elements: any PredicateExpression,
    _ type: Any.Type
  ) throws(UntranslatablePredicate) -> ExpressionNode {
    let values = try value(elements)
    guard case .captured = try CollectionKind(type, values) else {
      throw UntranslatablePredicate(
        "\(function.rawValue)() of something that is not a captured collection",
        recovery: "write FetchPredicate's own $0.books.\(function.rawValue)(\\.pages)."
      )
    }
    return .function(function, [values])
  }
}

// MARK: Subscripts

extension PredicateExpressions.CollectionIndexSubscript: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let collection = try translator.value(wrapped)
    if case .text = try CollectionKind(Wrapped.Output.self, collection) {
      throw UntranslatablePredicate(
        "a character of a text",
        recovery: "compare a beginning with starts(with:)."
      )
    }
    return .value(.index(collection, .element(try translator.value(index))))
  }
}

extension PredicateExpressions.CollectionRangeSubscript: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    throw UntranslatablePredicate(
      "a part of a collection",
      recovery: UntranslatablePredicate.filterLater
    )
  }
}

extension PredicateExpressions.DictionaryKeySubscript: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    throw UntranslatablePredicate.dictionary
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    throw UntranslatablePredicate.dictionary
  }
}

extension UntranslatablePredicate {
  fileprivate static var dictionary: UntranslatablePredicate {
    UntranslatablePredicate(
      "a dictionary's subscript",
      recovery: "read the value before the predicate, or keep it in an attribute."
    )
  }
}
