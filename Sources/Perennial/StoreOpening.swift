// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialJSON
import PerennialModel
import PerennialSQLite
import PerennialStore

/// The one place that knows every kind of store.
enum StoreOpening {
  /// Opens a store; one of an earlier version of the model is migrated first.
  static func open(
    _ description: StoreDescription,
    model: ModelLayout,
    classes: [String: ManagedObject.Type] = [:],
    log: EventLog
  ) throws(PerennialError) -> any RowStore {
    let turn = StoreTurn(description)
    let opening = { () throws(PerennialError) -> any RowStore in
      try openAsIs(description, model: model, log: log)
    }
    do throws(PerennialError) {
      return try turn.open(opening)
    } catch {
      guard error.code == .incompatibleVersionHash else { throw error }
      if let migrator = ServerMigrator(description, model, classes, log) {
        try migrator.run()
      } else if let migrator = StoreMigrator(description, model, classes, log) {
        if let store = try migrator.run(turn, opening) { return store }
      } else {
        throw error
      }
    }
    return try turn.open(opening)
  }

  /// Opens a store that fits the model.
  static func openAsIs(
    _ description: StoreDescription,
    model: ModelLayout,
    log: EventLog
  ) throws(PerennialError) -> any RowStore {
    let history = HistoryOptions(
      isOn: description.historyTracking,
      keepsOldValues: description.historyKeepsOldValues
    )
    if let make = description.makeStore {
      try description.refusePragmas()
      let store = try made(make)
      return try StoreAdapter(
        store,
        model: model,
        isReadOnly: description.isReadOnly,
        history: history
      )
    }
    if let server = description.server {
      try description.refusePragmas()
      return try server.open(description, model, log)
    }
    if description.kind == .memory {
      try description.refusePragmas()
      return InMemoryStore(
        model: model,
        isReadOnly: description.isReadOnly,
        history: history
      )
    }
    if description.kind == .json, let url = description.url {
      try description.refusePragmas()
      return try JSONStore(
        url: url,
        model: model,
        isReadOnly: description.isReadOnly,
        busyTimeout: description.busyTimeout,
        history: history,
        waitsForDisk: description.durability == .full
      )
    }
    return try SQLiteStore(
      url: description.url,
      model: model,
      isReadOnly: description.isReadOnly,
      busyTimeout: description.busyTimeout,
      history: history,
      options: StoreOptions(description),
      log: log
    )
  }

  /// A store of the program's own.
  private static func made(
    _ make: () throws -> any PersistentStore
  ) throws(PerennialError) -> any PersistentStore {
    do {
      return try make()
    } catch {
      throw PerennialError(storeError: error, during: .persistentStoreOpen)
    }
  }

  /// The name of the kind of store, as metadata have it.
  static func type(of description: StoreDescription) -> String {
    if description.makeStore != nil { return "Custom" }
    return switch description.kind {
    case .memory: "InMemory"
    case .json: "JSON"
    case .sqlite: "SQLite"
    case .server: description.server?.name ?? "Server"
    }
  }

  /// What can be done with the files of a store that is not open.
  static func files(
    of description: StoreDescription
  ) throws(PerennialError) -> (any StoreFiles, URL) {
    if let server = description.server {
      throw PerennialError(
        .persistentStoreOpen,
        "A store of the kind '\(server.name)' has no file.",
        recovery:
          "name a store in a file, or open the store; the server's own tools copy and delete it"
      )
    }
    guard let url = description.url else {
      throw PerennialError(
        .persistentStoreOpen,
        description.makeStore == nil
          ? "A store in memory has no file." : "A store of the program's own has no file.",
        recovery: "name a store in a file"
      )
    }
    guard url.isFileURL else {
      throw PerennialError(
        .persistentStoreOpen,
        "The store's URL is not that of a file.",
        recovery: "use URL(filePath:)"
      )
    }
    let timeout = description.busyTimeout
    return (
      description.kind == .json
        ? JSONFiles(busyTimeout: timeout) : SQLiteFiles(busyTimeout: timeout), url
    )
  }
}
