// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQL
import PerennialStore

/// The large values of a store that lie in files, and how those of attributes that may no longer lie there come into
/// their columns.
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

  /// Brings values into columns that may no longer have them in files.
  ///
  /// - Throws: `migration` (134110) when a file is missing and nothing may be lost; what cannot be read or written.
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
        let missing = try inline(past.name, of: table)
        guard missing == 0 || mapping.allowsLoss else {
          let layout = old.model.entities[entity.source]
          throw PerennialError.missingLargeValues(missing, layout, layout.slots[origin].name, names)
        }
      }
    }
  }

  /// Brings values into a column of marked ones; that of a missing file is no value, as readers have it.
  ///
  /// - Parameters:
  ///   - column: The column.
  ///   - table: Its table.
  ///   - number: The number of the entity whose rows are meant; `nil` for all.
  /// - Returns: How many files are missing.
  /// - Throws: What cannot be read or written.
  @discardableResult
  func inline(_ column: String, of table: String, number: Int64? = nil) throws -> Int {
    let files = try Self.files(in: column, of: table, number: number, on: connection)
    let update = try connection.prepare("UPDATE \(table) SET \(column) = ? WHERE Z_PK = ?")
    defer { update.finalize() }
    var missing = 0
    for (key, name) in files {
      let value = try value(named: name)
      if value == nil { missing += 1 }
      try update.bind([value.map { .blob($0) } ?? .null, .integer(key)])
      try update.run()
    }
    return missing
  }

  /// A large value behind its mark; `nil` when its file is missing.
  private func value(named name: String) throws(FileFailure) -> Data? {
    do throws(FileFailure) {
      let contents = try ExternalData(store: names.url).contents(named: name)
      return contents.withBytes { Data([ExternalWrites.inlineMark]) + Data($0) }
    } catch {
      if error.isAboutMissingFile { return nil }
      throw error
    }
  }

  /// The names of all files that rows name.
  static func names(
    _ schema: StoreSchema,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> Set<String> {
    var places: Set<String> = []
    var names: Set<String> = []
    for entity in schema.model.entities {
      for slot in entity.slots.indices {
        guard let column = schema.column(of: slot, in: entity.index), column.kind == .markedBlob,
          case let table = schema.table(of: entity.index),
          places.insert("\(table).\(column.name)").inserted
        else { continue }
        names.formUnion(try files(in: column.name, of: table, on: connection).map(\.name))
      }
    }
    return names
  }

  private static func files(
    in column: String,
    of table: String,
    number: Int64? = nil,
    on connection: SQLiteConnection
  ) throws(SQLiteFailure) -> [(key: Int64, name: String)] {
    let condition = number.map { " AND Z_ENT = \($0)" } ?? ""
    // One byte more than names have: what is longer is none.
    let rows = try connection.prepare(
      """
      SELECT Z_PK, substr(\(column), 2, 37) FROM \(table) \
      WHERE substr(\(column), 1, 1) = x'02'\(condition)
      """
    )
    defer { rows.finalize() }
    var files: [(key: Int64, name: String)] = []
    while try rows.step() {
      let name = String(decoding: rows.bytes(1).prefix { $0 != 0 }, as: UTF8.self)
      files.append((rows.integer(0), name))
    }
    return files
  }
}

extension PerennialError {
  /// Large values that should come into rows are missing.
  fileprivate static func missingLargeValues(
    _ count: Int,
    _ entity: EntityLayout,
    _ property: String,
    _ names: StoreNames
  ) -> PerennialError {
    let files = count == 1 ? "The file of 1 large value" : "The files of \(count) large values"
    let folder = names.externalFolder.deletingLastPathComponent().lastPathComponent
    return PerennialError(
      .migration,
      "\(files) of '\(entity.name).\(property)' \(count == 1 ? "is" : "are") not in '\(folder)'.",
      recovery: """
        put the folder back beside the store, which is as it was; or set the migration's 'allowsLoss': then they \
        have no value
        """,
      entity: entity.name,
      property: property
    )
  }
}
