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
}
