// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Stores that a program brings along.
@Suite("Samples: a store of one's own")
struct CustomStoreTests {
  @Test func `1I.6 a store keeps rows, and the library does the rest`() throws {
    let container = try PersistentContainer(
      name: "Notes",
      model: Self.model(),
      store: .custom { NotebookStore() }
    )
    let context = container.newBackgroundContext()
    let writer = try context.insert(entityNamed: "Writer")
    try writer.setValue("Ada", forKey: "name")
    for title in ["Go", "Fix it"] {
      let note = try context.insert(entityNamed: "Note")
      try note.setValue(title, forKey: "title")
      try note.setObject(writer, forKey: "writer")
    }
    try context.save()

    let reader = container.newBackgroundContext()
    var request = FetchRequest<ManagedObject>(entityName: "Note").filter("writer.name == 'Ada'")
    request.sortDescriptors = [FetchSort("title")]
    let titles = try reader.fetch(request).map { try $0.value(forKey: "title") as? String }
    #expect(titles == ["Fix it", "Go"])
    request.predicate = "title CONTAINS[c] 'FIX'"
    #expect(try reader.count(for: request) == 1)
  }

  @Test func `1I.5 every kind of store keeps a history if it is asked to`() throws {
    let folder = try TemporaryFolder()
    for store in [
      StoreDescription.custom { NotebookStore() }, .json(folder.url.appending(path: "notes.json")),
      .sqlite(folder.url.appending(path: "notes.sqlite")), .inMemory,
    ] {
      var store = store
      store.historyTracking = true
      let container = try PersistentContainer(name: "Notes", model: Self.model(), store: store)
      let token = try #require(try container.currentPersistentHistoryToken())
      let context = container.newBackgroundContext()
      try context.insert(entityNamed: "Note").setValue("Go", forKey: "title")
      try context.save()
      let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
      #expect(try context.execute(request).transactions.map(\.changes.count) == [1])
    }
  }

  @Test func `1I.4 a SQLite database in memory is shared by the contexts of its container only`()
    throws
  {
    let null = StoreDescription.sqlite(URL(filePath: "/dev/null"))
    let containers = try [null, .sqliteInMemory].map { store in
      try PersistentContainer(name: "Notes", model: Self.model(), store: store)
    }
    let context = containers[0].newBackgroundContext()
    try context.insert(entityNamed: "Note").setValue("Go", forKey: "title")
    try context.save()
    let notes = FetchRequest<ManagedObject>(entityName: "Note").filter("title LIKE 'g*'")
    let all = FetchRequest<ManagedObject>(entityName: "Note")
    #expect(try containers[0].newBackgroundContext().fetch(notes).isEmpty)
    #expect(try containers[0].newBackgroundContext().fetch(all).count == 1)
    #expect(try containers[1].newBackgroundContext().fetch(all).isEmpty)
    #expect(try context.explain(all).sql.hasPrefix("SELECT"))
    let error = #expect(throws: PerennialError.self) {
      try PersistentStoreCoordinator.destroyPersistentStore(at: null)
    }
    #expect(error?.code == .persistentStoreOpen)
    #expect(FileManager.default.fileExists(atPath: "/dev/null"))
  }

  @Test func `1C.4 who orders members does not take away the order of those that others added`()
    throws
  {
    let container = try PersistentContainer(
      name: "Albums",
      entities: Album.self,
      Track.self,
      store: .custom { NotebookStore() }
    )
    let context = container.newBackgroundContext()
    let album = Album(context: context)
    album.title = "Album"
    func track(_ title: String, _ context: ManagedObjectContext) -> Track {
      let track = Track(context: context)
      track.title = title
      return track
    }
    for title in ["a", "b"] { album.tracks.append(track(title, context)) }
    try context.save()
    let here = container.newBackgroundContext()
    let mine = try here.object(Album.self, with: album.objectID)
    #expect(mine.tracks.map(\.title) == ["a", "b"])

    for title in ["c", "d"] { album.tracks.append(track(title, context)) }
    album.tracks.move(from: 3, to: 2)
    try context.save()
    mine.tracks.move(from: 1, to: 0)
    try here.save()
    let reader = container.newBackgroundContext()
    let read = try reader.object(Album.self, with: album.objectID)
    #expect(read.tracks.map(\.title) == ["b", "a", "d", "c"])
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Note",
        properties: [.attribute("title", .string), .toOne("writer", "Writer", inverse: "notes")]
      ),
      EntityDescription(
        "Writer",
        properties: [.attribute("name", .string), .toMany("notes", "Note", inverse: "writer")]
      )
    )
  }

  @Test func `the store of the guide is the one that is tested`() throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let guide = try String(
      contentsOf: here.appending(path: "../../../Sources/Perennial/Perennial.docc/Articles")
        .appending(path: "WritingAStore.md"),
      encoding: .utf8
    )
    let source = try String(
      contentsOf: here.appending(path: "NotebookStore.swift"),
      encoding: .utf8
    )
    let store = try #require(source.range(of: "final class NotebookStore"))
    #expect(guide.contains(source[store.lowerBound...]))
  }

  /// A store that tells nothing but an error.
  private struct Closed: PersistentStore {
    let capabilities: StoreCapabilities = []
    let error: any Error

    func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? { throw error }
    func write(_ metadata: PersistentStoreMetadata) throws {}
    func fetch(_ request: StoreRequest) throws -> [StoreRow] { [] }
    func rows(of table: String, keys: [Int64]) throws -> [StoreRow] { [] }
    func members(
      of relationship: StoreRelationship,
      owners: [Int64]
    ) throws -> [Int64: [Int64]] { [:] }
    func reserveKeys(_ count: Int, of table: String) throws -> Int64 { 1 }
    func save(_ changes: StoreChanges) throws -> [StoreConflict] { [] }
  }

  private struct Broken: Error {}

  @Test(
    arguments: [
      (StoreProblem(.unreadable, "It is torn.", recovery: "mend it"), 134_080),
      (StoreProblem(.unwritable, "It is full.", recovery: "empty it"), 134_030),
      (StoreProblem(.locked, "It is in use.", recovery: "wait"), 134_090),
      (StoreProblem(.incompatible, "It is another.", recovery: "look"), 134_100),
      (Broken(), 134_080),
    ] as [(any Error, Int)]
  )
  func `what a store throws at opening, the program is told`(
    _ problem: any Error,
    _ code: Int
  ) throws {
    let error = try #require(throws: PerennialError.self) {
      _ = try PersistentContainer(
        name: "Closed",
        model: Self.model(),
        store: .custom { Closed(error: problem) }
      )
    }
    #expect(error.code.rawValue == code)
    #expect(!error.recovery.isEmpty)
    if let problem = problem as? StoreProblem { #expect(error.message == problem.message) }
  }

  @Test func `a predicate becomes a condition that can be translated`() throws {
    let predicate: FetchPredicate = "age > 3 AND (name == 'Ada' OR NOT team.name IN {'Red', nil})"
    let expected = StoreCondition.and([
      .comparison(["age"], .greater, .integer(3), []),
      .or([
        .comparison(["name"], .equal, .string("Ada"), []),
        .not(.membership(["team", "name"], [.string("Red"), .null])),
      ]),
    ])
    #expect(try predicate.condition == expected)
    let other: FetchPredicate = "ANY tags.name == 'old'"
    #expect(try other.condition == .other("ANY tags.name == \"old\""))
  }
}
