// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

/// The stores that `--store` offers.
public enum StoreKind: String, Sendable, CaseIterable {
  /// A SQLite file.
  case sqlite
  /// A JSON file.
  case json
  /// A database on a PostgreSQL server.
  case postgres
  /// Memory, for one command.
  case memory
}
