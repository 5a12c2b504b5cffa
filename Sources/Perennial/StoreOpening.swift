// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialModel
import PerennialSQLite
import PerennialStore

/// The one place that knows every kind of store.
enum StoreOpening {
  static func open(
    _ description: StoreDescription,
    model: ModelLayout
  ) throws(PerennialError) -> any PersistentStore {
    switch description.kind {
    case .inMemory: InMemoryStore(model: model)
    case .sqlite: try SQLiteStore(description: description, model: model)
    }
  }
}
