// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

extension FetchPredicate {
  /// Whether a value in memory satisfies the predicate.
  ///
  /// ```swift
  /// let ada: [String: any Sendable] = ["name": "Ada", "age": 36]
  /// let isOld = try predicate.evaluate(with: ada)
  /// ```
  ///
  /// A condition is true or false, never unknown. nil equals nil, so `<=` and `>=` are true of two nils. All
  /// other comparisons with nil are false, except `!=`, which is true unless both values are nil.
  ///
  /// Core Data: `NSPredicate.evaluate(with:substitutionVariables:)`.
  ///
  /// - Parameters:
  ///   - object: A dictionary of strings to values, a list or set, a single value, or `nil`. A key
  ///     that a dictionary lacks is nil.
  ///   - substitutionVariables: The values of `$VARIABLES`, by their names without the dollar sign.
  /// - Returns: Whether the predicate is true.
  /// - Throws: ``PerennialError`` with code `predicateFormat` when the predicate is not valid,
  ///   `predicateEvaluation` or `typeMismatch` when it does not fit the value.
  public func evaluate(
    with object: (any Sendable)?,
    substitutionVariables: [String: (any Sendable)?] = [:]
  ) throws(PerennialError) -> Bool {
    try evaluate(value: object, variables: substitutionVariables)
  }

  /// Whether a value of any type satisfies the predicate; a ``KeyValueSource`` counts as an object.
  package func evaluate(
    value object: Any?,
    variables substitutionVariables: [String: Any?]
  ) throws(PerennialError) -> Bool {
    let node = try checked()
    var variables: [String: EvaluationValue] = [:]
    for (name, value) in substitutionVariables {
      variables[name] = try EvaluationValue(converting: value)
    }
    return try PredicateEvaluator(EvaluationValue(converting: object), variables: variables)
      .evaluate(node)
  }
}
