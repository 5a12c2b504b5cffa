// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialModel
import PerennialSQLite
import PerennialStore
import RowTesting
import Testing

/// What there is to copying rows beside what becomes of them.
@Suite("Row by row")
struct RowMigrationTests {
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel
  private var mapping: ModelMapping { MigrationPlan(from: old, to: new).mapping }

  init() throws {
    old = try ManagedObjectModel(
      EntityDescription(
        "Club",
        properties: [.optional("title", .string), .toMany("members", "Person", inverse: "club")]
      ),
      EntityDescription(
        "Person",
        properties: [.optional("text", .string), .toOne("club", "Club", inverse: "members")]
      )
    )
    new = try ManagedObjectModel(
      EntityDescription(
        "Club",
        uniqueness: [["title"]],
        properties: [
          .optional("title", .string), .toMany("members", "Person", inverse: "club"),
          .attribute("size", .int64, optional: true, derived: "members.@count"),
        ]
      ),
      EntityDescription(
        "Person",
        uniqueness: [["text"]],
        properties: [.optional("text", .string), .toOne("club", "Club", inverse: "members")]
      )
    )
  }

  /// Persons with so much text that a store with an engine gets them in several saves.
  private func people(_ count: Int64, text: (Int64) -> String) -> [StoredObject] {
    let padding = String(repeating: "x", count: 70_000)
    let members = (1...count).map { key in
      StoredObject(
        "Person",
        key,
        ["text": .value(.string(text(key) + padding)), "club": .object("Club", key % 2 + 1)]
      )
    }
    return members + [StoredObject("Club", 1, ["title": "a"]), StoredObject("Club", 2)]
  }

  @Test func `many rows are written in several saves, and what is derived of them at the end`()
    throws
  {
    let folder = try TemporaryFolder()
    let source = InMemoryStore(model: old.layout)
    try source.insert(people(300) { "\($0) " })
    // Its history has a transaction for each save.
    let target = try SQLiteStore(
      url: folder.file("New.sqlite"),
      model: new.layout,
      history: HistoryOptions(isOn: true)
    )
    try RowMigration(from: source, to: target, mapping).run(MigrationMonitor(nil, stepCount: 1))
    #expect(try target.history(HistoryQuery()).count > 1)
    let objects = try target.objects()
    #expect(objects.count == 302)
    let clubs = objects.filter { $0.entity == "Club" }.sorted { $0.key < $1.key }
    #expect(clubs.map { $0.values["size"]?.text } == ["150", "150"])
    #expect(try target.reserveKeys(root: new.layout.index("Person"), count: 1) > 300)
  }

  @Test func `objects of different saves that share values are counted together`() throws {
    let folder = try TemporaryFolder()
    let source = InMemoryStore(model: old.layout)
    try source.insert(people(300) { [2, 150, 299].contains($0) ? "same " : "\($0) " })
    let target = try SQLiteStore(url: folder.file("New.sqlite"), model: new.layout)
    let error = try #require(throws: PerennialError.self) {
      try RowMigration(from: source, to: target, mapping).run(MigrationMonitor(nil, stepCount: 1))
    }
    #expect(error.code == .migrationConstraintViolation)
    #expect(error.message.contains("3 objects of 'Person'"))
  }

  @Test func `a migration that is cancelled before says so`() throws {
    let source = InMemoryStore(model: old.layout)
    try source.insert(people(3) { "\($0) " })
    let target = InMemoryStore(model: new.layout)
    let progress = Progress(totalUnitCount: 1)
    let monitor = MigrationMonitor(progress, stepCount: 1)
    progress.cancel()
    let error = try #require(throws: PerennialError.self) {
      try RowMigration(from: source, to: target, mapping).run(monitor)
    }
    #expect(error.code == .migrationCancelled)
    #expect(try target.lines().isEmpty)
  }

  @Test func `a store that has objects is not migrated to`() throws {
    let target = InMemoryStore(model: new.layout)
    try target.insert([StoredObject("Club", 1)])
    let error = try #require(throws: PerennialError.self) {
      try RowMigration(from: InMemoryStore(model: old.layout), to: target, mapping)
        .run(MigrationMonitor(nil, stepCount: 1))
    }
    #expect(error.code == .persistentStoreSave)
  }

  @Test func `the application's metadata go with the rows`() throws {
    let source = InMemoryStore(model: old.layout)
    var metadata = try source.storeMetadata()
    metadata["who"] = .string("me")
    try source.setStoreMetadata(metadata)
    let target = InMemoryStore(model: new.layout)
    try RowMigration(from: source, to: target, mapping).run(MigrationMonitor(nil, stepCount: 1))
    #expect(try target.storeMetadata().values == ["who": .string("me")])
  }

  @Test func `a time that is derived is kept; one that is new is that of the migration`() throws {
    func model(_ names: String...) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        EntityDescription(
          "Note",
          properties: names.map { .attribute($0, .date, optional: true, derived: "now()") }
        )
      )
    }
    let before = Date()
    let then = Date(timeIntervalSinceReferenceDate: 1_000)
    let (old, new) = (try model("changed"), try model("changed", "migrated"))
    let source = InMemoryStore(model: old.layout)
    try source.insert([StoredObject("Note", 1, ["changed": .value(.date(then))])])
    let target = InMemoryStore(model: new.layout)
    try RowMigration(from: source, to: target, MigrationPlan(from: old, to: new).mapping)
      .run(MigrationMonitor(nil, stepCount: 1))
    let values = try #require(try target.objects().first).values
    #expect(values["changed"]?.text == StoredValue.value(.date(then)).text)
    guard case .value(.date(let time))? = values["migrated"] else {
      Issue.record("no time")
      return
    }
    #expect(before <= time && time <= Date())
  }
}
