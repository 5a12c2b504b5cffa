// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The description of one kind of object in a model.
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
  /// Whether only its subentities have objects.
  public var isAbstract: Bool
  /// Its own properties, without the inherited ones, in order.
  ///
  /// ``ManagedObjectModel/propertiesByName(of:)`` gives the inherited ones, too.
  public var properties: [PropertyDescription]
  /// Lists of properties; the values of each list together are unique among the entity's objects.
  public var uniquenessConstraints: [[String]]
  /// The entity's indexes.
  public var indexes: [FetchIndexDescription]
  /// The fetched properties of its objects: lists of objects that meet a condition.
  public var fetchedProperties: [FetchedPropertyDescription] = []
  /// The entity's name in an earlier version of the model, if that was another one.
  ///
  /// A migration takes over the objects of that name, whatever versions lie between.
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
  ///   - isAbstract: Whether only its subentities have objects.
  ///   - uniqueness: Lists of properties; the values of each list together are unique.
  ///   - indexes: Lists of properties; each list gets an ascending index.
  ///   - fullText: String attributes that get a full-text index each.
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
