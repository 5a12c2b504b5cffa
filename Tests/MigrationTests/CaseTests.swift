// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQLite
import PerennialStore
import Testing

/// Every change that is inferred, over every kind of store.
@Suite("Migration cases")
struct CaseTests {
  @Test func `every change is inferred, and there is a name for each`() throws {
    #expect(Set(MigrationCase.all.map(\.name)).count == MigrationCase.all.count)
    for change in MigrationCase.all {
      let (old, new) = try change.models
      let plan = MigrationPlan(from: old, to: new)
      #expect(plan.isInferable, "\(change.name): \(plan)")
    }
  }

  @Test(arguments: MigrationCase.all)
  func `what a store has is what is written, before anything is migrated`(
    change: MigrationCase
  ) throws {
    let store = InMemoryStore(model: try change.models.old.layout)
    try store.insert(change.before)
    #expect(try store.lines() == change.before.map(\.line).sorted())
  }

  @Test(arguments: MigrationCase.all, StoreKind.allCases)
  func `objects become what they are to become`(change: MigrationCase, kind: StoreKind) throws {
    let (old, new) = try change.models
    let result = try kind.migrate(change.before, from: old, to: new)
    #expect(result == change.after.map(\.line).sorted())
  }

  @Test(arguments: RefusedMigration.all, StoreKind.allCases)
  func `a store that cannot follow is refused, and stays`(
    change: RefusedMigration,
    kind: StoreKind
  ) throws {
    let old = try ManagedObjectModel(entities: change.old)
    let new = try ManagedObjectModel(entities: change.new)
    let error = try #require(throws: PerennialError.self) {
      try kind.migrate(change.before, from: old, to: new)
    }
    #expect(error.code == change.code)
    #expect(!error.recovery.isEmpty)
    for word in change.words { #expect(error.message.contains(word), "\(error)") }
    #expect(!"\(error)".contains("secret"))
  }

  @Test(arguments: StoreKind.allCases)
  func `an entity without objects of its own may become abstract`(kind: StoreKind) throws {
    let name = PropertyDescription.optional("name", .string)
    func model(isAbstract: Bool) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription("Person", isAbstract: isAbstract, properties: [name]),
        EntityDescription("Employee", parent: "Person", properties: [])
      )
    }
    let objects = [StoredObject("Employee", 4, version: 2, ["name": "Ann"])]
    let result = try kind.migrate(
      objects,
      from: model(isAbstract: false),
      to: model(isAbstract: true)
    )
    #expect(result == objects.map(\.line))
  }
}

extension MigrationCase {
  var models: (old: ManagedObjectModel, new: ManagedObjectModel) {
    get throws { (try ManagedObjectModel(entities: old), try ManagedObjectModel(entities: new)) }
  }
}

/// A kind of store, and a way to migrate it.
enum StoreKind: String, CaseIterable, Sendable {
  /// Row by row, in memory.
  case memory
  /// Row by row, from a SQLite file into another one, in several saves.
  case rows
  /// By SQL, in the file.
  case sqlite

  /// Makes a store of objects, migrates it, and says what it has.
  func migrate(
    _ objects: [StoredObject],
    from old: ManagedObjectModel,
    to new: ManagedObjectModel
  ) throws -> [String] {
    let mapping = MigrationPlan(from: old, to: new).mapping
    let monitor = MigrationMonitor(nil, stepCount: 1)
    switch self {
    case .memory:
      let source = InMemoryStore(model: old.layout)
      try source.insert(objects)
      let target = InMemoryStore(model: new.layout)
      try RowMigration(from: source, to: target, mapping).run(monitor)
      return try target.lines()
    case .rows:
      let folder = try TemporaryFolder()
      let source = try SQLiteStore(url: folder.file("Old.sqlite"), model: old.layout)
      try source.insert(objects)
      let target = try SQLiteStore(url: folder.file("New.sqlite"), model: new.layout)
      try RowMigration(from: source, to: target, mapping).run(monitor)
      return try target.lines()
    case .sqlite:
      let folder = try TemporaryFolder()
      let url = folder.file("Store.sqlite")
      try SQLiteStore(url: url, model: old.layout).insert(objects)
      try SQLiteFiles(busyTimeout: .seconds(5)).migrate(url, mapping, monitor)
      return try SQLiteStore(url: url, model: new.layout).lines()
    }
  }
}

/// A folder of a test's own, removed with the value.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "perennial-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func file(_ name: String) -> URL { url.appending(path: name) }
}
