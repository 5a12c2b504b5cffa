// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel

// What @Managed writes for every property: `.of("sha", String.self)`. The type picks the overload.

extension PropertyDescription {
  /// An attribute of a standard type.
  public static func of<Value: AttributeValue>(
    _ name: String,
    _ type: Value.Type,
    default value: Value? = nil,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    isExternal: Bool = false,
    preservesValueOnDeletion: Bool = false,
    derived: String? = nil,
    minimum: Value? = nil,
    maximum: Value? = nil,
    minimumLength: Int? = nil,
    maximumLength: Int? = nil,
    pattern: String? = nil,
    validation: [ValidationPredicate] = []
  ) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name,
        Value._attributeType,
        isOptional: Value._isOptional,
        defaultValue: value?._propertyValue ?? .null,
        isTransient: isTransient,
        allowsExternalBinaryDataStorage: isExternal,
        preservesValueInHistoryOnDeletion: preservesValueOnDeletion,
        derivationExpression: derived,
        renamingIdentifier: renamedFrom,
        validation: ValidationRules(
          minimum: minimum?._propertyValue ?? .null,
          maximum: maximum?._propertyValue ?? .null,
          minimumLength: minimumLength,
          maximumLength: maximumLength,
          pattern: pattern,
          predicates: validation
        )
      )
    )
  }

  /// An attribute with a raw value.
  public static func of<Value: RawRepresentable>(
    _ name: String,
    _ type: Value.Type,
    default value: Value,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    preservesValueOnDeletion: Bool = false
  ) -> PropertyDescription where Value.RawValue: AttributeValue {
    .attribute(
      AttributeDescription(
        name,
        Value.RawValue._attributeType,
        defaultValue: value.rawValue._propertyValue,
        isTransient: isTransient,
        preservesValueInHistoryOnDeletion: preservesValueOnDeletion,
        renamingIdentifier: renamedFrom
      )
    )
  }

  /// An optional attribute with a raw value.
  public static func of<Value: RawRepresentable>(
    _ name: String,
    _ type: Value?.Type,
    default value: Value? = nil,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    preservesValueOnDeletion: Bool = false
  ) -> PropertyDescription where Value.RawValue: AttributeValue {
    .attribute(
      AttributeDescription(
        name,
        Value.RawValue._attributeType,
        isOptional: true,
        defaultValue: value?.rawValue._propertyValue ?? .null,
        isTransient: isTransient,
        preservesValueInHistoryOnDeletion: preservesValueOnDeletion,
        renamingIdentifier: renamedFrom
      )
    )
  }

  /// An attribute of a Codable type, stored as JSON.
  @_disfavoredOverload
  public static func of<Value: Codable & Sendable>(
    _ name: String,
    _ type: Value.Type,
    default value: Value,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    isExternal: Bool = false
  ) -> PropertyDescription {
    json(name, value, isOptional: false, renamedFrom, isTransient, isExternal)
  }

  /// An optional attribute of a Codable type, stored as JSON.
  @_disfavoredOverload
  public static func of<Value: Codable & Sendable>(
    _ name: String,
    _ type: Value?.Type,
    default value: Value? = nil,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    isExternal: Bool = false
  ) -> PropertyDescription {
    json(name, value, isOptional: true, renamedFrom, isTransient, isExternal)
  }

  /// A to-one relationship.
  public static func of<Destination: ManagedObject>(
    _ name: String,
    _ type: Destination?.Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name,
        to: Destination.entityName,
        inverse: inverse,
        deleteRule: deleteRule,
        isOptional: isOptional,
        renamingIdentifier: renamedFrom
      )
    )
  }

  /// A to-many relationship.
  public static func of<Destination: ManagedObject>(
    _ name: String,
    _ type: ToMany<Destination>.Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    minimumCount: Int = 0,
    maximumCount: Int = 0,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name,
        to: Destination.entityName,
        inverse: inverse,
        isToMany: true,
        deleteRule: deleteRule,
        isOptional: isOptional,
        minimumCount: minimumCount,
        maximumCount: maximumCount,
        renamingIdentifier: renamedFrom
      )
    )
  }

  /// An ordered to-many relationship.
  public static func of<Destination: ManagedObject>(
    _ name: String,
    _ type: OrderedToMany<Destination>.Type,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    isOptional: Bool = true,
    minimumCount: Int = 0,
    maximumCount: Int = 0,
    renamedFrom: String? = nil
  ) -> PropertyDescription {
    .relationship(
      RelationshipDescription(
        name,
        to: Destination.entityName,
        inverse: inverse,
        isToMany: true,
        isOrdered: true,
        deleteRule: deleteRule,
        isOptional: isOptional,
        minimumCount: minimumCount,
        maximumCount: maximumCount,
        renamingIdentifier: renamedFrom
      )
    )
  }

  private static func json(
    _ name: String,
    _ value: (some Codable & Sendable)?,
    isOptional: Bool,
    _ renamedFrom: String?,
    _ isTransient: Bool,
    _ isExternal: Bool
  ) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name,
        .transformable,
        isOptional: isOptional,
        defaultValue: value.flatMap { JSONValue.encode($0) }.map { .data($0) } ?? .null,
        isTransient: isTransient,
        allowsExternalBinaryDataStorage: isExternal,
        valueTransformerName: "PerennialJSON",
        renamingIdentifier: renamedFrom
      )
    )
  }
}

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
}

extension EntityDescription {
  /// The description of a managed class; `@Managed` writes the call.
  public init(
    managing type: ManagedObject.Type,
    named name: String,
    superclass: ManagedObject.Type,
    isAbstract: Bool = false,
    renamedFrom: String? = nil,
    uniqueness: [[String]] = [],
    indexes: [[String]] = [],
    fullText: [String] = [],
    properties: [PropertyDescription]
  ) {
    self.init(
      name,
      parent: superclass == ManagedObject.self ? nil : superclass.entityName,
      isAbstract: isAbstract,
      uniqueness: uniqueness,
      indexes: indexes,
      fullText: fullText,
      properties: properties
    )
    renamingIdentifier = renamedFrom
  }
}
