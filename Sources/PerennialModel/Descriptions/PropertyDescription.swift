// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// One property of an entity: an attribute or a relationship.
///
/// ```swift
/// let properties: [PropertyDescription] = [
///   .attribute("sha", .string),
///   .toOne("author", "Author", inverse: "commits"),
/// ]
/// ```
///
/// Core Data: `NSPropertyDescription`.
public enum PropertyDescription: Sendable, Hashable, Codable {
  /// A value of the object's own.
  case attribute(AttributeDescription)
  /// A link to other objects.
  case relationship(RelationshipDescription)

  /// The property's name.
  public var name: String {
    switch self {
    case .attribute(let attribute): attribute.name
    case .relationship(let relationship): relationship.name
    }
  }

  /// An attribute.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - type: The type of its values.
  ///   - isOptional: Whether it may have no value.
  ///   - defaultValue: The value that a new object begins with.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - derivationExpression: How a derived attribute is computed.
  ///   - validation: The rules that its values must meet before they are saved.
  /// - Returns: The property.
  public static func attribute(
    _ name: String,
    _ type: AttributeType,
    optional isOptional: Bool = false,
    default defaultValue: (any AttributeValue)? = nil,
    transient isTransient: Bool = false,
    derived derivationExpression: String? = nil,
    validation: ValidationRules = ValidationRules()
  ) -> Self {
    .attribute(
      AttributeDescription(
        name,
        type,
        isOptional: isOptional,
        defaultValue: defaultValue?._propertyValue ?? .null,
        isTransient: isTransient,
        derivationExpression: derivationExpression,
        validation: validation
      )
    )
  }

  /// A to-one relationship.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - destinationEntity: The name of the entity that it leads to.
  ///   - inverse: The name of the relationship back; `nil` to infer it.
  ///   - deleteRule: What happens to the object when its owner is deleted.
  ///   - isOptional: Whether it may be `nil`.
  /// - Returns: The property.
  public static func toOne(
    _ name: String,
    _ destinationEntity: String,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    optional isOptional: Bool = true
  ) -> Self {
    .relationship(
      RelationshipDescription(
        name,
        to: destinationEntity,
        inverse: inverse,
        deleteRule: deleteRule,
        isOptional: isOptional
      )
    )
  }

  /// A to-many relationship.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - destinationEntity: The name of the entity that it leads to.
  ///   - inverse: The name of the relationship back; `nil` to infer it.
  ///   - deleteRule: What happens to the objects when their owner is deleted.
  ///   - isOrdered: Whether it keeps its order.
  /// - Returns: The property.
  public static func toMany(
    _ name: String,
    _ destinationEntity: String,
    inverse: String? = nil,
    deleteRule: DeleteRule = .nullify,
    ordered isOrdered: Bool = false
  ) -> Self {
    .relationship(
      RelationshipDescription(
        name,
        to: destinationEntity,
        inverse: inverse,
        isToMany: true,
        isOrdered: isOrdered,
        deleteRule: deleteRule
      )
    )
  }
}
