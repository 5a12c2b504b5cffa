// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate

/// A composite attribute in a typed condition: `$0.address` in
/// `Person.filter { $0.address.city == "Ulm" }`.
///
/// Its members are the elements. Where the attribute has no value, its elements are absent, and equal
/// `nil`.
@dynamicMemberLookup
public struct PredicateComposite<Composite: CompositeAttribute>: Sendable {
  let _term: PredicateTerm

  init(_ term: PredicateTerm) { _term = term }

  private func element(_ keyPath: AnyKeyPath) -> PredicateTerm {
    _term.property(Composite.name(of: keyPath))
  }

  /// An element.
  ///
  /// - Parameter keyPath: An element; a computed property is an error of the fetch (200003).
  /// - Returns: The value; absent where the attribute has no value.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> PredicateValue<Value> {
    PredicateValue(element(keyPath))
  }

  /// An optional element.
  ///
  /// - Parameter keyPath: An element; a computed property is an error of the fetch (200003).
  /// - Returns: The value; absent where the element or the attribute has no value.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Composite, Value?>
  ) -> PredicateValue<Value> {
    PredicateValue(element(keyPath))
  }

  /// An element with a raw value.
  ///
  /// - Parameter keyPath: An element; a computed property is an error of the fetch (200003).
  /// - Returns: The value, compared by its raw value; absent where the attribute has no value.
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> PredicateValue<Value> where Value.RawValue: AttributeValue {
    PredicateValue(element(keyPath))
  }

  /// An optional element with a raw value.
  ///
  /// - Parameter keyPath: An element; a computed property is an error of the fetch (200003).
  /// - Returns: The value, compared by its raw value; absent where the element or the attribute has no value.
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value?>
  ) -> PredicateValue<Value> where Value.RawValue: AttributeValue {
    PredicateValue(element(keyPath))
  }

  /// An element that is composite itself.
  ///
  /// - Parameter keyPath: An element; a computed property is an error of the fetch (200003).
  /// - Returns: The composite element, to ask for elements of its own.
  public subscript<Element: CompositeAttribute>(
    dynamicMember keyPath: KeyPath<Composite, Element>
  ) -> PredicateComposite<Element> {
    PredicateComposite<Element>(element(keyPath))
  }

  /// An optional element that is composite itself.
  ///
  /// - Parameter keyPath: An element; a computed property is an error of the fetch (200003).
  /// - Returns: The composite element, to ask for elements of its own, which are absent where it has no value.
  public subscript<Element: CompositeAttribute>(
    dynamicMember keyPath: KeyPath<Composite, Element?>
  ) -> PredicateComposite<Element> {
    PredicateComposite<Element>(element(keyPath))
  }
}

extension PredicateObject {
  /// A composite attribute.
  ///
  /// - Parameter keyPath: An attribute; a computed property is an error of the fetch (200003).
  /// - Returns: The attribute, to ask for its elements.
  public subscript<Composite: CompositeAttribute>(
    dynamicMember keyPath: KeyPath<Object, Composite>
  ) -> PredicateComposite<Composite> {
    PredicateComposite(_term.property(Object.name(of: keyPath)))
  }

  /// An optional composite attribute.
  ///
  /// - Parameter keyPath: An attribute; a computed property is an error of the fetch (200003).
  /// - Returns: The attribute, to ask for its elements, which are absent where it has no value.
  public subscript<Composite: CompositeAttribute>(
    dynamicMember keyPath: KeyPath<Object, Composite?>
  ) -> PredicateComposite<Composite> {
    PredicateComposite(_term.property(Object.name(of: keyPath)))
  }
}

extension CompositeAttribute {
  /// The name of an element, or the key path's description when it reads none.
  static func name(of keyPath: AnyKeyPath) -> String {
    _elementName(for: keyPath) ?? String(describing: keyPath)
  }
}
