// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Foundation
import PerennialModel
import PerennialSQL

/// The one row of the table of metadata.
struct MetadataRow {
  let identifier: String
  let propertyList: Data
  /// How often the store has been migrated, from 1 on.
  let generation: Int64

  /// The metadata, or `nil` when they are unreadable.
  var metadata: StoreMetadata? {
    StoreMetadata(
      identifier: identifier,
      propertyList: propertyList,
      storeType: "PostgreSQL"
    )
  }

  /// Reads the row of a table of some names; `nil` when it is missing.
  static func read(
    _ names: MetadataNames,
    _ connection: PostgresConnection,
    forUpdate: Bool = false
  ) throws(PostgresFailure) -> MetadataRow? {
    let result = try connection.run(
      "SELECT \(names.identifier), \(names.propertyList), \(names.version) FROM \(names.table) LIMIT 1"
        + (forUpdate ? " FOR UPDATE" : ""),
      [],
      .reading
    )
    guard result.count == 1 else { return nil }
    return MetadataRow(
      identifier: result.text(0, 0),
      propertyList: result.data(0, 1),
      generation: result.integer(0, 2)
    )
  }

  /// Replaces the row, at the end of a transaction.
  static func write(
    _ metadata: StoreMetadata,
    _ names: MetadataNames,
    _ connection: PostgresConnection
  ) throws(PostgresFailure) {
    _ = try connection.run(
      "UPDATE \(names.table) SET \(names.propertyList) = $1",
      [.bytes(try encoded(metadata))],
      PostgresRunOptions(commits: true)
    )
  }

  static func encoded(_ metadata: StoreMetadata) throws(PostgresFailure) -> Data {
    guard let list = try? metadata.propertyList() else {
      throw PostgresFailure(.unexpectedAnswer, "the metadata are no property list")
    }
    return list
  }
}
#endif
