// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// What a model says of one kind of object.
///
/// ```swift
/// let commit = EntityDescription(
///   "Commit", uniqueness: [["sha"]], indexes: [["date"]],
///   properties: [.attribute("sha", .string), .attribute("date", .date)])
/// ```
///
/// Core Data: `NSEntityDescription`.
public struct EntityDescription: Sendable, Hashable, Codable {
  /// The entity's name, unique within its model.
  public var name: String
  /// The name of the entity whose properties it inherits.
  public var parent: String?
  /// Whether there are objects only of its subentities.
  public var isAbstract: Bool
  /// Its own properties, without the inherited ones, in order.
  ///
  /// ``ManagedObjectModel/propertiesByName(of:)`` has them all.
  public var properties: [PropertyDescription]
  /// Lists of properties whose values together are unique among its objects.
  public var uniquenessConstraints: [[String]]
  /// Its indexes.
  public var indexes: [FetchIndexDescription]
  /// Lists of objects that belong to its objects by a condition.
  public var fetchedProperties: [FetchedPropertyDescription] = []
  /// The name in the earlier version of the model, when it was another.
  ///
  /// A migration takes this name's values, whatever versions lie between.
  ///
  /// Core Data: `renamingIdentifier`.
  public var renamingIdentifier: String?
  /// Text that makes the version hash differ where nothing else does.
  public var versionHashModifier: String?
  /// Notes that Perennial keeps and does not read.
  public var userInfo: [String: String]

  /// Describes an entity.
  ///
  /// - Parameters:
  ///   - name: Its name.
  ///   - parent: The name of the entity whose properties it inherits.
  ///   - isAbstract: Whether there are objects only of its subentities.
  ///   - uniqueness: Lists of properties whose values together are unique.
  ///   - indexes: Lists of properties that are indexed, ascending.
  ///   - fullText: String attributes with a full-text index each.
  ///   - properties: Its own properties, in order.
  public init(
    _ name: String,
    parent: String? = nil,
    isAbstract: Bool = false,
    uniqueness: [[String]] = [],
    indexes: [[String]] = [],
    fullText: [String] = [],
    properties: [PropertyDescription]
  ) {
    self.name = name
    self.parent = parent
    self.isAbstract = isAbstract
    self.properties = properties
    uniquenessConstraints = uniqueness
    self.indexes =
      indexes.map { FetchIndexDescription($0) }
      + fullText.map { FetchIndexDescription(fullText: $0) }
    renamingIdentifier = nil
    versionHashModifier = nil
    userInfo = [:]
  }
}
