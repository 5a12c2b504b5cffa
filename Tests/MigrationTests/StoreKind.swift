// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialJSON
import PerennialModel
import PerennialSQLite
import PerennialStore
import RowTesting

/// A kind of store, and a way to migrate it.
enum StoreKind: String, CaseIterable, Sendable {
  /// Row by row, in memory.
  case memory
  /// Row by row, from a SQLite file into another one, in several saves.
  case rows
  /// A JSON file, row by row, on a draft that gets its name.
  case json
  /// A SQLite file, by SQL, on a draft that gets its name.
  case sqlite

  /// Makes a store of objects, migrates it, and says what it has.
  func migrate(
    _ objects: [StoredObject],
    from old: ManagedObjectModel,
    to new: ManagedObjectModel
  ) throws -> [String] {
    let mapping = MigrationPlan(from: old, to: new).mapping
    let monitor = MigrationMonitor(nil, stepCount: 1)
    let folder = try TemporaryFolder()
    switch self {
    case .memory:
      let source = InMemoryStore(model: old.layout)
      try source.insert(objects)
      let target = InMemoryStore(model: new.layout)
      try RowMigration(from: source, to: target, mapping).run(monitor)
      return try target.lines()
    case .rows:
      let source = try SQLiteStore(url: folder.file("Old.sqlite"), model: old.layout)
      try source.insert(objects)
      let target = try SQLiteStore(url: folder.file("New.sqlite"), model: new.layout)
      try RowMigration(from: source, to: target, mapping).run(monitor)
      return try target.lines()
    case .json:
      let url = folder.file("Store.json")
      func open(_ model: ManagedObjectModel) throws -> any RowStore {
        try JSONStore(url: url, model: model.layout)
      }
      try open(old).insert(objects)
      return try migrate(url, with: JSONFiles(busyTimeout: .zero), mapping, monitor, open)
    case .sqlite:
      let url = folder.file("Store.sqlite")
      func open(_ model: ManagedObjectModel) throws -> any RowStore {
        try SQLiteStore(url: url, model: model.layout)
      }
      try open(old).insert(objects)
      return try migrate(url, with: SQLiteFiles(busyTimeout: .zero), mapping, monitor, open)
    }
  }

  /// Migrates a store in a file, and sees that one that is refused stays as it was.
  private func migrate(
    _ url: URL,
    with files: some MigratableFiles,
    _ mapping: ModelMapping,
    _ monitor: MigrationMonitor,
    _ open: (ManagedObjectModel) throws -> any RowStore
  ) throws -> [String] {
    // In a function, so that the store is closed when it ends.
    func look(_ model: ModelLayout) throws -> (identifier: UUID, lines: [String]) {
      let store = try open(ManagedObjectModel(model))
      return (store.identifier, try store.lines())
    }
    let before = try look(mapping.source)
    let model = try files.storedModel(at: url, among: [])
    guard model.model == ManagedObjectModel(mapping.source) else {
      throw Unexpected("stored model")
    }
    do {
      try files.migrate(url, along: mapping, backup: nil, monitor)
    } catch {
      guard try look(mapping.source) == before else { throw Unexpected("refused, but changed") }
      throw error
    }
    let after = try files.storedModel(at: url, among: [])
    guard after.model == ManagedObjectModel(mapping.destination) else {
      throw Unexpected("stored model afterwards")
    }
    let result = try look(mapping.destination)
    guard result.identifier == before.identifier else { throw Unexpected("another identifier") }
    return result.lines
  }
}

/// What must not be, in few words.
struct Unexpected: Error {
  let words: String
  init(_ words: String) { self.words = words }
}

extension MigratableFiles {
  /// All steps of a migration, as they are done one after the other.
  func migrate(
    _ url: URL,
    along mapping: ModelMapping,
    backup: URL?,
    _ monitor: MigrationMonitor
  ) throws {
    let lock = try lockForMigration(at: url)
    let draft = StoreDraft(of: url)
    try FileManager.default.createDirectory(at: draft.folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: draft.folder) }
    try makeDraft(of: url, in: draft, lock)
    try migrate(draft.url, mapping, monitor)
    try put(draft.url, over: url, previous: backup, lock)
  }
}
