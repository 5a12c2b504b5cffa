// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

package import Foundation
package import PerennialModel
import PerennialSQL
import PerennialStore

/// What Core Data keeps of a store's model in the store: `Z_MODELCACHE`, and the version hashes (FORMAT 2.1).
package struct CachedModel: Sendable {
  /// The archive, compressed.
  package let content: Data
  /// The version hashes by entity.
  package let hashes: [String: Data]

  /// Reads them; nothing is written.
  ///
  /// - Parameters:
  ///   - url: The store's file.
  ///   - busyTimeout: How long to wait for another process's lock.
  /// - Throws: `persistentStoreOpen` when there is no such store, or none that has a copy of its model.
  package init(of url: URL, busyTimeout: Duration = .seconds(5)) throws(PerennialError) {
    let file = try StoreFile(url, isReadOnly: true)
    let found: Result<CachedModel, PerennialError>
    do throws(SQLiteFailure) {
      found = try Self.read(file, busyTimeout)
    } catch {
      throw PerennialError(error, during: .opening, store: file.name)
    }
    self = try found.get()
  }

  private init(content: Data, hashes: [String: Data]) {
    self.content = content
    self.hashes = hashes
  }

  /// Whether a store has the copy: a table of that name may also be another program's.
  static func isIn(_ connection: SQLiteConnection) throws(SQLiteFailure) -> Bool {
    let columns = try connection.texts("SELECT UPPER(name) FROM pragma_table_info('Z_MODELCACHE')")
    guard columns.contains("Z_CONTENT") else { return false }
    let copies = "SELECT 1 FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL LIMIT 1"
    return try !connection.integers(copies).isEmpty
  }

  private static func read(
    _ file: StoreFile,
    _ busyTimeout: Duration
  ) throws(SQLiteFailure) -> Result<CachedModel, PerennialError> {
    let connection = try file.connectBriefly(busyTimeout)
    let names = try connection.texts("SELECT UPPER(name) FROM sqlite_master WHERE type = 'table'")
    guard names.contains("Z_METADATA"), names.contains("Z_PRIMARYKEY") else {
      return .failure(.foreignDatabase(file.name))
    }
    let hashes = try MetadataTable(connection).read()?.hashes?.byEntity ?? [:]
    guard try isIn(connection) else { return .failure(.withoutModel(file.name)) }
    let statement = try connection.prepare(
      "SELECT Z_CONTENT FROM Z_MODELCACHE WHERE Z_CONTENT IS NOT NULL LIMIT 1"
    )
    defer { statement.finalize() }
    guard try statement.step() else { return .failure(.withoutModel(file.name)) }
    return .success(CachedModel(content: statement.data(0), hashes: hashes))
  }
}

extension PerennialError {
  /// A store that keeps no copy of its model.
  fileprivate static func withoutModel(_ store: String) -> PerennialError {
    .cannotOpen(
      "The store '\(store)' keeps no copy of its model in 'Z_MODELCACHE'.",
      "give its model: an '.xcdatamodeld', or the app's '.momd'"
    )
  }
}
