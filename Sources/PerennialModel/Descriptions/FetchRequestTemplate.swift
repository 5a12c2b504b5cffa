// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A fetch request that a model keeps by name, with `$VARIABLES` in its condition.
///
/// ```swift
/// let template = FetchRequestTemplate(
///   "commitsBy", entity: "Commit", predicate: "author.name == $NAME")
/// ```
///
/// Core Data: `NSManagedObjectModel.fetchRequestTemplate(forName:)`.
public struct FetchRequestTemplate: Sendable, Hashable, Codable {
  /// The template's name, unique within its model.
  public var name: String
  /// The name of the entity to fetch.
  public var entityName: String
  /// The condition in the format language; `nil` for all objects.
  public var predicate: String?
  /// The greatest number of objects; 0 for no limit.
  public var fetchLimit: Int
  /// Whether objects of subentities are fetched too.
  public var includesSubentities: Bool

  /// A fetch request that a model keeps.
  ///
  /// Names are checked when a model is made, the condition when the template is used.
  ///
  /// - Parameters:
  ///   - name: Its name, unique within its model.
  ///   - entityName: The name of the entity to fetch.
  ///   - predicate: The condition in the format language; `nil` for all objects.
  ///   - fetchLimit: The greatest number of objects; 0 for no limit.
  ///   - includesSubentities: Whether objects of subentities are fetched too.
  public init(
    _ name: String,
    entity entityName: String,
    predicate: String? = nil,
    fetchLimit: Int = 0,
    includesSubentities: Bool = true
  ) {
    self.name = name
    self.entityName = entityName
    self.predicate = predicate
    self.fetchLimit = fetchLimit
    self.includesSubentities = includesSubentities
  }
}
