// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import PerennialModel
import PerennialPredicate
import PerennialStore

extension ManagedObject {
  /// The objects of a fetched property.
  ///
  /// Each call fetches them again, unsaved changes included. (Core Data keeps them until the object is
  /// refreshed.)
  ///
  /// Core Data: `value(forKey:)` of an `NSFetchedPropertyDescription`.
  ///
  /// - Parameter key: The name of the fetched property.
  /// - Returns: The objects, in any order.
  /// - Throws: `unknownName` (200003) when there is no such property; `objectGone` (200006) when the object
  ///   has lost its context; a format error (200001), or what a fetch throws.
  public final func fetchedObjects(forKey key: String) throws(PerennialError) -> [ManagedObject] {
    let object = _survivor ?? self
    guard let home = object._home else { throw .objectGone(objectID) }
    let context = home.pointee.context
    let layout = home.pointee.layout
    guard let property = context.fetchedProperty(key, of: layout) else {
      throw .unknownProperty(key, of: layout)
    }
    var request = FetchRequest<ManagedObject>(entityName: property.fetchRequest.entityName)
    request.fetchLimit = property.fetchRequest.fetchLimit
    request.includesSubentities = property.fetchRequest.includesSubentities
    if let text = property.fetchRequest.predicate {
      let node = try FetchPredicate(parsing: text).checked()
      let predicate = FetchPredicate(try object.bound(node)).withSubstitutionVariables([
        "FETCH_SOURCE": object.objectID, "FETCHED_PROPERTY": key,
      ])
      try predicate.checkVariables()
      request.predicate = predicate
    }
    return try context.fetch(request)
  }

  /// A condition with this object's values in place of key paths that begin at `$FETCH_SOURCE`.
  private final func bound(_ node: PredicateNode) throws(PerennialError) -> PredicateNode {
    var failure: PerennialError?
    let evaluator = PredicateEvaluator(.object(ObjectSource(self)))
    let bound = node.mapping { part in
      guard case .keyPath(.variable("FETCH_SOURCE"), let steps) = part, failure == nil else {
        return nil
      }
      do throws(PerennialError) {
        return Self.constant(try evaluator.value(of: ExpressionNode.object.appending(steps)))
      } catch {
        failure = error
        return nil
      }
    }
    if let failure { throw failure }
    return bound
  }

  private static func constant(_ value: EvaluationValue) -> ExpressionNode {
    switch value {
    case .null, .dictionary: .null
    case .scalar(let value): .constant(value)
    case .object(let source): source.identity.map { .constant(.objectID($0)) } ?? .null
    case .list(let values): .list(values.map { constant($0) })
    }
  }
}

extension ManagedObjectContext {
  /// A fetched property of an entity or of one that it inherits from.
  fileprivate func fetchedProperty(
    _ name: String,
    of layout: EntityLayout
  ) -> FetchedPropertyDescription? {
    var entity: EntityLayout? = layout
    while let current = entity {
      if let found = current.description.fetchedProperties.first(where: { $0.name == name }) {
        return found
      }
      entity = current.superentity.map { store.model.entities[$0] }
    }
    return nil
  }
}
