// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

public import Foundation
public import Perennial

// What Core Data does through the description of an entity, and the methods that are properties here.

#if !canImport(Darwin)

extension EntityDescription {
  /// Inserts a new object of an entity.
  ///
  /// Core Data: `NSEntityDescription.insertNewObject(forEntityName:into:)`, which stops the program where this
  /// throws.
  ///
  /// - Parameters:
  ///   - entityName: The entity's name.
  ///   - context: The context.
  /// - Returns: The object, of the entity's class or else of `NSManagedObject`.
  /// - Throws: `unknownName` (200003), or `invalidModel` (134020) for an abstract entity.
  public static func insertNewObject(
    forEntityName entityName: String,
    into context: ManagedObjectContext
  ) throws(PerennialError) -> ManagedObject {
    try context.insert(entityNamed: entityName)
  }

  /// The description of an entity, by the entity's name.
  ///
  /// Core Data: `NSEntityDescription.entity(forEntityName:in:)`.
  ///
  /// - Parameters:
  ///   - entityName: The entity's name.
  ///   - context: A context of the model.
  /// - Returns: The description; `nil` when the model has no such entity.
  public static func entity(
    forEntityName entityName: String,
    in context: ManagedObjectContext
  ) -> EntityDescription? {
    context.entityDescription(named: entityName)
  }
}

extension ManagedObjectModel {
  /// A fetch request made from a template of the model.
  ///
  /// Core Data: `NSManagedObjectModel.fetchRequestFromTemplate(withName:substitutionVariables:)`, which gives `nil`
  /// where this throws.
  ///
  /// - Parameters:
  ///   - name: The template's name.
  ///   - variables: A value for every `$VARIABLE` of its condition, without the dollar sign.
  /// - Returns: A new request; changing it does not change the template.
  /// - Throws: `unknownName` (200003) when the model has no such template, a format error (200001), or
  ///   `predicateEvaluation` (200002) for a variable without a value.
  public func fetchRequestFromTemplate<Object: ManagedObject>(
    withName name: String,
    substitutionVariables variables: [String: (any Sendable)?] = [:]
  ) throws(PerennialError) -> FetchRequest<Object> {
    try fetchRequest(fromTemplate: name, substitutionVariables: variables)
  }
}

extension ManagedObjectID {
  /// The ID as a URI: the same as the property of this name.
  ///
  /// Core Data: `NSManagedObjectID.uriRepresentation()`.
  ///
  /// - Returns: The URI.
  @_disfavoredOverload
  public func uriRepresentation() -> URL { uriRepresentation as URL }
}

#endif
