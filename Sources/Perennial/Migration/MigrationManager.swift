// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialGraph
public import PerennialModel
import PerennialStore

/// A store as it was and as it is going to be, side by side, for the code of a ``MigrationStage``.
///
/// Core Data: `NSMigrationManager`.
public final class MigrationManager {
  /// The store as it was, for reading only.
  ///
  /// Its objects are of class `ManagedObject`.
  public let sourceContext: ManagedObjectContext
  /// The store as it is going to be.
  ///
  /// Its objects are of the container's classes, if the stage ends with the container's model.
  public let destinationContext: ManagedObjectContext
  /// The plan of the step: what has been inferred, and what needs code.
  public let plan: MigrationPlan
  private let monitor: MigrationMonitor

  init(
    _ source: ManagedObjectContext,
    _ destination: ManagedObjectContext,
    _ plan: MigrationPlan,
    _ monitor: MigrationMonitor
  ) {
    sourceContext = source
    destinationContext = destination
    self.plan = plan
    self.monitor = monitor
  }

  /// How many objects are held at a time.
  private static let batchSize = 500

  /// Calls a closure with every object of an entity, as it was and as it is, and saves the changes as it goes on.
  ///
  /// ```swift
  /// try migration.forEach("Person") { old, new in
  ///   let text = try old.value(forKey: "ageText") as? String ?? ""
  ///   try new.setValue(Int(text), forKey: "age")
  /// }
  /// ```
  ///
  /// The objects of an entity come in the order in which they were made, those of its subentities after them. The
  /// method holds 500 pairs at a time. Objects that the closure keeps can be used until the stage ends.
  ///
  /// - Parameters:
  ///   - entity: An entity of the new model; objects of its subentities are included.
  ///   - body: Gets the old object and the new one. A new object that was deleted, perhaps by the closure for
  ///     another one, is left out.
  /// - Throws: What the closure throws, `migrationCancelled` (134120), or the store's error.
  public func forEach(
    _ entity: String,
    _ body: (_ old: ManagedObject, _ new: ManagedObject) throws -> Void
  ) throws {
    let layout = try plan.mapping.destination.entity(named: entity)
    for destination in layout.family {
      guard let mapping = plan.mapping.mapping(ofDestination: destination) else { continue }
      try visit(mapping, body)
    }
  }

  private func visit(
    _ mapping: EntityMapping,
    _ body: (_ old: ManagedObject, _ new: ManagedObject) throws -> Void
  ) throws {
    let name = plan.mapping.source.entities[mapping.source].name
    var request = FetchRequest<ManagedObject>(entityName: name)
    request.includesSubentities = false
    let ids = try sourceContext.fetchObjectIDs(request)
    var start = ids.startIndex
    while start < ids.endIndex {
      try monitor.check()
      let end = ids.index(start, offsetBy: Self.batchSize, limitedBy: ids.endIndex) ?? ids.endIndex
      for id in ids[start..<end] {
        let old = try sourceContext.existingObject(with: id)
        guard let new = try self.destination(of: old) else { continue }
        try body(old, new)
      }
      // The program may hold objects of either context: they stay what they are. A save also tells of misuses.
      try destinationContext.save()
      if sourceContext.hasChanges { sourceContext.rollback() }
      start = end
    }
  }

  /// What an old object has become; `nil` when the object or its entity is gone.
  ///
  /// Core Data: `destinationInstances(forEntityMappingName:sourceInstances:)`.
  ///
  /// - Parameter old: An object of ``sourceContext``.
  /// - Returns: The object of ``destinationContext`` with the same key, never a fault; or `nil`.
  /// - Throws: The store's error.
  public func destination(of old: ManagedObject) throws -> ManagedObject? {
    guard let source = plan.mapping.source.entitiesByName[old.objectID.entityName],
      let place = plan.mapping.destinations[source]
    else { return nil }
    return try object(
      old.objectID.renamed(plan.mapping.destination.entities[place].name),
      in: destinationContext
    )
  }

  /// What a new object was; `nil` when the object or its entity is new.
  ///
  /// Core Data: `sourceInstances(forEntityMappingName:destinationInstances:)`.
  ///
  /// - Parameter new: An object of ``destinationContext``.
  /// - Returns: The object of ``sourceContext`` with the same key, never a fault; or `nil`.
  /// - Throws: The store's error.
  public func source(of new: ManagedObject) throws -> ManagedObject? {
    guard !new.objectID.isTemporaryID,
      let destination = plan.mapping.destination.entitiesByName[new.objectID.entityName],
      let place = plan.mapping.sources[destination]
    else { return nil }
    return try object(
      new.objectID.renamed(plan.mapping.source.entities[place].name),
      in: sourceContext
    )
  }

  private func object(
    _ id: ManagedObjectID,
    in context: ManagedObjectContext
  ) throws -> ManagedObject? {
    do throws(PerennialError) {
      return try context.existingObject(with: id)
    } catch {
      guard error.code == .objectGone else { throw error }
      return nil
    }
  }
}

extension ManagedObjectID {
  /// The ID of an object of the same store, with the same key.
  fileprivate func renamed(_ entityName: String) -> ManagedObjectID {
    ManagedObjectID(entityName: entityName, owner: owner, key: key)
  }
}
