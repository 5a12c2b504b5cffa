// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialPredicate

// Conditions on the elements of sequences.

extension PredicateExpressions.SequenceContainsWhere: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let elements = try SequenceCondition(sequence, LHS.Output.self, variable.key, test, translator)
    return .condition(try elements.any())
  }
}

extension PredicateExpressions.SequenceAllSatisfy: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let elements = try SequenceCondition(sequence, LHS.Output.self, variable.key, test, translator)
    return .condition(try elements.all())
  }
}

extension PredicateExpressions.Filter: TranslatableExpression {
  func translated(by translator: ExpressionTranslator) throws(UntranslatablePredicate)
    -> TranslatedTerm
  {
    let collection = try translator.value(sequence)
    guard case .objects = try CollectionKind(LHS.Output.self, collection) else {
      throw UntranslatablePredicate(
        "filter on a sequence that is not a relationship",
        recovery: "filter the captured values before the predicate."
      )
    }
    let (name, inner) = translator.entering(variable.key)
    return .value(.subquery(collection, name, try inner.condition(filter)))
  }
}

/// A condition on the elements of a sequence.
private struct SequenceCondition {
  private let collection: ExpressionNode
  private let kind: CollectionKind
  private let variable: PredicateExpressions.VariableID
  private let test: any PredicateExpression
  private let translator: ExpressionTranslator

  init(
    _ sequence: any PredicateExpression,
    _ type: Any.Type,
    _ variable: PredicateExpressions.VariableID,
    _ test: any PredicateExpression,
    _ translator: ExpressionTranslator
  ) throws(UntranslatablePredicate) {
    collection = try translator.value(sequence)
    kind = try CollectionKind(type, collection)
    self.variable = variable
    self.test = test
    self.translator = translator
  }

  /// Whether an element meets the condition.
  func any() throws(UntranslatablePredicate) -> PredicateNode {
    switch kind {
    case .objects: return try node(.any)
    case .captured(let elements): return .disjunction(try conditions(on: elements))
    case .text: throw Self.characters
    }
  }

  /// Whether every element meets the condition.
  func all() throws(UntranslatablePredicate) -> PredicateNode {
    switch kind {
    case .objects: return try node(.all)
    case .captured(let elements): return .conjunction(try conditions(on: elements))
    case .text: throw Self.characters
    }
  }

  private func node(
    _ modifier: Comparison.Modifier
  ) throws(UntranslatablePredicate) -> PredicateNode {
    let (name, inner) = translator.entering(variable)
    return ElementCondition(
      collection: collection,
      variable: name,
      condition: try inner.condition(test)
    ).node(modifier)
  }

  private func conditions(
    on elements: [ExpressionNode]
  ) throws(UntranslatablePredicate) -> [PredicateNode] {
    var conditions: [PredicateNode] = []
    for element in elements {
      conditions.append(try translator.binding(variable, to: element).condition(test))
    }
    return conditions
  }

  private static var characters: UntranslatablePredicate {
    UntranslatablePredicate(
      "a condition on the characters of a text",
      recovery: "use contains with a text or a regular expression."
    )
  }
}
