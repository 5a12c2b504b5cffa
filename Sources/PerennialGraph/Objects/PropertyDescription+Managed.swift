// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel

// What @Managed writes for every property: `.of("sha", String.self)`. The type picks the overload.

extension PropertyDescription {
  /// An attribute of a standard type.
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The type of its values; an optional one makes the attribute optional.
  ///   - value: The value of a new object; `nil` for none.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - isExternal: Whether values of more than 128 KiB are kept in files beside the store, where the store has
  ///     files.
  ///   - preservesValueOnDeletion: Whether history keeps the last value of a deleted object.
  ///   - derived: The expression that gives the value; `nil` for an ordinary attribute.
  ///   - minimum: The least number or the earliest date; `nil` for any.
  ///   - maximum: The greatest number or the latest date; `nil` for any.
  ///   - minimumLength: The least length: UTF-16 units of text, bytes of data.
  ///   - maximumLength: The greatest length, in the same units.
  ///   - pattern: A regular expression of ICU that the whole text must match.
  ///   - validation: Conditions on the value, which is `SELF` in them.
  /// - Returns: The property.
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
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The type of its values, whose raw values are stored.
  ///   - value: The value of a new object.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - preservesValueOnDeletion: Whether history keeps the last value of a deleted object.
  /// - Returns: The property.
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
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The type of its values, whose raw values are stored.
  ///   - value: The value of a new object; `nil` for none.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - preservesValueOnDeletion: Whether history keeps the last value of a deleted object.
  /// - Returns: The property.
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
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The type of its values.
  ///   - value: The value of a new object.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - isExternal: Whether values of more than 128 KiB are kept in files beside the store, where the store has
  ///     files.
  ///   - preservesValueOnDeletion: Whether history keeps the last value of a deleted object.
  /// - Returns: The property.
  @_disfavoredOverload
  public static func of<Value: Codable & Sendable>(
    _ name: String,
    _ type: Value.Type,
    default value: Value,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    isExternal: Bool = false,
    preservesValueOnDeletion: Bool = false
  ) -> PropertyDescription {
    json(
      name,
      value,
      isOptional: false,
      renamedFrom,
      isTransient,
      isExternal,
      preservesValueOnDeletion
    )
  }

  /// An optional attribute of a Codable type, stored as JSON.
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The type of its values.
  ///   - value: The value of a new object; `nil` for none.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - isExternal: Whether values of more than 128 KiB are kept in files beside the store, where the store has
  ///     files.
  ///   - preservesValueOnDeletion: Whether history keeps the last value of a deleted object.
  /// - Returns: The property.
  @_disfavoredOverload
  public static func of<Value: Codable & Sendable>(
    _ name: String,
    _ type: Value?.Type,
    default value: Value? = nil,
    renamedFrom: String? = nil,
    isTransient: Bool = false,
    isExternal: Bool = false,
    preservesValueOnDeletion: Bool = false
  ) -> PropertyDescription {
    json(
      name,
      value,
      isOptional: true,
      renamedFrom,
      isTransient,
      isExternal,
      preservesValueOnDeletion
    )
  }

  /// A to-one relationship.
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The class that it leads to, as an optional.
  ///   - inverse: The name of the relationship back; `nil` to infer it.
  ///   - deleteRule: What happens to the object when its owner is deleted.
  ///   - isOptional: Whether it may be `nil` in a saved object.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  /// - Returns: The property.
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
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The view type for the class that it leads to.
  ///   - inverse: The name of the relationship back; `nil` to infer it.
  ///   - deleteRule: What happens to the objects when their owner is deleted.
  ///   - isOptional: Whether it may be empty in a saved object.
  ///   - minimumCount: The least number of objects, unless the relationship is optional and empty.
  ///   - maximumCount: The greatest number of objects; 0 for any number.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  /// - Returns: The property.
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
  ///
  /// - Parameters:
  ///   - name: The name in the model.
  ///   - type: The view type for the class that it leads to.
  ///   - inverse: The name of the relationship back; `nil` to infer it.
  ///   - deleteRule: What happens to the objects when their owner is deleted.
  ///   - isOptional: Whether it may be empty in a saved object.
  ///   - minimumCount: The least number of objects, unless the relationship is optional and empty.
  ///   - maximumCount: The greatest number of objects; 0 for any number.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  /// - Returns: The property.
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
    _ isExternal: Bool,
    _ preservesValueOnDeletion: Bool
  ) -> PropertyDescription {
    .attribute(
      AttributeDescription(
        name,
        .transformable,
        isOptional: isOptional,
        defaultValue: value.flatMap { try? JSONValue.encode($0) }.map { .data($0) } ?? .null,
        isTransient: isTransient,
        allowsExternalBinaryDataStorage: isExternal,
        preservesValueInHistoryOnDeletion: preservesValueOnDeletion,
        valueTransformerName: AttributeDescription.jsonTransformerName,
        renamingIdentifier: renamedFrom
      )
    )
  }
}

extension AttributeDescription {
  /// What the transformer of attributes of Codable types is called; other transformable attributes take `Data` only.
  fileprivate static var jsonTransformerName: String { "PerennialJSON" }

  /// Whether the attribute is of a Codable type.
  var isJSON: Bool { valueTransformerName == Self.jsonTransformerName }
}

extension EntityDescription {
  /// The description of a managed class; `@Managed` writes the call.
  ///
  /// - Parameters:
  ///   - type: The class; only the compiler looks at it.
  ///   - name: The entity's name.
  ///   - superclass: The class whose entity is the parent; `ManagedObject` for none.
  ///   - isAbstract: Whether only its subentities have objects.
  ///   - renamedFrom: The name in the earlier version of the model; `nil` when it was the same.
  ///   - uniqueness: Lists of properties whose values together are unique.
  ///   - indexes: Lists of properties that are indexed together, ascending.
  ///   - fullText: String attributes, each of which gets a full-text index.
  ///   - properties: Its own properties, without the inherited ones, in order.
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
