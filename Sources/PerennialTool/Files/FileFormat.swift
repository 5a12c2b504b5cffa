// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation

/// The kinds of files that hold a store.
enum FileFormat: String, Sendable, CaseIterable {
  case sqlite
  case json

  /// The kind that an extension stands for, nil when it may be any.
  init?(extensionOf path: String) {
    switch URL(filePath: path).pathExtension.lowercased() {
    case "sqlite", "sqlite3", "db", "sqlitedb", "storedata", "store": self = .sqlite
    case "json": self = .json
    default: return nil
    }
  }

  /// What people call it.
  var title: String {
    switch self {
    case .sqlite: "SQLite"
    case .json: "JSON"
    }
  }
}
