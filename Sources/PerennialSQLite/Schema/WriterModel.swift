// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQL
import PerennialStore

/// Which model a store was written with.
///
/// Version hashes tell, but for what Core Data computes in a way that is not known: of such entities the tables
/// tell.
struct WriterModel {
  private let hashes: VersionHashes
  private let connection: SQLiteConnection

  init(_ hashes: VersionHashes, on connection: SQLiteConnection) {
    self.hashes = hashes
    self.connection = connection
  }

  /// Whether the store may have been written with a model although some of its hashes differ.
  func canBe(
    _ model: ModelLayout,
    differingIn entities: [String]
  ) throws(SQLiteFailure) -> Bool {
    if entities.isEmpty { return true }
    // What differs although no hash does, the store's own model tells, which is known.
    guard hashes != model.versionHashes,
      VersionHashes.uncertainNames(of: model).isSuperset(of: entities)
    else { return false }
    // Core Data's copy of its model goes whenever a store is migrated by us.
    return try CachedModel.isIn(connection)
  }

  /// The model that the store was written with; `nil` when none of these can be.
  ///
  /// Of two models whose hashes are not known, the one with more columns fits better: a table of the other has
  /// all columns of this one and more.
  func choose(among models: [ManagedObjectModel]) throws(SQLiteFailure) -> ManagedObjectModel? {
    var best: (model: ManagedObjectModel, columnCount: Int)?
    for model in models {
      let differences = hashes.differences(from: model.layout.versionHashes)
      if differences.isEmpty { return model }
      guard try canBe(model.layout, differingIn: differences),
        let schema = try StoreSchema.stored(on: connection, model.layout)
      else { continue }
      let count = schema.definitions.reduce(schema.joinTables.count) { $0 + $1.columns.count }
      if count > best?.columnCount ?? -1 { best = (model, count) }
    }
    return best?.model
  }
}
