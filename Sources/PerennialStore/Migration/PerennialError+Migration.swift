// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

extension PerennialError {
  /// Objects share the values of a new uniqueness constraint.
  ///
  /// - Parameters:
  ///   - entity: The entity that declares the constraint.
  ///   - properties: The constraint's properties.
  ///   - count: How many objects share their values with others.
  /// - Returns: The error; it names no value.
  package static func migrationConstraintViolation(
    _ entity: EntityLayout,
    _ properties: [String],
    count: Int
  ) -> PerennialError {
    let list = properties.joined(separator: ", ")
    return PerennialError(
      .migrationConstraintViolation,
      "\(count) objects of '\(entity.name)' share values that must be unique now (\(list)).",
      recovery: "declare a Deduplication of '\(entity.name)', or change the values first",
      entity: entity.name,
      property: properties.count == 1 ? properties[0] : nil
    )
  }

  /// An entity with objects of its own is abstract in the new model.
  package static func cannotBeAbstract(_ entity: EntityLayout, count: Int) -> PerennialError {
    let objects = count == 1 ? "there is 1 object" : "there are \(count) objects"
    return PerennialError(
      .migration,
      "'\(entity.name)' is abstract in the new model, but \(objects) of it.",
      recovery: "delete them, or copy them to a subentity and delete them, in a MigrationStage",
      entity: entity.name
    )
  }

  /// A new inheritance tree would take the objects of several old ones, whose keys may be the same.
  package static func mergedHierarchies(_ root: EntityLayout) -> PerennialError {
    PerennialError(
      .inferredMappingModel,
      "'\(root.name)' takes the objects of entities that had no common parent.",
      recovery:
        "keep the trees apart, or add the entity under a new name and copy its objects in a MigrationStage",
      entity: root.name
    )
  }
}
