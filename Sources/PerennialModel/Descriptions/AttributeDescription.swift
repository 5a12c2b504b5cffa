// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a model says of one attribute.
///
/// Core Data: `NSAttributeDescription`.
public struct AttributeDescription: Sendable, Hashable, Codable {
  /// The attribute's name, unique within its entity.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether it may have no value.
  ///
  /// A required attribute is checked at save, not before.
  public var isOptional: Bool
  /// The value of a new object; `.null` for none.
  public var defaultValue: PropertyValue
  /// Whether the value is tracked but never stored.
  public var isTransient: Bool
  /// Whether values of more than 128 KiB lie in files beside the store, where the store has files.
  public var allowsExternalBinaryDataStorage: Bool
  /// Whether the history of the store keeps the last value of a deleted object.
  ///
  /// It is then in the `tombstone` of the deletion.
  public var preservesValueInHistoryOnDeletion: Bool
  /// How a derived attribute is computed, in Core Data's words; `nil` for an ordinary one.
  ///
  /// An attribute (`name`) or a path to one through to-one relationships that have inverses
  /// (`author.team.name`); either within `canonical:(name)`, `uppercase:(name)` or
  /// `lowercase:(name)`; `commits.@count`, `commits.length.@sum` (also `@min`, `@max`, `@avg`), or
  /// `now()`. It is checked when a store is opened with the model.
  public var derivationExpression: String?
  /// The attributes of a composite one, in order.
  public var elements: [AttributeDescription]
  /// The name of the transformer of a transformable attribute.
  public var valueTransformerName: String?
  /// The name in the earlier version of the model, when it was another.
  ///
  /// A migration takes this name's values, whatever versions lie between.
  ///
  /// Core Data: `renamingIdentifier`.
  public var renamingIdentifier: String?
  /// Text that makes the version hash differ where nothing else does.
  public var versionHashModifier: String?
  /// What its values must meet before they are saved.
  public var validation: ValidationRules
  /// Notes that Perennial keeps and does not read.
  public var userInfo: [String: String]

  /// Describes an attribute; nothing is checked before a model is made of it.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - type: The type of its values.
  ///   - isOptional: Whether it may have no value.
  ///   - defaultValue: The value of a new object; `.null` for none.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - allowsExternalBinaryDataStorage: Whether large values may lie in files beside the store.
  ///   - preservesValueInHistoryOnDeletion: Whether history keeps the last value of a deleted object.
  ///   - derivationExpression: How a derived attribute is computed.
  ///   - elements: The attributes of a composite one, in order.
  ///   - valueTransformerName: The name of the transformer of a transformable attribute.
  ///   - renamingIdentifier: The name in the earlier version of the model.
  ///   - versionHashModifier: Text that makes the version hash differ.
  ///   - validation: What its values must meet before they are saved.
  ///   - userInfo: Notes that Perennial keeps and does not read.
  public init(
    _ name: String,
    _ type: AttributeType,
    isOptional: Bool = false,
    defaultValue: PropertyValue = .null,
    isTransient: Bool = false,
    allowsExternalBinaryDataStorage: Bool = false,
    preservesValueInHistoryOnDeletion: Bool = false,
    derivationExpression: String? = nil,
    elements: [AttributeDescription] = [],
    valueTransformerName: String? = nil,
    renamingIdentifier: String? = nil,
    versionHashModifier: String? = nil,
    validation: ValidationRules = ValidationRules(),
    userInfo: [String: String] = [:]
  ) {
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = defaultValue
    self.isTransient = isTransient
    self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage
    self.preservesValueInHistoryOnDeletion = preservesValueInHistoryOnDeletion
    self.derivationExpression = derivationExpression
    self.elements = elements
    self.valueTransformerName = valueTransformerName
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.validation = validation
    self.userInfo = userInfo
  }
}
