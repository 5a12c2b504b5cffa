// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialPredicate

// A value that is absent is neither before nor after another, and equals one that is absent. Text is ordered by
// its bytes.

extension PredicateValue where Value: AttributeValue & Comparable {
  /// Whether the value is less than another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func < (left: Self, right: Value) -> FetchPredicate {
    left._term.compared(.less, _constant(right))
  }

  /// Whether the value is less than or equal to another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func <= (left: Self, right: Value) -> FetchPredicate {
    left._term.compared(.lessOrEqual, _constant(right))
  }

  /// Whether the value is greater than another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func > (left: Self, right: Value) -> FetchPredicate {
    left._term.compared(.greater, _constant(right))
  }

  /// Whether the value is greater than or equal to another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func >= (left: Self, right: Value) -> FetchPredicate {
    left._term.compared(.greaterOrEqual, _constant(right))
  }

  /// Whether the first value is less than the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where a value is absent.
  public static func < (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.less, right._term)
  }

  /// Whether the first value is less than or equal to the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where only one value is absent, true where both are.
  public static func <= (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.lessOrEqual, right._term)
  }

  /// Whether the first value is greater than the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where a value is absent.
  public static func > (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.greater, right._term)
  }

  /// Whether the first value is greater than or equal to the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where only one value is absent, true where both are.
  public static func >= (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.greaterOrEqual, right._term)
  }

  // MARK: Ranges

  /// Whether the value is between two bounds, both included.
  ///
  /// - Parameters:
  ///   - low: The least value that counts.
  ///   - high: The greatest value that counts. If it is less than `low`, no value is between the two.
  /// - Returns: The predicate; false where the value is absent.
  public func isBetween(_ low: Value, _ high: Value) -> FetchPredicate {
    let bounds = [low, high].map { Self._constant($0).expression }
    return _term.compared(.between, PredicateTerm(.list(bounds)))
  }

  /// Whether the value is in a closed range.
  ///
  /// - Parameter range: The range, both bounds included.
  /// - Returns: The predicate; false where the value is absent.
  public func isIn(_ range: ClosedRange<Value>) -> FetchPredicate {
    isBetween(range.lowerBound, range.upperBound)
  }

  /// Whether the value is in a half-open range.
  ///
  /// - Parameter range: The range, without its upper bound; no value is in an empty one.
  /// - Returns: The predicate; false where the value is absent.
  public func isIn(_ range: Range<Value>) -> FetchPredicate {
    self >= range.lowerBound && self < range.upperBound
  }
}
