// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialStore
import RowTesting
import Synchronization
import Testing

@testable import PerennialSQLite

extension TemporaryFolder {
  /// The file of a test with one store.
  func file() -> URL { file("Store.sqlite") }

  /// A copy of a fixture, with its write-ahead log.
  func copy(ofFixture name: String) throws -> URL {
    let source = try #require(
      Bundle.module.url(forResource: name, withExtension: "sqlite", subdirectory: "Fixtures")
    )
    let target = file("\(name).sqlite")
    try FileManager.default.copyItem(at: source, to: target)
    let log = source.deletingLastPathComponent().appending(path: "\(name).sqlite-wal")
    if FileManager.default.fileExists(atPath: log.path) {
      try FileManager.default.copyItem(at: log, to: file("\(name).sqlite-wal"))
    }
    return target
  }
}

/// What a store writes to its log.
final class LoggedEvents: Sendable {
  private let events = Mutex<[LogEvent]>([])

  func note(_ event: LogEvent) { events.withLock { $0.append(event) } }
  var all: [LogEvent] { events.withLock { $0 } }
}

extension SQLiteStore {
  /// All rows that a query selects.
  func rows(_ query: StoreQuery) throws -> [PageRow] {
    var rows: [PageRow] = []
    try fetchRows(query) { page in
      rows += (0..<page.count).map { PageRow(page: page, index: $0) }
    }
    return rows
  }

  func rows(_ entity: String, _ scope: StoreQuery.Scope = .all) throws -> [PageRow] {
    try rows(StoreQuery(entity: model.index(entity), scope: scope))
  }

  func row(_ entity: String, _ key: Int64) throws -> PageRow? {
    try rows(entity, .keys([key])).first
  }

  /// An attribute of a row.
  func value(_ row: PageRow?, _ name: String) throws -> PropertyValue {
    let row = try #require(row)
    let layout = model.entities[row.entity]
    let slot = try #require(layout.slotsByName[name])
    return PackedRow.value(row.pointer, slot, in: layout) {
      model.objectID(of: $0, owner: identifier)
    }
  }

  /// A reference slot of a row.
  func reference(_ row: PageRow?, _ name: String) throws -> ObjectReference {
    let row = try #require(row)
    let slot = try #require(model.entities[row.entity].slotsByName[name])
    return PackedRow.reference(row.pointer, slot)
  }

  /// The keys that a to-many relationship leads to, in its order.
  func members(_ entity: String, _ name: String, of owner: Int64) throws -> [Int64] {
    let relationship = try model.relationship(entity, name)
    let query = StoreQuery(
      entity: relationship.destination,
      scope: .related(relationship, owner: owner)
    )
    return try fetchReferences(query).map(\.key)
  }

  /// What a text query on the file gives: for looking behind the store's back.
  func texts(_ sql: String) throws -> [String] {
    try read { connection throws(SQLiteFailure) in try connection.texts(sql) }
  }
  func integers(_ sql: String) throws -> [Int64] {
    try read { connection throws(SQLiteFailure) in try connection.integers(sql) }
  }
}

/// The conflicts that a save reports.
func conflicts(of body: () throws -> Void) -> [SaveConflict] {
  do {
    try body()
  } catch SaveFailure.conflicts(let conflicts) {
    return conflicts
  } catch {
    Issue.record("\(error)")
  }
  return []
}

/// The code of the error that opening or saving throws.
func code(of body: () throws -> Void) -> PerennialError.Code? {
  do {
    try body()
    return nil
  } catch let error as PerennialError {
    return error.code
  } catch SaveFailure.failed(let error) {
    return error.code
  } catch {
    return nil
  }
}
