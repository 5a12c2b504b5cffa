// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A kind of store that lives on a server, and that only the product which has it can open.
///
/// A product of its own makes a description with it, so that nothing above the store has to know the
/// product: `StoreDescription.postgres(_:)` is one.
package struct ServerKind: Sendable {
  /// Opens a store, or makes it, for a model.
  package typealias Opening =
    @Sendable (StoreDescription, ModelLayout, EventLog) throws(PerennialError) -> any RowStore

  /// Begins to migrate a store of another version of the model.
  package typealias Migrating =
    @Sendable (StoreDescription, EventLog) throws(PerennialError) -> any ServerMigration

  /// The name of the kind, as metadata have it.
  package let name: String
  /// Opens a store of the kind.
  ///
  /// The description's URL has no password: the kind keeps its own.
  package let open: Opening

  /// Asks a store that is not open for its model; nothing is made or changed.
  package let storedModel: @Sendable () throws(PerennialError) -> StoredModel
  /// Begins a migration; `nil` when stores of the kind are not migrated.
  package let migrating: Migrating?

  package init(
    name: String,
    storedModel: @escaping @Sendable () throws(PerennialError) -> StoredModel,
    open: @escaping Opening,
    migrating: Migrating? = nil
  ) {
    self.name = name
    self.migrating = migrating
    self.storedModel = storedModel
    self.open = open
  }
}
