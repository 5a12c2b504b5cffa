// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate

// Whole numbers divide without a rest; an absent operand makes the result absent. An overflow or a
// division by zero is an error of the fetch.

extension PredicateValue where Value: AttributeValue & Numeric {
  /// The sum of two values.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: Another.
  /// - Returns: The sum; absent where either value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func + (left: Self, right: Self) -> Self {
    Self(.call(.add, left._term, right._term))
  }

  /// The sum of a value and a number.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: A number.
  /// - Returns: The sum; absent where the value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func + (left: Self, right: Value) -> Self {
    Self(.call(.add, left._term, _constant(right)))
  }

  /// The sum of a number and a value.
  ///
  /// - Parameters:
  ///   - left: A number.
  ///   - right: A value.
  /// - Returns: The sum; absent where the value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func + (left: Value, right: Self) -> Self {
    Self(.call(.add, _constant(left), right._term))
  }

  /// The difference of two values.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: What is subtracted from it.
  /// - Returns: The difference; absent where either value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func - (left: Self, right: Self) -> Self {
    Self(.call(.subtract, left._term, right._term))
  }

  /// The difference of a value and a number.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: What is subtracted from it.
  /// - Returns: The difference; absent where the value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func - (left: Self, right: Value) -> Self {
    Self(.call(.subtract, left._term, _constant(right)))
  }

  /// The difference of a number and a value.
  ///
  /// - Parameters:
  ///   - left: A number.
  ///   - right: What is subtracted from it.
  /// - Returns: The difference; absent where the value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func - (left: Value, right: Self) -> Self {
    Self(.call(.subtract, _constant(left), right._term))
  }

  /// The product of two values.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: Another.
  /// - Returns: The product; absent where either value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func * (left: Self, right: Self) -> Self {
    Self(.call(.multiply, left._term, right._term))
  }

  /// The product of a value and a number.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: A number.
  /// - Returns: The product; absent where the value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func * (left: Self, right: Value) -> Self {
    Self(.call(.multiply, left._term, _constant(right)))
  }

  /// The product of a number and a value.
  ///
  /// - Parameters:
  ///   - left: A number.
  ///   - right: A value.
  /// - Returns: The product; absent where the value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static func * (left: Value, right: Self) -> Self {
    Self(.call(.multiply, _constant(left), right._term))
  }

  /// The quotient of two values.
  ///
  /// - Parameters:
  ///   - left: The dividend.
  ///   - right: The divisor.
  /// - Returns: The quotient, which is a whole number for whole numbers; absent where either value is.
  ///   Division by 0 fails the fetch (200002).
  public static func / (left: Self, right: Self) -> Self {
    Self(.call(.divide, left._term, right._term))
  }

  /// The quotient of a value and a number.
  ///
  /// - Parameters:
  ///   - left: The dividend.
  ///   - right: The divisor.
  /// - Returns: The quotient, which is a whole number for whole numbers; absent where `left` is.
  ///   Division by 0 fails the fetch (200002).
  public static func / (left: Self, right: Value) -> Self {
    Self(.call(.divide, left._term, _constant(right)))
  }

  /// The value with the opposite sign.
  ///
  /// - Parameter value: A value.
  /// - Returns: The opposite; absent where the value is. Whole numbers beyond 64 bits fail the fetch (200002).
  public static prefix func - (value: Self) -> Self { Self(.call(.negate, value._term)) }
}

extension PredicateValue where Value: AttributeValue & BinaryInteger {
  /// The remainder of a division of two values.
  ///
  /// - Parameters:
  ///   - left: The dividend.
  ///   - right: The divisor.
  /// - Returns: The remainder, with the sign of the dividend; absent where either value is. Division by 0
  ///   fails the fetch (200002).
  public static func % (left: Self, right: Self) -> Self {
    Self(.call(.modulus, left._term, right._term))
  }

  /// The remainder of a division by a number.
  ///
  /// - Parameters:
  ///   - left: The dividend.
  ///   - right: The divisor.
  /// - Returns: The remainder, with the sign of the dividend; absent where `left` is. Division by 0 fails
  ///   the fetch (200002).
  public static func % (left: Self, right: Value) -> Self {
    Self(.call(.modulus, left._term, _constant(right)))
  }
}
