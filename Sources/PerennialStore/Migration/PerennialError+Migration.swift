// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

extension PerennialError {
  /// Objects of an entity that becomes abstract.
  package static func abstractObjects(_ entity: String, _ count: Int) -> PerennialError {
    PerennialError(
      .migration,
      "'\(entity)' becomes abstract, but \(count) objects of it are stored.",
      recovery: "delete them, or move them to a subentity, in a MigrationStage before",
      entity: entity
    )
  }

  /// Objects that share the values of a uniqueness constraint.
  package static func duplicates(
    of entity: String,
    _ properties: [String],
    _ count: Int
  ) -> PerennialError {
    let list = properties.map { "'\($0)'" }.joined(separator: ", ")
    return PerennialError(
      .migrationConstraintViolation,
      "\(count) objects of '\(entity)' share their values of \(list) with others, which must be unique now.",
      recovery: "declare a Deduplication in the store's migration",
      entity: entity,
      property: properties.count == 1 ? properties[0] : nil
    )
  }
}
