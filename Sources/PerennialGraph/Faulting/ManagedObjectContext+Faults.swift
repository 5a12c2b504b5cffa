// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialStore

extension ManagedObjectContext {
  /// The object of an ID without asking the store: a fault, unless the context already has the object.
  ///
  /// Reading a property shows whether there is a row: see ``shouldDeleteInaccessibleFaults``.
  /// ``existingObject(with:)`` asks at once.
  ///
  /// Core Data: `NSManagedObjectContext.object(with:)`.
  ///
  /// - Parameter id: A permanent ID, or a temporary one of an object that the context has or that has
  ///   been saved since.
  /// - Returns: The object.
  /// - Throws: `objectGone` (200006) for an ID of another store or of an unsaved object of another
  ///   context, `unknownName` (200003) for an entity that the model does not have.
  public func fault(for id: ManagedObjectID) throws(PerennialError) -> ManagedObject {
    let entity = try store.model.entity(named: id.entityName)
    if let known = registeredObject(for: id) { return known }
    guard let key = key(of: id, root: entity.root), key > 0 else { throw .objectGone(id) }
    return object(for: ObjectReference(key: key, entity: entity.index))
  }

  /// The object of an ID without asking the store, as an object of a class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - id: As for ``fault(for:)``.
  /// - Returns: The object: a fault, unless the context has it.
  /// - Throws: As ``fault(for:)``, and `typeMismatch` (200004) for another class.
  public func fault<Object: ManagedObject>(
    _ type: Object.Type,
    for id: ManagedObjectID
  ) throws(PerennialError) -> Object {
    guard let object = try fault(for: id) as? Object else {
      throw .wrongClass(found: id.entityName, expected: Object.entityName)
    }
    return object
  }
}
