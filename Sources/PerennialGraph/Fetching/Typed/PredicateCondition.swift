// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialPredicate

/// What a typed condition may end with: a comparison, conditions that are joined, or a `Bool`
/// attribute.
public protocol PredicateCondition {
  /// The condition as a predicate.
  var _predicate: FetchPredicate { get }
}

extension FetchPredicate: PredicateCondition {
  /// The predicate itself.
  public var _predicate: FetchPredicate { self }
}

extension PredicateValue: PredicateCondition where Value == Bool {
  /// Whether the attribute is true; an absent one is not.
  public var _predicate: FetchPredicate { self == true }
}

// A `Bool` attribute beside other conditions: `$0.isMerge && !$0.isSigned`.

extension PredicateValue where Value == Bool {
  /// Whether both attributes are true.
  public static func && (left: Self, right: Self) -> FetchPredicate {
    left._predicate && right._predicate
  }

  /// Whether the attribute and the condition are true.
  public static func && (left: Self, right: FetchPredicate) -> FetchPredicate {
    left._predicate && right
  }

  /// Whether the condition and the attribute are true.
  public static func && (left: FetchPredicate, right: Self) -> FetchPredicate {
    left && right._predicate
  }

  /// Whether one of the attributes is true.
  public static func || (left: Self, right: Self) -> FetchPredicate {
    left._predicate || right._predicate
  }

  /// Whether the attribute or the condition is true.
  public static func || (left: Self, right: FetchPredicate) -> FetchPredicate {
    left._predicate || right
  }

  /// Whether the condition or the attribute is true.
  public static func || (left: FetchPredicate, right: Self) -> FetchPredicate {
    left || right._predicate
  }

  /// Whether the attribute is false or absent.
  public static prefix func ! (value: Self) -> FetchPredicate { !value._predicate }
}
