// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialPredicate

// A constant on the left: `start <= $0.date && $0.date < end`. The tree has it on the right, as that of the
// same condition written the other way round.

extension PredicateValue {
  /// Whether a value equals another; with `nil`, whether it is absent.
  ///
  /// Text is compared by its bytes.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with; `nil` for no value.
  ///   - right: The value.
  /// - Returns: The predicate; an absent value equals only `nil`.
  public static func == (left: Value?, right: Self) -> FetchPredicate { right == left }

  /// Whether a value differs from another; with `nil`, whether it is present.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with; `nil` for no value.
  ///   - right: The value.
  /// - Returns: The predicate; an absent value differs from all but `nil`.
  public static func != (left: Value?, right: Self) -> FetchPredicate { right != left }
}

extension PredicateValue where Value: AttributeValue & Comparable {
  /// Whether the value is greater than another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func < (left: Value, right: Self) -> FetchPredicate { right > left }

  /// Whether the value is greater than or equal to another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func <= (left: Value, right: Self) -> FetchPredicate { right >= left }

  /// Whether the value is less than another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func > (left: Value, right: Self) -> FetchPredicate { right < left }

  /// Whether the value is less than or equal to another.
  ///
  /// - Parameters:
  ///   - left: What the value is compared with.
  ///   - right: The value.
  /// - Returns: The predicate; false where the value is absent.
  public static func >= (left: Value, right: Self) -> FetchPredicate { right <= left }
}

extension PredicateObject {
  /// Whether it is the given object; with `nil`, whether a to-one relationship leads to no object.
  ///
  /// - Parameters:
  ///   - left: An object, or `nil` for none.
  ///   - right: The object of the condition.
  /// - Returns: The predicate.
  public static func == (left: Object?, right: Self) -> FetchPredicate { right == left }

  /// Whether it is not the given object; with `nil`, whether a to-one relationship leads to an object.
  ///
  /// - Parameters:
  ///   - left: An object, or `nil` for none.
  ///   - right: The object of the condition.
  /// - Returns: The predicate; where there is no object it is true, but with `nil` it is false.
  public static func != (left: Object?, right: Self) -> FetchPredicate { right != left }

  /// Whether it is the object with the given ID.
  ///
  /// - Parameters:
  ///   - left: An ID.
  ///   - right: The object of the condition.
  /// - Returns: The predicate; false where there is no object.
  public static func == (left: ManagedObjectID, right: Self) -> FetchPredicate { right == left }

  /// Whether it is not the object with the given ID.
  ///
  /// - Parameters:
  ///   - left: An ID.
  ///   - right: The object of the condition.
  /// - Returns: The predicate; true where there is no object.
  public static func != (left: ManagedObjectID, right: Self) -> FetchPredicate { right != left }
}

extension FetchPredicate {
  /// The condition, or its opposite when it is compared with `false`.
  ///
  /// - Parameters:
  ///   - left: Whether it must be true.
  ///   - right: A condition.
  /// - Returns: The predicate.
  public static func == (left: Bool, right: FetchPredicate) -> FetchPredicate { right == left }

  /// The condition, or its opposite when it is compared with `true`.
  ///
  /// - Parameters:
  ///   - left: Whether it must be false.
  ///   - right: A condition.
  /// - Returns: The predicate.
  public static func != (left: Bool, right: FetchPredicate) -> FetchPredicate { right != left }
}
