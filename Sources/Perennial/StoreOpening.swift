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
    guard let url = description.url else { return InMemoryStore(model: model) }
    return try SQLiteStore(
      url: url,
      model: model,
      isReadOnly: description.isReadOnly,
      busyTimeout: description.busyTimeout
    )
  }
}
