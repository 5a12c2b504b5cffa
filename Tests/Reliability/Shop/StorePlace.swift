// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Where a trial keeps its store, and how it is opened.
struct StorePlace {
  /// The kinds of stores that the trials look at.
  enum Kind: String, CaseIterable {
    /// A save waits for the disk, which is the default.
    case sqlite, json
    /// Without a write-ahead log.
    case sqliteDelete, sqliteTruncate
    /// A save does not wait for the disk.
    case sqliteNormal, sqliteDeleteNormal, jsonNormal

    var isSQLite: Bool { self != .json && self != .jsonNormal }
    /// Whether what has been saved outlives the machine.
    var isFull: Bool { ![.sqliteNormal, .sqliteDeleteNormal, .jsonNormal].contains(self) }
  }

  let kind: Kind
  let folder: URL
  var name = "Shop"

  var url: URL { folder.appending(path: kind.isSQLite ? "\(name).sqlite" : "\(name).json") }

  /// Where a copy of the store is made.
  var copy: StorePlace { StorePlace(kind: kind, folder: folder, name: "Copy") }

  /// The store's description.
  ///
  /// - Parameter migrates: Whether a store of another version is migrated, whatever that loses.
  /// - Returns: The description, with history.
  func description(migrates: Bool) -> StoreDescription {
    var store = kind.isSQLite ? StoreDescription.sqlite(url) : .json(url)
    store.durability = kind.isFull ? .full : .survivesProcessDeathOnly
    store.historyTracking = true
    store.shouldMigrateStoreAutomatically = migrates
    store.migration.allowsLoss = migrates
    switch kind {
    case .sqliteDelete, .sqliteDeleteNormal: store.pragmas = ["journal_mode": "DELETE"]
    case .sqliteTruncate: store.pragmas = ["journal_mode": "TRUNCATE"]
    default: break
    }
    return store
  }

  /// The names of the drafts that migrations and replacements have left.
  func drafts() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path)
      .filter { $0.hasPrefix("\(url.lastPathComponent).copy-") }
  }
}
