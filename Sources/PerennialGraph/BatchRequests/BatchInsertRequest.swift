// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
import PerennialModel

/// Inserts many rows in one save, without making objects in your context.
///
/// ```swift
/// let request = BatchInsertRequest(
///   entityName: "Commit",
///   objects: log.map { ["sha": $0.sha, "message": $0.message, "author": $0.email] }
/// )
/// let count = try context.execute(request).count
/// ```
///
/// A dictionary has values by the names of properties; a property that it does not name gets its default. A to-one
/// relationship takes the ID of an object, or the value that identifies the object under a uniqueness constraint of
/// one attribute: above, an author's `email`. One query looks up several such values.
///
/// If a row has the unique values of a stored row, or of another row of the request, the two are merged as the
/// context's ``ManagedObjectContext/mergePolicy`` says. Under `mergeByPropertyObjectTrump` the given values are
/// written into the existing row, and all its other values stay.
///
/// Values are taken as ``ManagedObject/setValue(_:forKey:)`` takes them. Validation runs only if you ask for it, but
/// numbers and dates that no store keeps as they are (1550, 1650) are always refused. Hooks such as
/// `awakeFromInsert()` and `willSave()` are called only for objects that a handler fills. All rows are written, or
/// none.
///
/// Core Data: `NSBatchInsertRequest`, which writes no relationships, and empties columns that a dictionary does not
/// name.
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
  /// What the result contains.
  public var resultType = BatchResultType.count
  /// The identifiers of the stores that may get the rows; `nil` for all stores of the container.
  ///
  /// The rows go to the first of them that keeps the entity and can be written.
  ///
  /// Core Data: `NSPersistentStoreRequest.affectedStores`.
  public var affectedStores: Set<UUID>?
  /// Whether the rows are checked against the model's rules, as by a save.
  public var validatesObjects = false
  /// The properties that an existing row takes, under a policy that merges; `nil` for all that are given.
  ///
  /// All its other values stay, even under `mergeByPropertyObjectTrumpOverwritingUnset` and `overwrite`. A row that
  /// does not exist yet gets all values that are given.
  public var propertiesToUpdate: Set<String>?

  let source: Source

  /// A request that inserts one row for each dictionary.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - objects: The values by the names of properties.
  public init(entityName: String, objects: [[String: (any Sendable)?]]) {
    self.entityName = entityName
    source = .dictionaries(objects)
  }

  /// A request that inserts one row for each dictionary, with values of any types, as `JSONSerialization` gives them.
  ///
  /// - Parameters:
  ///   - entityName: The name of the entity.
  ///   - objects: The values by the names of properties; `nil` or `NSNull` for no value. If a value does not fit,
  ///     executing the request throws `typeMismatch` (200004).
  public init(entityName: String, objects: [[String: Any?]]) {
    self.entityName = entityName
    source = .anyDictionaries(objects)
  }

  /// A request that asks a closure for one dictionary after the other.
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
  ///   - dictionaryHandler: Fills an empty dictionary, or returns `true` when there are no more; the dictionary of
  ///     that last call is not inserted. If the closure throws, `execute` throws the same error, and nothing is
  ///     written.
  public init(
    entityName: String,
    dictionaryHandler: @escaping (inout [String: (any Sendable)?]) throws -> Bool
  ) {
    self.entityName = entityName
    source = .dictionaryHandler(dictionaryHandler)
  }

  /// A request that asks a closure for one object after the other, with types that the compiler checks.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - managedObjectHandler: Sets the properties of a new object, or returns `true` when there are no more; the
  ///     object of that last call is not inserted. The objects belong to a context of the request's own: to relate
  ///     them to others, use `object(with:)` of their `managedObjectContext`, and keep none of them. If the closure
  ///     throws, `execute` throws the same error, and nothing is written.
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
