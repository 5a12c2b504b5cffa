// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// The errors of evaluation, all texts in one place.
package enum EvaluationError {
  package static let rangeIsNoPair = PerennialError(
    .predicateEvaluation,
    "the right side of BETWEEN is not a list of exactly two values",
    recovery: "write BETWEEN {low, high}, or pass an array of two values."
  )

  package static func notACollection(for name: String) -> PerennialError {
    PerennialError(
      .predicateEvaluation,
      "\(name) was given something that is not a collection",
      recovery: "use a to-many relationship, a list or a set there."
    )
  }

  static let invalidPattern = PerennialError(
    .predicateEvaluation,
    "the right side of MATCHES is not a regular expression",
    recovery: "correct the pattern, or use LIKE or CONTAINS."
  )

  static func slowPattern(_ limit: Duration) -> PerennialError {
    PerennialError(
      .predicateEvaluation,
      "the regular expression of MATCHES took more than \(limit) for one text",
      recovery: "take nested repetitions such as (a+)+ out of it, or use LIKE or CONTAINS."
    )
  }

  static let hungryPattern = PerennialError(
    .predicateEvaluation,
    "the regular expression of MATCHES needs too much memory for one text",
    recovery: "write a set such as [ab]* for alternatives such as (a|b)*, or use LIKE or CONTAINS."
  )

  package static func unboundVariable(_ name: String) -> PerennialError {
    PerennialError(
      .predicateEvaluation,
      "the variable '$\(name)' has no value",
      recovery: "give it one with withSubstitutionVariables(_:)."
    )
  }

  static func noSuchKey(_ key: String, kind: String) -> PerennialError {
    PerennialError(
      .predicateEvaluation,
      "a value of the kind '\(kind)' has no key '\(key)'",
      recovery: "end the key path one step earlier."
    )
  }

  static func indexOutOfRange(count: Int) -> PerennialError {
    PerennialError(
      .predicateEvaluation,
      "an index is outside a collection of \(count) elements",
      recovery: "compare [SIZE] first, or use [FIRST] and [LAST]."
    )
  }

  static let invalidIndex = PerennialError(
    .predicateEvaluation,
    "an index is neither a whole number nor the key of a dictionary",
    recovery: "write [0], [FIRST], [LAST] or [SIZE]."
  )

  static func divisionByZero(_ function: PredicateFunction) -> PerennialError {
    PerennialError(
      .predicateEvaluation,
      "'\(function.rawValue)' divides by zero",
      recovery: "test the divisor with TERNARY first."
    )
  }

  package static func overflow(
    _ function: PredicateFunction,
    of kind: String = "64 bits"
  ) -> PerennialError {
    PerennialError(
      .predicateEvaluation,
      "the result of '\(function.rawValue)' does not fit into \(kind)",
      recovery: "make one of the numbers a double, as in 1.0."
    )
  }

  static func wrongArgument(_ function: PredicateFunction, expected: String) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "an argument of '\(function.rawValue)' is not \(expected)",
      recovery: "convert it with CAST, or use another property."
    )
  }

  static func cannotCast(to type: CastType) -> PerennialError {
    PerennialError(
      .typeMismatch,
      "a value cannot be converted to '\(type.rawValue)'",
      recovery:
        "CAST converts between numbers, dates and strings; write a date '2016-01-26T19:46:18Z'."
    )
  }
}
