// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The description of one attribute in a model.
///
/// Core Data: `NSAttributeDescription`.
public struct AttributeDescription: Sendable, Hashable, Codable {
  /// The attribute's name, unique within its entity.
  public var name: String
  /// The type of its values.
  public var type: AttributeType
  /// Whether it may have no value.
  ///
  /// A required attribute may be without a value until the object is saved.
  public var isOptional: Bool
  /// The value that a new object begins with; `.null` for none.
  public var defaultValue: PropertyValue
  /// Whether the value is tracked but never stored.
  public var isTransient: Bool
  /// Whether values of more than 128 KiB are kept in files beside the store, if the store has files.
  public var allowsExternalBinaryDataStorage: Bool
  /// Whether the store's history keeps the attribute's last value when an object is deleted.
  ///
  /// The value is then in the `tombstone` of the deletion.
  public var preservesValueInHistoryOnDeletion: Bool
  /// The expression that computes a derived attribute, in Core Data's words; `nil` for an ordinary attribute.
  ///
  /// It is one of these:
  /// - an attribute (`name`), or a path to one through to-one relationships that have inverses
  ///   (`author.team.name`);
  /// - either of them within `canonical:(name)`, `uppercase:(name)` or `lowercase:(name)`;
  /// - `commits.@count`, or `commits.length.@sum` (also `@min`, `@max`, `@avg`);
  /// - `now()`.
  ///
  /// The expression is checked when a store is opened with the model.
  public var derivationExpression: String?
  /// The attributes that a composite attribute consists of, in order.
  public var elements: [AttributeDescription]
  /// The name of the transformer of a transformable attribute.
  public var valueTransformerName: String?
  /// The attribute's name in an earlier version of the model, if that was another one.
  ///
  /// A migration takes over the values of that name, whatever versions lie between.
  ///
  /// Core Data: `renamingIdentifier`.
  public var renamingIdentifier: String?
  /// Text that makes the version hash differ where nothing else does.
  public var versionHashModifier: String?
  /// The rules that its values must meet before they are saved.
  public var validation: ValidationRules
  /// Notes that Perennial keeps and does not read.
  public var userInfo: [String: String]

  /// Describes an attribute.
  ///
  /// Nothing is checked until a model is made of the description.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - type: The type of its values.
  ///   - isOptional: Whether it may have no value.
  ///   - defaultValue: The value that a new object begins with; `.null` for none.
  ///   - isTransient: Whether it is tracked but never stored.
  ///   - allowsExternalBinaryDataStorage: Whether large values are kept in files beside the store.
  ///   - preservesValueInHistoryOnDeletion: Whether the history keeps the last value when an object is deleted.
  ///   - derivationExpression: How a derived attribute is computed.
  ///   - elements: The attributes that a composite attribute consists of, in order.
  ///   - valueTransformerName: The name of the transformer of a transformable attribute.
  ///   - renamingIdentifier: The name in an earlier version of the model, if that was another one.
  ///   - versionHashModifier: Text that makes the version hash differ.
  ///   - validation: The rules that its values must meet before they are saved.
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
