// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The entities of a store and of the contexts on it: a checked, immutable value.
///
/// ```swift
/// let model = try ManagedObjectModel(
///   EntityDescription(
///     "Commit", uniqueness: [["sha"]],
///     properties: [.attribute("sha", .string), .toOne("author", "Author", inverse: "commits")]),
///   EntityDescription(
///     "Author",
///     properties: [.attribute("name", .string), .toMany("commits", "Commit", inverse: "author")]))
/// ```
///
/// Core Data: `NSManagedObjectModel`.
public struct ManagedObjectModel: Sendable {
  /// The entities with their resolved names.
  package let layout: ModelLayout

  /// Checks descriptions and makes a model of them.
  ///
  /// Missing inverses are inferred where exactly one relationship fits.
  ///
  /// - Parameter entities: The descriptions, in any order.
  /// - Throws: ``PerennialError/Code/invalidModel``, naming entity, property and cure; with
  ///   ``PerennialError/problems`` when there are several.
  public init(_ entities: EntityDescription...) throws(PerennialError) {
    try self.init(entities: entities)
  }

  /// Checks a list of descriptions and makes a model of them.
  ///
  /// - Parameter entities: The descriptions, in any order.
  /// - Throws: ``PerennialError/Code/invalidModel``, naming entity, property and cure; with
  ///   ``PerennialError/problems`` when there are several.
  public init(entities: [EntityDescription]) throws(PerennialError) {
    var resolver = ModelResolver(entities)
    layout = try resolver.resolve()
  }

  /// The descriptions, in the order of the entities' store numbers, inverses filled in.
  public var entities: [EntityDescription] { layout.entities.map(\.description) }

  /// The descriptions by name.
  public var entitiesByName: [String: EntityDescription] {
    Dictionary(uniqueKeysWithValues: entities.map { ($0.name, $0) })
  }
}

extension ManagedObjectModel: Codable {
  /// Reads the entities and checks them.
  public init(from decoder: any Decoder) throws {
    try self.init(entities: [EntityDescription](from: decoder))
  }

  /// Writes the entities.
  public func encode(to encoder: any Encoder) throws { try entities.encode(to: encoder) }
}

extension ManagedObjectModel: Equatable {
  /// Whether two models describe the same entities.
  public static func == (left: Self, right: Self) -> Bool { left.entities == right.entities }
}
