// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate

// Whole numbers divide without a rest; an absent operand makes the result absent. An overflow or a
// division by zero is an error of the fetch.

extension PredicateValue where Value: AttributeValue & Numeric {
  /// The sum of two values.
  public static func + (left: Self, right: Self) -> Self {
    Self(.call(.add, left._term, right._term))
  }

  /// The sum of a value and a number.
  public static func + (left: Self, right: Value) -> Self {
    Self(.call(.add, left._term, _constant(right)))
  }

  /// The sum of a number and a value.
  public static func + (left: Value, right: Self) -> Self {
    Self(.call(.add, _constant(left), right._term))
  }

  /// The difference of two values.
  public static func - (left: Self, right: Self) -> Self {
    Self(.call(.subtract, left._term, right._term))
  }

  /// The difference of a value and a number.
  public static func - (left: Self, right: Value) -> Self {
    Self(.call(.subtract, left._term, _constant(right)))
  }

  /// The difference of a number and a value.
  public static func - (left: Value, right: Self) -> Self {
    Self(.call(.subtract, _constant(left), right._term))
  }

  /// The product of two values.
  public static func * (left: Self, right: Self) -> Self {
    Self(.call(.multiply, left._term, right._term))
  }

  /// The product of a value and a number.
  public static func * (left: Self, right: Value) -> Self {
    Self(.call(.multiply, left._term, _constant(right)))
  }

  /// The product of a number and a value.
  public static func * (left: Value, right: Self) -> Self {
    Self(.call(.multiply, _constant(left), right._term))
  }

  /// The quotient of two values.
  public static func / (left: Self, right: Self) -> Self {
    Self(.call(.divide, left._term, right._term))
  }

  /// The quotient of a value and a number.
  public static func / (left: Self, right: Value) -> Self {
    Self(.call(.divide, left._term, _constant(right)))
  }

  /// The value with the opposite sign.
  public static prefix func - (value: Self) -> Self { Self(.call(.negate, value._term)) }
}

extension PredicateValue where Value: AttributeValue & BinaryInteger {
  /// The rest of a division of two values.
  public static func % (left: Self, right: Self) -> Self {
    Self(.call(.modulus, left._term, right._term))
  }

  /// The rest of a division by a number.
  public static func % (left: Self, right: Value) -> Self {
    Self(.call(.modulus, left._term, _constant(right)))
  }
}
