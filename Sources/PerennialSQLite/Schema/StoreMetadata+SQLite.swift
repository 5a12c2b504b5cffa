// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL

extension StoreMetadata {
  private static let storeType = "SQLite"

  /// The metadata of a new SQLite store.
  init(identifier: UUID, model: ModelLayout) {
    self.init(identifier: identifier, model: model, storeType: Self.storeType)
    set(.string("2"), forKey: "_NSAutoVacuumLevel")
  }

  /// Reads the metadata of a SQLite store, or `nil` when they are no property list or have no identifier.
  init?(identifier: String, list: Data) {
    self.init(identifier: identifier, propertyList: list, storeType: Self.storeType)
  }
}
