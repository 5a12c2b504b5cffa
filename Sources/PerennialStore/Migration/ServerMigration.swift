// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialModel

/// A store on a server that is being migrated: nobody else changes it, or migrates it, as long as this lives.
///
/// Whoever ends in the middle leaves the store as it was.
package protocol ServerMigration: AnyObject {
  /// What the store says of its model.
  var storedModel: StoredModel { get }

  /// Opens the store as it is, to be read.
  ///
  /// - Parameter model: Its own model.
  /// - Returns: The store.
  /// - Throws: The store's error.
  func open(_ model: ModelLayout) throws(PerennialError) -> any RowStore

  /// Puts what another store holds, and its model, in the place of what there is, in one step.
  ///
  /// The store keeps its identifier and its history.
  ///
  /// - Parameter store: A store of the new model, with the keys that objects are to have.
  /// - Throws: The store's error; then everything is as it was.
  func replace(with store: any RowStore) throws(PerennialError)
}
