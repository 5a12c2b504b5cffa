// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import PerennialModel
public import PerennialPredicate

/// Gives properties new values in all rows that meet a condition, without making objects in your context.
///
/// ```swift
/// var request = BatchUpdateRequest(Commit.self, where: "date < \(lastYear)")
/// request.set(\Commit.isArchived, to: true)
/// try context.execute(request)
/// ```
///
/// If the store can run it and nothing else depends on the properties, the request is one statement. Otherwise the
/// rows are read, changed and saved: for a relationship, a large value that may have a file, a derived attribute, an
/// expression, validation, or a model that derives values from related objects. Every row counts as changed, even one
/// that already had the value: a save that is based on an older version of it meets a conflict. Unsaved changes of
/// contexts do not count.
///
/// Core Data: `NSBatchUpdateRequest`.
public struct BatchUpdateRequest: Sendable {
  /// The name of the entity.
  public let entityName: String
  /// The condition that selects the rows; `nil` for all rows.
  public var predicate: FetchPredicate?
  /// Whether rows of subentities are updated too.
  public var includesSubentities = true
  /// The new values by the names of stored attributes and to-one relationships.
  ///
  /// A relationship takes an object's ID, a composite attribute its struct or a dictionary of its elements, and an
  /// attribute of a Codable type a value of that type, as in ``ManagedObject/setValue(_:forKey:)``. If an element is
  /// named in addition to its composite attribute (`place.x`), its own value wins.
  public var propertiesToUpdate: [String: (any Sendable)?] = [:]
  /// New values of attributes, computed for each row from the values before the update; each has its attribute's
  /// name.
  ///
  /// ```swift
  /// request.expressionsToUpdate = [ExpressionDescription("stars", format: "stars + 1")]
  /// ```
  ///
  /// They are computed in memory.
  public var expressionsToUpdate: [ExpressionDescription] = []
  /// What the result contains.
  public var resultType = BatchResultType.count
  /// The identifiers of the stores whose rows are updated; `nil` for all stores of the container.
  ///
  /// Core Data: `NSPersistentStoreRequest.affectedStores`.
  public var affectedStores: Set<UUID>?
  /// Whether the rows are checked against the model's rules, as by a save.
  public var validatesObjects = false

  /// A request for an entity by name.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - predicate: The condition that selects the rows; `nil` for all rows.
  public init(entityName: String, where predicate: FetchPredicate? = nil) {
    self.entityName = entityName
    self.predicate = predicate
  }

  /// A request for the entity of a class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - predicate: The condition that selects the rows; `nil` for all rows.
  public init<Object: ManagedEntity>(_ type: Object.Type, where predicate: FetchPredicate? = nil) {
    self.init(entityName: type.entityName, where: predicate)
  }

  /// Gives an attribute of a class a value.
  ///
  /// - Parameters:
  ///   - keyPath: The attribute. If the key path is not that of an attribute, executing the request throws.
  ///   - value: The value.
  public mutating func set<Object: ManagedEntity, Value: AttributeValue>(
    _ keyPath: KeyPath<Object, Value>,
    to value: Value
  ) {
    propertiesToUpdate[Object.name(of: keyPath)] = .some(value)
  }

  /// Gives an optional attribute of a class a value, or none.
  ///
  /// - Parameters:
  ///   - keyPath: The attribute. If the key path is not that of an attribute, executing the request throws.
  ///   - value: The value; `nil` empties it.
  public mutating func set<Object: ManagedEntity, Value: AttributeValue>(
    _ keyPath: KeyPath<Object, Value?>,
    to value: Value?
  ) {
    propertiesToUpdate.updateValue(value, forKey: Object.name(of: keyPath))
  }

  /// Gives an attribute with a raw value, an enum for instance, a value.
  ///
  /// - Parameters:
  ///   - keyPath: The attribute. If the key path is not that of an attribute, executing the request throws.
  ///   - value: The value.
  public mutating func set<Object: ManagedEntity, Value: RawRepresentable>(
    _ keyPath: KeyPath<Object, Value>,
    to value: Value
  ) where Value.RawValue: AttributeValue {
    propertiesToUpdate[Object.name(of: keyPath)] = .some(value.rawValue)
  }

  /// Gives an optional attribute with a raw value a value, or none.
  ///
  /// - Parameters:
  ///   - keyPath: The attribute. If the key path is not that of an attribute, executing the request throws.
  ///   - value: The value; `nil` empties it.
  public mutating func set<Object: ManagedEntity, Value: RawRepresentable>(
    _ keyPath: KeyPath<Object, Value?>,
    to value: Value?
  ) where Value.RawValue: AttributeValue {
    propertiesToUpdate.updateValue(value?.rawValue, forKey: Object.name(of: keyPath))
  }

  /// Gives an attribute of a Codable type, or a composite one, a value.
  ///
  /// - Parameters:
  ///   - keyPath: The attribute. If the key path is not that of an attribute, executing the request throws.
  ///   - value: The value.
  @_disfavoredOverload
  public mutating func set<Object: ManagedEntity, Value: Codable & Sendable>(
    _ keyPath: KeyPath<Object, Value>,
    to value: Value
  ) {
    propertiesToUpdate[Object.name(of: keyPath)] = .some(value)
  }

  /// Gives an optional attribute of a Codable type, or a composite one, a value, or none.
  ///
  /// - Parameters:
  ///   - keyPath: The attribute. If the key path is not that of an attribute, executing the request throws.
  ///   - value: The value; `nil` empties it.
  @_disfavoredOverload
  public mutating func set<Object: ManagedEntity, Value: Codable & Sendable>(
    _ keyPath: KeyPath<Object, Value?>,
    to value: Value?
  ) {
    propertiesToUpdate.updateValue(value, forKey: Object.name(of: keyPath))
  }
}
