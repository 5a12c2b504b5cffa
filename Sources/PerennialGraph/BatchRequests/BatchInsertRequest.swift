// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel

/// Inserts rows without objects that anybody holds: many, in one save.
///
/// ```swift
/// let request = BatchInsertRequest(
///   entityName: "Commit",
///   objects: log.map { ["sha": $0.sha, "message": $0.message, "author": $0.email] }
/// )
/// let count = try context.execute(request).count
/// ```
///
/// A dictionary has values by the names of attributes; what it does not name gets its default. A to-one
/// relationship takes the ID of an object, or the value that a uniqueness constraint of one attribute
/// identifies the object by: above, an author's `email`. Several are looked for by one query.
///
/// Rows that a uniqueness constraint finds in the store, or among each other, are merged as the
/// context's ``ManagedObjectContext/mergePolicy`` says; by `mergeByPropertyObjectTrump` the given
/// values are written into the row that exists, all others of its values stay.
///
/// Values are taken as ``ManagedObject/setValue(_:forKey:)`` takes them. What does not happen unless asked for:
/// validation, but for numbers and dates that no store keeps as they are (1550, 1650). Hooks as
/// `awakeFromInsert()` and `willSave()` are called only for objects that a handler fills. All rows are
/// written, or none.
///
/// Core Data: `NSBatchInsertRequest`; that one writes no relationships, and empties columns that a
/// dictionary does not name.
public struct BatchInsertRequest {
  /// Where the values come from.
  enum Source {
    case dictionaries([[String: (any Sendable)?]])
    case anyDictionaries([[String: Any?]])
    case dictionaryHandler((inout [String: (any Sendable)?]) throws -> Bool)
    case objectHandler((ManagedObject) throws -> Bool)
  }

  /// The name of the entity.
  public let entityName: String
  /// What the result tells.
  public var resultType = BatchResultType.count
  /// The identifiers of the stores that may get the rows; `nil` for all of the container.
  ///
  /// The first one that keeps the entity and can be written gets them.
  ///
  /// Core Data: `NSPersistentStoreRequest.affectedStores`.
  public var affectedStores: Set<UUID>?
  /// Whether the rows are checked against the model's rules, as a save does.
  public var validatesObjects = false
  /// The properties that a row which exists takes, by a policy that merges; `nil` for all that are given.
  ///
  /// All its other values stay, also by `mergeByPropertyObjectTrumpOverwritingUnset` and `overwrite`. A row that does
  /// not exist yet gets all values that are given.
  public var propertiesToUpdate: Set<String>?

  let source: Source

  /// A request for one row for every dictionary.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - objects: The values by the names of properties.
  public init(entityName: String, objects: [[String: (any Sendable)?]]) {
    self.entityName = entityName
    source = .dictionaries(objects)
  }

  /// A request for one row for every dictionary of values of any types, as `JSONSerialization` gives them.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - objects: The values by the names of properties; `nil` or `NSNull` for none. A value that does not fit is
  ///     `typeMismatch` (200,004) when the request is executed.
  public init(entityName: String, objects: [[String: Any?]]) {
    self.entityName = entityName
    source = .anyDictionaries(objects)
  }

  /// A request that asks for one dictionary after the other.
  ///
  /// ```swift
  /// var lines = text.split(separator: "\n").makeIterator()
  /// let request = BatchInsertRequest(entityName: "Commit") { values in
  ///   guard let line = lines.next() else { return true }
  ///   values["sha"] = String(line)
  ///   return false
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - dictionaryHandler: Fills an empty dictionary, or returns `true` when there are no more; that
  ///     call's dictionary is not inserted. What it throws, `execute` throws, and nothing is written.
  public init(
    entityName: String,
    dictionaryHandler: @escaping (inout [String: (any Sendable)?]) throws -> Bool
  ) {
    self.entityName = entityName
    source = .dictionaryHandler(dictionaryHandler)
  }

  /// A request that asks for one object after the other, with the types that the compiler checks.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - managedObjectHandler: Sets the properties of a new object, or returns `true` when there are no
  ///     more; that call's object is not inserted. The objects belong to a context of the request's own:
  ///     relate them to others by `object(with:)` on their `managedObjectContext`, and keep none.
  ///     What it throws, `execute` throws, and nothing is written.
  public init<Object: ManagedEntity>(
    _ type: Object.Type,
    managedObjectHandler: @escaping (Object) throws -> Bool
  ) {
    entityName = type.entityName
    source = .objectHandler { object in
      guard let typed = object as? Object else {
        let found = String(describing: Swift.type(of: object))
        throw PerennialError.wrongClass(found: found, expected: Object.entityName)
      }
      return try managedObjectHandler(typed)
    }
  }
}
