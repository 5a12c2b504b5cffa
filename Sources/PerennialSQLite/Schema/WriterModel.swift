// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialStore

/// Which model a store was written with.
///
/// Version hashes tell, but for what Core Data computes in a way that is not known: of such entities the tables
/// tell.
struct WriterModel {
  private let hashes: VersionHashes
  private let isOfCoreData: Bool

  init(_ hashes: VersionHashes, on connection: SQLiteConnection) throws(SQLiteFailure) {
    self.hashes = hashes
    // Core Data's copy of its model goes whenever a store is migrated by us.
    isOfCoreData = try CachedModel.isIn(connection)
  }

  /// Whether the hashes leave it possible that the store was written with a model.
  func canBe(_ model: ModelLayout) -> Bool {
    let differences = hashes.differences(from: VersionHashes(of: model))
    if differences.isEmpty { return true }
    return isOfCoreData && VersionHashes.uncertainNames(of: model).isSuperset(of: differences)
  }

  /// The model that the store was written with; `nil` when none of these can be.
  ///
  /// Of two models whose hashes are not known, the one with more columns fits better: a table of the other has
  /// all columns of this one and more.
  func choose(
    among models: [ManagedObjectModel],
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> ManagedObjectModel? {
    var best: (model: ManagedObjectModel, columnCount: Int)?
    for model in models {
      if VersionHashes(of: model.layout) == hashes { return model }
      guard canBe(model.layout),
        let schema = try StoreSchema.stored(on: connection, model.layout)
      else { continue }
      let count = schema.definitions.reduce(schema.joinTables.count) { $0 + $1.columns.count }
      if count > best?.columnCount ?? -1 { best = (model, count) }
    }
    return best?.model
  }
}
