// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL

/// Reads and writes the row of `Z_METADATA`.
struct MetadataTable {
  private let connection: SQLiteConnection

  /// The columns, in capitals.
  static let columns = ["Z_VERSION", "Z_UUID", "Z_PLIST"]

  init(_ connection: SQLiteConnection) { self.connection = connection }

  /// The metadata, or `nil` when the row or a column is missing, or unreadable.
  func read() throws(SQLiteFailure) -> StoreMetadata? {
    guard let row = try row() else { return nil }
    return StoreMetadata(identifier: row.identifier, list: row.list)
  }

  /// The store's identifier, its version hashes, and its model if it has it: all that opening asks for; `nil` when
  /// identifier or hashes are missing or unreadable.
  func readModel() throws(SQLiteFailure) -> (
    identifier: UUID, hashes: VersionHashes, encoded: Data?
  )? {
    guard let row = try row() else { return nil }
    if let identifier = UUID(uuidString: row.identifier),
      let metadata = OrdinaryMetadata.read(row.list)
    {
      return (identifier, metadata.hashes, metadata.encodedModel)
    }
    let metadata = StoreMetadata(identifier: row.identifier, list: row.list)
    guard let metadata, let hashes = metadata.hashes else { return nil }
    return (metadata.identifier, hashes, metadata.encodedModel)
  }

  /// The columns of the row, or `nil` when the row or a column is missing.
  private func row() throws(SQLiteFailure) -> (identifier: String, list: Data)? {
    let statement: SQLiteStatement
    do throws(SQLiteFailure) {
      statement = try connection.prepare(
        "SELECT Z_UUID, Z_PLIST, Z_VERSION FROM Z_METADATA LIMIT 1"
      )
    } catch {
      // SQLite calls a missing column just an error.
      if try missingColumn() != nil { return nil }
      throw error
    }
    defer { statement.finalize() }
    guard try statement.step() else { return nil }
    return (statement.text(0), statement.data(1))
  }

  private func missingColumn() throws(SQLiteFailure) -> String? {
    let found = try connection.texts("SELECT UPPER(name) FROM pragma_table_info('Z_METADATA')")
    return Self.columns.first { !found.contains($0) }
  }

  /// Why the metadata name no version hashes, and where.
  func problem() throws(SQLiteFailure) -> String {
    if let missing = try missingColumn() { return "'Z_METADATA' has no column '\(missing)'" }
    let statement = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA LIMIT 1")
    defer { statement.finalize() }
    guard try statement.step() else { return "'Z_METADATA' has no row" }
    guard UUID(uuidString: statement.text(0)) != nil else {
      return "'Z_METADATA.Z_UUID' is no UUID"
    }
    if statement.isNull(1) { return "'Z_METADATA.Z_PLIST' is NULL" }
    guard StoreMetadata(identifier: statement.text(0), list: statement.data(1)) != nil
    else { return "'Z_METADATA.Z_PLIST' is no property list" }
    return "'Z_METADATA.Z_PLIST' has no 'NSStoreModelVersionHashes' of version 3"
  }

  func write(_ metadata: StoreMetadata, isNew: Bool) throws(SQLiteFailure) {
    guard let list = try? metadata.propertyList() else {
      throw SQLiteFailure(code: 1, message: "the metadata are no property list")
    }
    let statement = try connection.prepare(
      isNew
        ? "INSERT INTO Z_METADATA (Z_UUID, Z_PLIST, Z_VERSION) VALUES (?, ?, 1)"
        : "UPDATE Z_METADATA SET Z_UUID = ?, Z_PLIST = ?"
    )
    try statement.bind([.text(metadata.identifier.uuidString), .blob(list)])
    try statement.run()
  }

  /// Replaces the application's own entries, in a transaction.
  func replaceValues(with values: [String: PropertyValue]) throws(SQLiteFailure) {
    try connection.transaction(.immediate) { () throws(SQLiteFailure) in
      guard var metadata = try read() else { return }
      metadata.replaceValues(with: values)
      try write(metadata, isNew: false)
    }
  }
}
