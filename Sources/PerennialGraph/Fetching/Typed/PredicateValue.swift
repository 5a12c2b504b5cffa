// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialPredicate

/// A value in a typed condition: an attribute, or something computed from attributes.
///
/// An optional attribute is a `PredicateValue` of the type inside the optional. Any value can be compared
/// with `nil`, which equals only itself.
public struct PredicateValue<Value>: Sendable {
  let _term: PredicateTerm

  init(_ term: PredicateTerm) { _term = term }

  static func _constant(_ value: Value?) -> PredicateTerm {
    PredicateTerm(.constant(value.map { PropertyValue(attribute: $0) } ?? .null))
  }

  // MARK: Equality

  /// Whether the value equals another; with `nil`, whether it is absent.
  ///
  /// Text is compared by its bytes.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with; `nil` for no value.
  /// - Returns: The predicate; an absent value equals only `nil`.
  public static func == (left: Self, right: Value?) -> FetchPredicate {
    left._term.compared(.equal, _constant(right))
  }

  /// Whether the value differs from another; with `nil`, whether it is present.
  ///
  /// - Parameters:
  ///   - left: The value.
  ///   - right: What it is compared with; `nil` for no value.
  /// - Returns: The predicate; an absent value differs from all but `nil`.
  public static func != (left: Self, right: Value?) -> FetchPredicate {
    left._term.compared(.notEqual, _constant(right))
  }

  /// Whether two values are equal, or both are absent.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: Another.
  /// - Returns: The predicate.
  public static func == (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.equal, right._term)
  }

  /// Whether two values differ, or only one of them is absent.
  ///
  /// - Parameters:
  ///   - left: A value.
  ///   - right: Another.
  /// - Returns: The predicate.
  public static func != (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.notEqual, right._term)
  }

  // MARK: Lists

  /// Whether the value is one of a list.
  ///
  /// - Parameter values: The list, in any order.
  /// - Returns: The predicate; false for an empty list, and where the value is absent.
  public func isIn(_ values: [Value]) -> FetchPredicate {
    _term.compared(.isIn, PredicateTerm(.list(values.map { Self._constant($0).expression })))
  }

  /// Whether the value is one of a collection, such as a set.
  ///
  /// - Parameter values: The collection, in any order.
  /// - Returns: The predicate; false for an empty collection, and where the value is absent.
  @_disfavoredOverload
  public func isIn(_ values: some Collection<Value>) -> FetchPredicate { isIn(Array(values)) }
}

extension PredicateValue where Value: RawRepresentable, Value.RawValue: AttributeValue {
  /// The raw value, which is what a store keeps: `$0.level.rawValue > 3`.
  public var rawValue: PredicateValue<Value.RawValue> { PredicateValue<Value.RawValue>(_term) }
}

extension PropertyValue {
  /// The value of a type that an attribute can have: the only ones that typed conditions take.
  fileprivate init(attribute value: Any) {
    switch value {
    case let value as any AttributeValue: self = value._propertyValue
    case let id as ManagedObjectID: self = .objectID(id)
    case let value as any RawRepresentable: self.init(attribute: value.rawValue)
    default: preconditionFailure("A typed condition has a value of the type \(type(of: value)).")
    }
  }
}
