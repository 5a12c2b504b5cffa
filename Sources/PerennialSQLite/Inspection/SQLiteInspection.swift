// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import PerennialStore

/// What a SQLite store's file says of itself, read without its model.
package struct SQLiteInspection: Sendable {
  /// An entity as the store numbers it.
  package struct Entity: Sendable {
    package var name: String
    package var number: Int64
    /// The name of the superentity; `nil` for a root.
    package var superentity: String?
    /// The table that holds its rows; `nil` when the store lacks it.
    package var table: String?
    /// How many rows there are of just this entity.
    package var rowCount: Int
  }

  /// A table, or an index that takes room of its own.
  package struct Table: Sendable {
    package var name: String
    package var rowCount: Int
    /// The bytes of its pages; `nil` when SQLite cannot tell.
    package var byteCount: Int?
  }

  /// An index.
  package struct Index: Sendable {
    package var name: String
    package var table: String
    /// Its columns, the most significant first; an expression is `nil`.
    package var columns: [String?]
    package var isUnique: Bool
    package var byteCount: Int?
  }

  /// What the store says of itself; `nil` when that cannot be read.
  package var metadata: PersistentStoreMetadata?
  /// The version of the framework that made the store, as it calls itself.
  package var frameworkVersion: Int?
  /// What the author of the model calls its version.
  package var versionIdentifiers: [String] = []
  /// Whether the store holds a compiled copy of its model, as Core Data keeps one.
  package var hasModelCache = false
  package var entities: [Entity] = []
  package var tables: [Table] = []
  package var indexes: [Index] = []
  /// The number of transactions in the history; `nil` when the store keeps none.
  package var transactionCount: Int?
  package var journalMode = ""
  package var pageSize = 0
  package var pageCount = 0
  package var freePageCount = 0
  /// How many large values are named by rows and have no file; `nil` when that could not be told.
  package var missingLargeValueCount: Int?
  /// What SQLite finds wrong; empty when all is well, and one that begins with ``unchecked`` when that could not be
  /// told.
  package var problems: [String] = []

  /// How the reason begins why the pages could not be checked.
  package static let unchecked = "cannot be checked: "
}
