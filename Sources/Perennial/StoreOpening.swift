// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import PerennialJSON
import PerennialModel
import PerennialSQLite
import PerennialStore

/// The one place that knows every kind of store.
enum StoreOpening {
  static func open(
    _ description: StoreDescription,
    model: ModelLayout,
    log: EventLog
  ) throws(PerennialError) -> any RowStore {
    if let make = description.makeStore {
      return try adapter(make, model: model, isReadOnly: description.isReadOnly)
    }
    let history = HistoryOptions(
      isOn: description.historyTracking,
      keepsOldValues: description.historyKeepsOldValues
    )
    guard let url = description.url else { return InMemoryStore(model: model, history: history) }
    if description.kind == .json {
      return try JSONStore(
        url: url,
        model: model,
        isReadOnly: description.isReadOnly,
        busyTimeout: description.busyTimeout,
        history: history
      )
    }
    return try SQLiteStore(
      url: url,
      model: model,
      isReadOnly: description.isReadOnly,
      busyTimeout: description.busyTimeout,
      history: history,
      log: log
    )
  }

  /// A store of the program's own.
  private static func adapter(
    _ make: () throws -> any PersistentStore,
    model: ModelLayout,
    isReadOnly: Bool
  ) throws(PerennialError) -> StoreAdapter {
    let store: any PersistentStore
    do {
      store = try make()
    } catch {
      throw PerennialError(storeError: error, during: .persistentStoreOpen)
    }
    return try StoreAdapter(store, model: model, isReadOnly: isReadOnly)
  }
}
