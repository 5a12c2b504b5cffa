// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialPredicate

// An enum with whole numbers behind it is in their order, whatever its own `<` says. One with texts is not ordered:
// those of a store are in the order of their bytes, which its own `<` never means; write `rawValue` for that.

extension PredicateValue
where Value: RawRepresentable & Comparable, Value.RawValue: AttributeValue & BinaryInteger {
  /// Whether the raw value is less than another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func < (left: Self, right: Value) -> FetchPredicate {
    left.rawValue < right.rawValue
  }

  /// Whether the raw value is less than or equal to another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func <= (left: Self, right: Value) -> FetchPredicate {
    left.rawValue <= right.rawValue
  }

  /// Whether the raw value is greater than another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func > (left: Self, right: Value) -> FetchPredicate {
    left.rawValue > right.rawValue
  }

  /// Whether the raw value is greater than or equal to another.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with.
  /// - Returns: The predicate; false where the value is absent.
  public static func >= (left: Self, right: Value) -> FetchPredicate {
    left.rawValue >= right.rawValue
  }

  /// Whether the raw value of the first is less than that of the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where a value is absent.
  public static func < (left: Self, right: Self) -> FetchPredicate {
    left.rawValue < right.rawValue
  }

  /// Whether the raw value of the first is less than or equal to that of the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where only one value is absent, true where both are.
  public static func <= (left: Self, right: Self) -> FetchPredicate {
    left.rawValue <= right.rawValue
  }

  /// Whether the raw value of the first is greater than that of the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where a value is absent.
  public static func > (left: Self, right: Self) -> FetchPredicate {
    left.rawValue > right.rawValue
  }

  /// Whether the raw value of the first is greater than or equal to that of the second.
  ///
  /// - Parameters:
  ///   - left: The first value.
  ///   - right: The second value.
  /// - Returns: The predicate; false where only one value is absent, true where both are.
  public static func >= (left: Self, right: Self) -> FetchPredicate {
    left.rawValue >= right.rawValue
  }

  /// Whether the raw value is greater than another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func < (left: Value, right: Self) -> FetchPredicate { right > left }

  /// Whether the raw value is greater than or equal to another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func <= (left: Value, right: Self) -> FetchPredicate { right >= left }

  /// Whether the raw value is less than another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func > (left: Value, right: Self) -> FetchPredicate { right < left }

  /// Whether the raw value is less than or equal to another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func >= (left: Value, right: Self) -> FetchPredicate { right <= left }

  /// Whether the raw value is between two bounds, both included.
  ///
  /// - Parameters:
  ///   - low: The least value that counts.
  ///   - high: The greatest value that counts. If it is less than `low`, no value is between the two.
  /// - Returns: The predicate; false where the value is absent.
  public func isBetween(_ low: Value, _ high: Value) -> FetchPredicate {
    rawValue.isBetween(low.rawValue, high.rawValue)
  }

  /// Whether the raw value is in a closed range.
  ///
  /// - Parameter range: The range, both bounds included.
  /// - Returns: The predicate; false where the value is absent.
  public func isIn(_ range: ClosedRange<Value>) -> FetchPredicate {
    isBetween(range.lowerBound, range.upperBound)
  }

  /// Whether the raw value is in a half-open range.
  ///
  /// - Parameter range: The range, without its upper bound; no value is in an empty one.
  /// - Returns: The predicate; false where the value is absent.
  public func isIn(_ range: Range<Value>) -> FetchPredicate {
    self >= range.lowerBound && self < range.upperBound
  }
}
