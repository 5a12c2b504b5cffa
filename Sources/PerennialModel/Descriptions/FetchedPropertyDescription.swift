// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// A list of objects that belongs to an object by a condition instead of a relationship.
///
/// ```swift
/// let namesakes = FetchedPropertyDescription(
///   "namesakes", entity: "Author", predicate: "name == $FETCH_SOURCE.name AND SELF != $FETCH_SOURCE")
/// var author = EntityDescription("Author", properties: [.attribute("name", .string)])
/// author.fetchedProperties = [namesakes]
/// ```
///
/// In the condition, `$FETCH_SOURCE` is the object that has the property, and `$FETCHED_PROPERTY` is the
/// property's name. A fetched property changes neither what is stored nor the version of the model.
///
/// Core Data: `NSFetchedPropertyDescription`.
public struct FetchedPropertyDescription: Sendable, Hashable, Codable {
  /// The property's name, unique within its entity and the entities that inherit it.
  public var name: String
  /// The request that fetches the objects; the template's own name does not count.
  public var fetchRequest: FetchRequestTemplate

  /// A fetched property.
  ///
  /// Names are checked when a model is made, the condition when the property is used.
  ///
  /// - Parameters:
  ///   - name: Its name, unique within its entity and the entities that inherit it.
  ///   - fetchRequest: The request that fetches the objects; the template's own name does not count.
  public init(_ name: String, fetchRequest: FetchRequestTemplate) {
    self.name = name
    self.fetchRequest = fetchRequest
  }

  /// A fetched property that gives all objects of an entity that meet a condition.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - entityName: The name of the entity to fetch.
  ///   - predicate: The condition in the format language; `nil` for all objects.
  public init(_ name: String, entity entityName: String, predicate: String?) {
    self.init(
      name,
      fetchRequest: FetchRequestTemplate(name, entity: entityName, predicate: predicate)
    )
  }
}
