// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore

/// Brings the values of attributes that may no longer lie in files into their columns.
struct LargeValues {
  private let connection: SQLiteConnection
  private let names: StoreNames
  private let mapping: ModelMapping
  private let old: StoreSchema
  private let new: StoreSchema

  init(
    _ connection: SQLiteConnection,
    _ names: StoreNames,
    _ mapping: ModelMapping,
    _ old: StoreSchema,
    _ new: StoreSchema
  ) {
    self.connection = connection
    self.names = names
    self.mapping = mapping
    self.old = old
    self.new = new
  }

  func inline() throws {
    var places: Set<String> = []
    for entity in mapping.entities {
      for (place, origin) in entity.slots.enumerated() {
        guard let origin, let past = old.column(of: origin, in: entity.source),
          past.kind == .markedBlob,
          new.column(of: place, in: entity.destination)?.kind == .blob
        else { continue }
        let table = old.table(of: entity.source)
        guard places.insert("\(table).\(past.name)").inserted else { continue }
        try inline(past.name, of: table)
      }
    }
  }

  /// Brings values into a column of marked ones.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - table: Its table.
  ///   - number: The number of the entity whose rows are meant; `nil` for all.
  /// - Throws: What cannot be read or written.
  func inline(_ column: String, of table: String, number: Int64? = nil) throws {
    let condition = number.map { " AND Z_ENT = \($0)" } ?? ""
    let rows = try connection.prepare(
      """
      SELECT Z_PK, CAST(substr(\(column), 2, 36) AS TEXT) FROM \(table) \
      WHERE length(\(column)) = 38 AND substr(\(column), 1, 1) = x'02'\(condition)
      """
    )
    var files: [(key: Int64, name: String)] = []
    while try rows.step() { files.append((rows.integer(0), rows.text(1))) }
    rows.finalize()
    let update = try connection.prepare("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
    defer { update.finalize() }
    for (key, name) in files {
      let url = names.externalFolder.appending(path: name)
      let value = Data([ExternalWrites.inlineMark]) + (try Data(contentsOf: url))
      try update.bind([.blob(value), .integer(key)])
      try update.run()
    }
  }
}
