// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialPredicate

/// What the closure of a typed condition may return: a comparison, joined conditions, or a `Bool`
/// attribute.
public protocol PredicateCondition {
  /// The condition as a predicate.
  var _predicate: FetchPredicate { get }
}

extension FetchPredicate: PredicateCondition {
  /// The predicate itself.
  public var _predicate: FetchPredicate { self }
}

// `$0.readers.isEmpty == false` is another way to write `!$0.readers.isEmpty`.

extension FetchPredicate {
  /// The condition, or its opposite when it is compared with `false`.
  ///
  /// - Parameters:
  ///   - left: A condition.
  ///   - right: Whether it must be true.
  /// - Returns: The predicate.
  public static func == (left: FetchPredicate, right: Bool) -> FetchPredicate {
    right ? left : !left
  }

  /// The condition, or its opposite when it is compared with `true`.
  ///
  /// - Parameters:
  ///   - left: A condition.
  ///   - right: Whether it must be false.
  /// - Returns: The predicate.
  public static func != (left: FetchPredicate, right: Bool) -> FetchPredicate {
    right ? !left : left
  }
}

extension PredicateValue: PredicateCondition where Value == Bool {
  /// Whether the attribute is true; an absent one is not.
  public var _predicate: FetchPredicate { self == true }
}

// A `Bool` attribute beside other conditions: `$0.isMerge && !$0.isSigned`.

extension PredicateValue where Value == Bool {
  /// Whether both attributes are true.
  ///
  /// - Parameters:
  ///   - left: A `Bool` attribute; an absent one is not true.
  ///   - right: Another.
  /// - Returns: The predicate.
  public static func && (left: Self, right: Self) -> FetchPredicate {
    left._predicate && right._predicate
  }

  /// Whether the attribute and the condition are true.
  ///
  /// - Parameters:
  ///   - left: A `Bool` attribute; an absent one is not true.
  ///   - right: A condition.
  /// - Returns: The predicate.
  public static func && (left: Self, right: FetchPredicate) -> FetchPredicate {
    left._predicate && right
  }

  /// Whether the condition and the attribute are true.
  ///
  /// - Parameters:
  ///   - left: A condition.
  ///   - right: A `Bool` attribute; an absent one is not true.
  /// - Returns: The predicate.
  public static func && (left: FetchPredicate, right: Self) -> FetchPredicate {
    left && right._predicate
  }

  /// Whether at least one of the attributes is true.
  ///
  /// - Parameters:
  ///   - left: A `Bool` attribute; an absent one is not true.
  ///   - right: Another.
  /// - Returns: The predicate.
  public static func || (left: Self, right: Self) -> FetchPredicate {
    left._predicate || right._predicate
  }

  /// Whether the attribute or the condition is true.
  ///
  /// - Parameters:
  ///   - left: A `Bool` attribute; an absent one is not true.
  ///   - right: A condition.
  /// - Returns: The predicate.
  public static func || (left: Self, right: FetchPredicate) -> FetchPredicate {
    left._predicate || right
  }

  /// Whether the condition or the attribute is true.
  ///
  /// - Parameters:
  ///   - left: A condition.
  ///   - right: A `Bool` attribute; an absent one is not true.
  /// - Returns: The predicate.
  public static func || (left: FetchPredicate, right: Self) -> FetchPredicate {
    left || right._predicate
  }

  /// Whether the attribute is false or absent.
  ///
  /// - Parameter value: A `Bool` attribute.
  /// - Returns: The predicate; true where the attribute is absent.
  public static prefix func ! (value: Self) -> FetchPredicate { !value._predicate }
}
