// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialGraph
public import PerennialPredicate

/// A predicate whose format string is checked at compile time.
///
/// ```swift
/// request.predicate = #FetchPredicate(Person.self, "name CONTAINS[c] \(word) AND ANY films.year > 2000")
/// ```
///
/// The compiler reads the format: a mistake in it is an error at its place in the literal. The keys become key
/// paths, so that a key that the class does not have does not compile either, also behind relationships and in
/// subqueries. Every interpolated value is bound, never pasted.
///
/// The macro does not check an interpolated key, `\(key: name)`, or the types of what is compared. A property that
/// only a subentity has is unknown to it: use ``FetchPredicate`` without the macro for that. A property to which
/// `@Attribute(name:)` gives a name in the model cannot be written in the literal either: the macro does not know
/// that name, and the model does not know the variable's. Interpolate the key, or use ``FetchPredicate``.
///
/// - Parameters:
///   - entity: The class of the objects that are tested.
///   - format: The format string: a literal, which may be raw or have several lines.
@freestanding(expression)
public macro FetchPredicate<Entity: ManagedObject>(
  _ entity: Entity.Type,
  _ format: FetchPredicate
) -> FetchPredicate = #externalMacro(module: "PerennialMacros", type: "FetchPredicate")

extension FetchPredicate {
  /// What `#FetchPredicate` expands to: the predicate beside key paths that are never evaluated.
  @inlinable
  public static func _checked(_ predicate: FetchPredicate, _ keys: () -> Void) -> FetchPredicate {
    predicate
  }
}

/// The keys of a type, which `#FetchPredicate` has the compiler check; no value of the type is ever made.
public struct _FormatKeys<Root> {
  /// The keys of a type.
  public init(_ root: Root.Type) {}

  /// The keys of the objects in a relationship.
  public func key<Element>(_ key: KeyPath<Root, ToMany<Element>>) -> _FormatKeys<Element> {
    _FormatKeys<Element>(Element.self)
  }

  /// The keys of the objects in an ordered relationship.
  public func key<Element>(_ key: KeyPath<Root, OrderedToMany<Element>>) -> _FormatKeys<Element> {
    _FormatKeys<Element>(Element.self)
  }

  /// The keys of the object in a relationship, or of a value that may be absent.
  public func key<Value>(_ key: KeyPath<Root, Value?>) -> _FormatKeys<Value> {
    _FormatKeys<Value>(Value.self)
  }

  /// The keys of a value.
  @_disfavoredOverload
  public func key<Value>(_ key: KeyPath<Root, Value>) -> _FormatKeys<Value> {
    _FormatKeys<Value>(Value.self)
  }
}

/// The keys that text and data have in the format language, in addition to those of Swift.
public struct _LengthKeys {
  /// The number of UTF-16 units or bytes.
  public let length: Int
}

extension _FormatKeys where Root == String {
  /// The key `length`.
  public func key(_ key: KeyPath<_LengthKeys, Int>) -> _FormatKeys<Int> {
    _FormatKeys<Int>(Int.self)
  }
}

extension _FormatKeys where Root == Data {
  /// The key `length`.
  public func key(_ key: KeyPath<_LengthKeys, Int>) -> _FormatKeys<Int> {
    _FormatKeys<Int>(Int.self)
  }
}
