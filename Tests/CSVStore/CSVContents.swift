// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial

/// Everything that a folder of CSV files holds: a value.
struct CSVContents: Sendable {
  /// A relationship, as the files name it.
  struct ListName: Hashable, Comparable, Sendable {
    var entity: String
    var relationship: String

    init(entity: String, relationship: String) {
      self.entity = entity
      self.relationship = relationship
    }

    init(_ relationship: StoreRelationship) {
      self.init(entity: relationship.entityName, relationship: relationship.name)
    }

    static func < (left: Self, right: Self) -> Bool {
      (left.entity, left.relationship) < (right.entity, right.relationship)
    }
  }

  var metadata: PersistentStoreMetadata?
  var tables: [String: [Int64: StoreRow]] = [:]
  var lists: [ListName: [Int64: [Int64]]] = [:]
  /// The keys behind all that have been set aside, by table; the only ones that the files have.
  private var endKeys: [String: Int64] = [:]
  /// The next keys to give, of those that have been set aside.
  private var nextKeys: [String: Int64] = [:]

  /// Writes what a save changes.
  mutating func apply(_ changes: StoreChanges) {
    for row in changes.insertions { tables[row.id.table, default: [:]][row.id.key] = row }
    for update in changes.updates {
      guard var row = tables[update.id.table]?[update.id.key] else { continue }
      row.version = update.version
      row.values.merge(update.values) { $1 }
      tables[update.id.table]?[update.id.key] = row
    }
    for deletion in changes.deletions { tables[deletion.id.table]?[deletion.id.key] = nil }
    for change in changes.members {
      let name = ListName(change.relationship)
      let list = change.applied(to: lists[name]?[change.owner] ?? [])
      lists[name, default: [:]][change.owner] = list.isEmpty ? nil : list
    }
  }

  /// The first of some keys that have been set aside; `nil` when there are too few.
  mutating func takeKeys(_ count: Int, of table: String) -> Int64? {
    guard let next = nextKeys[table], let end = endKeys[table], next + Int64(count) <= end else {
      return nil
    }
    nextKeys[table] = next + Int64(count)
    return next
  }

  /// Sets keys aside, and a hundred more, so that the files need not be written for every object.
  mutating func setKeysAside(_ count: Int, of table: String) {
    let end = endKeys[table] ?? 1
    nextKeys[table] = end
    endKeys[table] = end + Int64(count) + 100
  }

  // MARK: Files

  init() {}

  /// Reads the files of a folder.
  init(folder: URL) throws {
    let data = try Data(contentsOf: folder.appending(path: "metadata.json"))
    metadata = try JSONDecoder().decode(PersistentStoreMetadata.self, from: data)
    for record in try Self.records("keys.csv", in: folder) where record.count == 2 {
      endKeys[record[0]] = Int64(record[1])
    }
    for record in try Self.records("members.csv", in: folder) where record.count >= 3 {
      let name = ListName(entity: record[0], relationship: record[1])
      let keys = record[2...].compactMap { Int64($0) }
      lists[name, default: [:]][keys[0]] = Array(keys.dropFirst())
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    for file in files where file.hasSuffix(".table.csv") {
      let table = String(file.dropLast(".table.csv".count))
      let records = try Self.records(file, in: folder)
      for record in records.dropFirst() {
        let row = try Self.row(record, columns: records[0], table: table)
        tables[table, default: [:]][row.id.key] = row
      }
    }
  }

  /// Writes the files into an empty folder.
  func write(to folder: URL) throws {
    try JSONEncoder().encode(metadata).write(to: folder.appending(path: "metadata.json"))
    let keys = endKeys.sorted { $0.key < $1.key }.map { [$0.key, "\($0.value)"] }
    try Self.write(keys, "keys.csv", to: folder)
    var members: [[String]] = []
    for (name, lists) in lists.sorted(by: { $0.key < $1.key }) {
      for (owner, list) in lists.sorted(by: { $0.key < $1.key }) {
        members.append([name.entity, name.relationship] + ([owner] + list).map { "\($0)" })
      }
    }
    try Self.write(members, "members.csv", to: folder)
    for (table, rows) in tables {
      try Self.write(Self.records(of: rows), "\(table).table.csv", to: folder)
    }
  }

  // MARK: Rows

  private static func records(of rows: [Int64: StoreRow]) -> [[String]] {
    let columns = Set(rows.values.flatMap(\.values.keys)).sorted()
    let records = rows.values.sorted { $0.id.key < $1.id.key }.map { row in
      ["\(row.id.key)", row.entityName, "\(row.version)"]
        + columns.map { CSVValue.text(of: row.values[$0] ?? .null) }
    }
    return [["key", "entity", "version"] + columns] + records
  }

  private static func row(
    _ record: [String],
    columns: [String],
    table: String
  ) throws -> StoreRow {
    guard record.count == columns.count, record.count >= 3, let key = Int64(record[0]),
      let version = Int(record[2])
    else {
      throw StoreProblem(
        .unreadable,
        "The file '\(table).table.csv' has a line with the wrong number of fields.",
        recovery: "restore it from a backup; everything has been left as it is"
      )
    }
    var values: [String: PropertyValue] = [:]
    for (column, text) in zip(columns, record).dropFirst(3) {
      let value = try CSVValue.value(of: text)
      if !value.isNull { values[column] = value }
    }
    return StoreRow(
      id: StoreRowID(table: table, key: key),
      entityName: record[1],
      version: version,
      values: values
    )
  }

  private static func records(_ name: String, in folder: URL) throws -> [[String]] {
    let data = try Data(contentsOf: folder.appending(path: name))
    return CSVText.records(in: Array(data))
  }

  private static func write(_ records: [[String]], _ name: String, to folder: URL) throws {
    try Data(CSVText.bytes(of: records)).write(to: folder.appending(path: name))
  }
}
