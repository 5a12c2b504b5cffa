// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

// The properties that `@Managed` writes and the compiler refuses, with a sentence that says what to do.

extension PropertyDescription {
  /// Refused: a required enum needs a default, because it has no empty value.
  @available(
    *,
    unavailable,
    message: "make the property optional or give it a default, such as `= .first`"
  )
  public static func of<Value: RawRepresentable>(
    _ name: String,
    _ type: Value.Type,
    renamedFrom: String? = nil,
    isTransient: Bool = false
  ) -> PropertyDescription where Value.RawValue: AttributeValue {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: a required Codable value needs a default, because it has no empty value.
  @available(*, unavailable, message: "make the property optional or give it a default")
  @_disfavoredOverload
  public static func of<Value: Codable & Sendable>(
    _ name: String,
    _ type: Value.Type,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    isExternal: Bool = false
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: the model's rules look at values of standard types, not at enums.
  @available(
    *,
    unavailable,
    message:
      "rules hold for attributes of standard types; check this one in 'validateValue(_:forKey:)'"
  )
  public static func of<Value: RawRepresentable>(
    _ name: String,
    _ type: Value.Type,
    default value: Value? = nil,
    validation: [ValidationPredicate]
  ) -> PropertyDescription where Value.RawValue: AttributeValue {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: the model's rules look at values of standard types, not at enums or inside JSON.
  @available(
    *,
    unavailable,
    message:
      "rules hold for attributes of standard types; check this one in 'validateValue(_:forKey:)'"
  )
  @_disfavoredOverload
  public static func of<Value: Codable & Sendable>(
    _ name: String,
    _ type: Value.Type,
    default value: Value? = nil,
    validation: [ValidationPredicate]
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: no store can keep a value of another type.
  @available(
    *,
    unavailable,
    message:
      "this type cannot be an attribute; use a standard type, an enum with a raw value, or make the type Codable and Sendable"
  )
  @_disfavoredOverload
  public static func of<Value>(
    _ name: String,
    _ type: Value.Type,
    renamedFrom: String? = nil,
    isTransient: Bool = false
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: a required URL needs a default, because it has no empty value.
  @available(*, unavailable, message: "make the property optional or give it a default")
  public static func of(
    _ name: String,
    _ type: URL.Type,
    renamedFrom: String? = nil,
    isTransient: Bool = false
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: a to-one relationship is always optional in Swift.
  @available(
    *,
    unavailable,
    message:
      "a to-one relationship must be optional; write `@Relationship(optional: false) var name: Type?` if the model requires it"
  )
  public static func of<Destination: ManagedObject>(
    _ name: String,
    _ type: Destination.Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: an array of objects is no relationship.
  @available(
    *,
    unavailable,
    message: "a to-many relationship is written ToMany<Type>, or OrderedToMany<Type> for a list"
  )
  public static func of<Element: ManagedObject>(
    _ name: String,
    _ type: [Element].Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: a set of objects is no relationship.
  @available(
    *,
    unavailable,
    message: "a to-many relationship is written ToMany<Type>, or OrderedToMany<Type> for a list"
  )
  public static func of<Element: ManagedObject>(
    _ name: String,
    _ type: Set<Element>.Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: an optional array of objects is no relationship.
  @available(
    *,
    unavailable,
    message: "a to-many relationship is written ToMany<Type>, or OrderedToMany<Type> for a list"
  )
  public static func of<Element: ManagedObject>(
    _ name: String,
    _ type: [Element]?.Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }

  /// Refused: an optional set of objects is no relationship.
  @available(
    *,
    unavailable,
    message: "a to-many relationship is written ToMany<Type>, or OrderedToMany<Type> for a list"
  )
  public static func of<Element: ManagedObject>(
    _ name: String,
    _ type: Set<Element>?.Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .attribute(AttributeDescription(name, .undefined, isTransient: true))
  }
}
