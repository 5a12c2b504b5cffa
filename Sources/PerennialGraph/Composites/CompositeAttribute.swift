// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

/// A struct that is an attribute of a managed class: its properties are stored as columns of the owner and can be
/// used in predicates and sorts, for example as `address.city`.
///
/// `@Composite` writes everything that the protocol asks for:
///
/// ```swift
/// @Composite struct Address {
///   var city: String?
///   var zip: String?
/// }
///
/// @Managed final class Person: ManagedObject {
///   var name: String
///   var address: Address?
/// }
/// ```
///
/// An optional composite attribute is `nil` when none of its elements has a value.
///
/// Core Data: `NSCompositeAttributeDescription`; SwiftData: `Schema.CompositeAttribute`.
public protocol CompositeAttribute: Codable, Sendable, SendableMetatype {
  /// The descriptions of the elements, in order.
  static var _elements: [PropertyDescription] { get }
  /// How many slots the elements take, including those of elements that are composite themselves.
  static var _slotCount: Int { get }
  /// The name of the element that a key path reads; `nil` when it reads none.
  static func _elementName(for keyPath: AnyKeyPath) -> String?
  /// Reads the elements in order.
  init(_reading elements: inout _ElementReader)
  /// Writes the elements in order.
  func _write(to elements: inout _ElementWriter)
}
