// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
public import PerennialPredicate

/// An object that a typed condition is about: `$0` in `Commit.filter { $0.author.name == "Joe" }`.
///
/// Its members are the attributes and relationships of the class. A property that is computed, and
/// therefore not stored, is an error of the fetch. A key path through a to-one relationship that leads to
/// no object has no value, and equals `nil`.
@dynamicMemberLookup
public struct PredicateObject<Object: ManagedObject>: Sendable {
  let _term: PredicateTerm

  init(_ expression: ExpressionNode) { _term = PredicateTerm(expression) }

  private init(_ term: PredicateTerm) { _term = term }

  private func property(_ keyPath: AnyKeyPath) -> PredicateTerm {
    _term.property(Object.name(of: keyPath))
  }

  // MARK: Attributes

  /// An attribute.
  ///
  /// - Parameter keyPath: An attribute; a computed property is an error of the fetch (200003).
  /// - Returns: The value; absent where there is no object.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Object, Value>
  ) -> PredicateValue<Value> {
    PredicateValue(property(keyPath))
  }

  /// An optional attribute.
  ///
  /// - Parameter keyPath: An attribute; a computed property is an error of the fetch (200003).
  /// - Returns: The value; absent where it is `nil`, or there is no object.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Object, Value?>
  ) -> PredicateValue<Value> {
    PredicateValue(property(keyPath))
  }

  /// An attribute with a raw value.
  ///
  /// - Parameter keyPath: An attribute; a computed property is an error of the fetch (200003).
  /// - Returns: The value, compared by its raw value; absent where there is no object.
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Object, Value>
  ) -> PredicateValue<Value> where Value.RawValue: AttributeValue {
    PredicateValue(property(keyPath))
  }

  /// An optional attribute with a raw value.
  ///
  /// - Parameter keyPath: An attribute; a computed property is an error of the fetch (200003).
  /// - Returns: The value, compared by its raw value; absent where it is `nil`, or there is no object.
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Object, Value?>
  ) -> PredicateValue<Value> where Value.RawValue: AttributeValue {
    PredicateValue(property(keyPath))
  }

  /// An optional attribute of a Codable type, which a store keeps as JSON: compare it with `nil`.
  ///
  /// - Parameter keyPath: An attribute; a computed property is an error of the fetch (200003).
  /// - Returns: The value, to be compared with `nil`.
  @_disfavoredOverload
  public subscript<Value: Codable & Sendable>(
    dynamicMember keyPath: KeyPath<Object, Value?>
  ) -> PredicateValue<Never> {
    PredicateValue(property(keyPath))
  }

  // MARK: Relationships

  /// The object of a to-one relationship.
  ///
  /// - Parameter keyPath: A to-one relationship; a computed property is an error of the fetch (200003).
  /// - Returns: The object; it equals `nil` where there is none.
  public subscript<Destination: ManagedObject>(
    dynamicMember keyPath: KeyPath<Object, Destination?>
  ) -> PredicateObject<Destination> {
    PredicateObject<Destination>(property(keyPath))
  }

  /// The objects of a to-many relationship.
  ///
  /// - Parameter keyPath: A to-many relationship; a computed property is an error of the fetch (200003).
  /// - Returns: The objects, for a condition on them, a count or an aggregate.
  public subscript<Element: ManagedObject>(
    dynamicMember keyPath: KeyPath<Object, ToMany<Element>>
  ) -> PredicateMembers<Element> {
    PredicateMembers(property(keyPath))
  }

  /// The objects of an ordered to-many relationship.
  ///
  /// - Parameter keyPath: A to-many relationship; a computed property is an error of the fetch (200003).
  /// - Returns: The objects, for a condition on them, a count or an aggregate.
  public subscript<Element: ManagedObject>(
    dynamicMember keyPath: KeyPath<Object, OrderedToMany<Element>>
  ) -> PredicateMembers<Element> {
    PredicateMembers(property(keyPath))
  }

  /// The object's ID.
  public var objectID: PredicateValue<ManagedObjectID> {
    PredicateValue(_term.property("objectID"))
  }
}

extension PredicateObject {
  // MARK: Identity

  /// Whether it is the given object; with `nil`, whether a to-one relationship leads to no object.
  ///
  /// - Parameters:
  ///   - left: The object of the condition.
  ///   - right: An object, or `nil` for none.
  /// - Returns: The predicate.
  public static func == (left: Self, right: Object?) -> FetchPredicate {
    left._term.compared(.equal, constant(right?.objectID))
  }

  /// Whether it is not the given object; with `nil`, whether a to-one relationship leads to an object.
  ///
  /// - Parameters:
  ///   - left: The object of the condition.
  ///   - right: An object, or `nil` for none.
  /// - Returns: The predicate; where there is no object it is true, but with `nil` it is false.
  public static func != (left: Self, right: Object?) -> FetchPredicate {
    left._term.compared(.notEqual, constant(right?.objectID))
  }

  /// Whether it is the object with the given ID.
  ///
  /// - Parameters:
  ///   - left: The object of the condition.
  ///   - right: An ID.
  /// - Returns: The predicate; false where there is no object.
  public static func == (left: Self, right: ManagedObjectID) -> FetchPredicate {
    left._term.compared(.equal, constant(right))
  }

  /// Whether it is not the object with the given ID.
  ///
  /// - Parameters:
  ///   - left: The object of the condition.
  ///   - right: An ID.
  /// - Returns: The predicate; true where there is no object.
  public static func != (left: Self, right: ManagedObjectID) -> FetchPredicate {
    left._term.compared(.notEqual, constant(right))
  }

  /// Whether both are the same object, or both are absent.
  ///
  /// - Parameters:
  ///   - left: An object of the condition.
  ///   - right: Another.
  /// - Returns: The predicate.
  public static func == (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.equal, right._term)
  }

  /// Whether they are different objects, or only one of them is absent.
  ///
  /// - Parameters:
  ///   - left: An object of the condition.
  ///   - right: Another.
  /// - Returns: The predicate.
  public static func != (left: Self, right: Self) -> FetchPredicate {
    left._term.compared(.notEqual, right._term)
  }

  /// Whether it is one of the given objects.
  ///
  /// - Parameter objects: The objects, in any order.
  /// - Returns: The predicate; false for an empty list, and where there is no object.
  public func isIn(_ objects: [Object]) -> FetchPredicate { isIn(objects.map(\.objectID)) }

  /// Whether it is one of the objects with the given IDs.
  ///
  /// - Parameter ids: The IDs, in any order.
  /// - Returns: The predicate; false for an empty list, and where there is no object.
  public func isIn(_ ids: [ManagedObjectID]) -> FetchPredicate {
    _term.compared(.isIn, PredicateTerm(.list(ids.map { .constant(.objectID($0)) })))
  }

  private static func constant(_ id: ManagedObjectID?) -> PredicateTerm {
    PredicateTerm(id.map { .constant(.objectID($0)) } ?? .null)
  }
}
