// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The columns that rows of every entity have, as statements write them.
///
/// Statements ask here; no other file of this target has these names.
package struct RowNames: Sendable, Hashable {
  /// The column of the key.
  package let key: String
  /// The column of the entity's number.
  package let entity: String
  /// The column of the version.
  package let version: String
  /// Whether a table of one entity has a column of the entity's number, too.
  package let hasEntityEverywhere: Bool
  /// The key of the rows of a query, whose table is called `t0`.
  let keyOfQuery: String

  init(key: String, entity: String, version: String, hasEntityEverywhere: Bool) {
    self.key = key
    self.entity = entity
    self.version = version
    self.hasEntityEverywhere = hasEntityEverywhere
    keyOfQuery = "t0." + key
  }

  /// The columns of a table, the key first and the version last.
  package func columns(hasSubentities: Bool) -> [String] {
    hasEntityEverywhere || hasSubentities ? [key, entity, version] : [key, version]
  }
}

/// The table of the entities' numbers, each with the greatest key that was set aside, as statements write it.
package struct CounterNames: Sendable, Hashable {
  package let table: String
  /// The column of the entity's number.
  package let entity: String
  /// The column of the entity's name.
  package let name: String
  /// The column of the number of the superentity, 0 for none.
  package let superentity: String
  /// The column of the greatest key.
  package let greatest: String
}

/// The table of the store's metadata, which has one row, as statements write it.
package struct MetadataNames: Sendable, Hashable {
  package let table: String
  /// The column of the number that says how often the store has been changed as a whole.
  package let version: String
  /// The column of the store's identifier.
  package let identifier: String
  /// The column of the property list.
  package let propertyList: String
}
