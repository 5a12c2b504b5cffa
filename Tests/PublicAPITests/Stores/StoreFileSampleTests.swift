// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Suite("Stores as files: metadata, copies, deletion")
struct StoreFileSampleTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(_ name: String) -> StoreDescription {
    .sqlite(folder.url.appending(path: name))
  }

  private func open(_ stores: StoreDescription...) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Files",
      entities: StoredNote.self,
      StoredTopic.self,
      StoredLabel.self,
      stores: stores
    )
  }

  /// Two topics of three notes, every other one labelled, in an order of their own.
  private func fill(_ container: PersistentContainer) throws {
    let context = container.newBackgroundContext(isolation: nil)
    let label = StoredLabel(context: context)
    label.name = "label"
    for name in ["b", "a"] {
      let topic = StoredTopic(context: context)
      topic.name = name
      for number in [2, 3, 1] {
        let note = StoredNote(context: context)
        note.title = "\(name)\(number)"
        note.number = number
        topic.notes.append(note)
        if number != 3 { label.notes.insert(note) }
      }
    }
    try context.save()
    let note = try context.fetch(StoredNote.sorted(by: \.title)).first
    note?.number = 9
    try context.save()
  }

  /// All objects by their IDs' ends, with what they are related to.
  private func contents(_ container: PersistentContainer) throws -> [String] {
    let context = container.newBackgroundContext(isolation: nil)
    func place(_ object: ManagedObject) -> String {
      object.objectID.uriRepresentation.lastPathComponent
    }
    let topics = try context.fetch(StoredTopic.sorted(by: \.name)).map { topic in
      "\(place(topic)) \(topic.name): \(topic.notes.map { "\(place($0)) \($0.title) \($0.number)" })"
    }
    let labels = try context.fetch(StoredLabel.all).map { label in
      "\(place(label)) \(label.name): \(label.notes.map(\.title).sorted())"
    }
    return topics + labels
  }

  @Test func `1I.3 metadata travel with the store`() throws {
    let store = store("Notes.sqlite")
    let container = try open(store)
    let coordinator = container.persistentStoreCoordinator
    let opened = try #require(coordinator.persistentStores.first)
    var metadata = try coordinator.metadata(for: opened)
    #expect(metadata.storeID == container.storeID)
    metadata["lastImport"] = .date(Date(timeIntervalSinceReferenceDate: 100))
    try coordinator.setMetadata(metadata, for: opened)
    #expect(try PersistentStoreCoordinator.metadataForPersistentStore(at: store) == metadata)
    metadata["lastImport"] = nil
    try PersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreAt: store)
    #expect(try coordinator.metadata(for: opened).values.isEmpty)
    let inMemory = try failure {
      _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: .inMemory)
    }
    #expect(inMemory.code == .persistentStoreOpen)
  }

  @Test func `1I.3 a backup while open, put back later`() throws {
    let store = store("Notes.sqlite")
    let backup = folder.url.appending(path: "Backup.sqlite")
    let before: [String]
    do {
      let container = try open(store)
      try fill(container)
      before = try contents(container)
      let opened = try #require(container.persistentStoreCoordinator.persistentStores.first)
      try container.persistentStoreCoordinator.backUp(opened, to: backup)
      let context = container.newBackgroundContext(isolation: nil)
      for note in try context.fetch(StoredNote.all) { context.delete(note) }
      try context.save()
      let error = try failure { try PersistentStoreCoordinator.destroyPersistentStore(at: store) }
      #expect(error.code == .persistentStoreTimeout)
    }
    try PersistentStoreCoordinator.replacePersistentStore(
      at: store,
      withPersistentStoreFrom: .sqlite(backup)
    )
    #expect(try contents(open(store)) == before)
    try PersistentStoreCoordinator.destroyPersistentStore(at: store)
    try PersistentStoreCoordinator.destroyPersistentStore(at: .sqlite(backup))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
  }

  @Test func `1I.3 a JSON store is described, copied, replaced and deleted as a file`() throws {
    let store = StoreDescription.json(folder.url.appending(path: "Notes.json"))
    let copy = folder.url.appending(path: "Copy.json")
    let before: [String]
    do {
      let container = try open(store)
      try fill(container)
      before = try contents(container)
      let coordinator = container.persistentStoreCoordinator
      let opened = try #require(coordinator.persistentStores.first)
      try coordinator.backUp(opened, to: copy)
      #expect(try failure { try coordinator.backUp(opened, to: copy) }.code == .persistentStoreSave)
    }
    var metadata = try PersistentStoreCoordinator.metadataForPersistentStore(at: store)
    #expect(metadata.storeType == "JSON" && metadata.values.isEmpty)
    metadata["note"] = .string("a \"note\"\n")
    metadata["count"] = .integer(3)
    try PersistentStoreCoordinator.setMetadata(metadata, forPersistentStoreAt: store)
    #expect(try PersistentStoreCoordinator.metadataForPersistentStore(at: store) == metadata)
    let text = try String(contentsOf: try #require(store.url), encoding: .utf8)
    do {
      let container = try open(store)
      #expect(try contents(container) == before)
      let opened = try #require(container.persistentStoreCoordinator.persistentStores.first)
      #expect(try container.persistentStoreCoordinator.metadata(for: opened) == metadata)
      try container.persistentStoreCoordinator.setMetadata(metadata, for: opened)
    }
    // What the file gets in place is what an open store writes.
    #expect(try String(contentsOf: try #require(store.url), encoding: .utf8) == text)
    try PersistentStoreCoordinator.replacePersistentStore(
      at: store,
      withPersistentStoreFrom: .json(copy)
    )
    #expect(try PersistentStoreCoordinator.metadataForPersistentStore(at: store).values.isEmpty)
    #expect(try contents(open(store)) == before)
    let foreign = StoreDescription.json(folder.url.appending(path: "Foreign.json"))
    try Data("{\"a\":1}".utf8).write(to: try #require(foreign.url))
    for body in [
      { try PersistentStoreCoordinator.destroyPersistentStore(at: foreign) },
      {
        try PersistentStoreCoordinator.replacePersistentStore(
          at: foreign,
          withPersistentStoreFrom: store
        )
      },
      { _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: foreign) },
    ] {
      #expect(try failure(of: body).code == .persistentStoreOpen)
    }
    try PersistentStoreCoordinator.destroyPersistentStore(at: store)
    try PersistentStoreCoordinator.destroyPersistentStore(at: .json(copy))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names == ["Foreign.json"])
  }

  @Test(arguments: [StoreKind.sqlite, .json])
  func `1I.3 what a copy left that never ended goes with the next one`(_ kind: StoreKind) throws {
    let target = kind.description(in: folder)
    let name = try #require(target.url?.lastPathComponent)
    let left = folder.url.appending(path: "\(name).copy-\(UUID().uuidString)")
    let other = folder.url.appending(path: "\(name).copy-of-mine")
    for folder in [left, other] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try Data("half a sto".utf8).write(to: folder.appending(path: name))
    }
    let container = try open(.inMemory)
    try fill(container)
    let coordinator = container.persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    try coordinator.copyPersistentStore(store, to: target)
    #expect(!FileManager.default.fileExists(atPath: left.path))
    #expect(FileManager.default.fileExists(atPath: other.path))
    #expect(try contents(open(target)) == contents(container))
    let error = try failure { try coordinator.copyPersistentStore(store, to: target) }
    #expect(error.code == .persistentStoreSave && error.message.contains("'\(name)'"))
  }

  @Test func `1I.3 a store that is migrated keeps its place and its configuration`() throws {
    let coordinator = try PersistentStoreCoordinator(
      entities: StoredNote.self,
      StoredTopic.self,
      StoredLabel.self,
      configurations: ["Notes": [StoredNote.self, StoredTopic.self]]
    )
    let container = PersistentContainer(name: "Moving", coordinator: coordinator)
    var notes = StoreDescription.inMemory
    notes.configuration = "Notes"
    let first = try coordinator.addPersistentStore(notes)
    let second = try coordinator.addPersistentStore(.inMemory)
    let moved = try coordinator.migratePersistentStore(first, to: store("Notes.sqlite"))
    #expect(coordinator.persistentStores == [moved, second])
    #expect(moved.configurationName == "Notes")
    let context = container.newBackgroundContext(isolation: nil)
    let note = StoredNote(context: context)
    note.title = "in the first store"
    let label = StoredLabel(context: context)
    label.name = "in the second store"
    try context.save()
    #expect(note.objectID.uriRepresentation.host() == moved.identifier.uuidString)
    #expect(label.objectID.uriRepresentation.host() == second.identifier.uuidString)
  }

  @Test(arguments: [StoreKind.sqlite, .json])
  func `1I.3 a migration that fails leaves the store that there is, and no file`(
    _ kind: StoreKind
  ) throws {
    let coordinator = try PersistentStoreCoordinator(
      entities: StoredNote.self,
      StoredTopic.self,
      StoredLabel.self,
      configurations: ["Notes": [StoredNote.self, StoredTopic.self]]
    )
    let container = PersistentContainer(name: "Moving", coordinator: coordinator)
    let first = try coordinator.addPersistentStore(.inMemory)
    try fill(container)
    let before = try contents(container)
    var target = kind.description(in: folder)
    target.remoteChangeInterval = .seconds(30)
    func refusal() throws -> PerennialError {
      let error = try failure { _ = try coordinator.migratePersistentStore(first, to: target) }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
      #expect(coordinator.persistentStores == [first])
      #expect(try contents(container) == before)
      return error
    }
    target.configuration = "Nots"
    #expect(try refusal().message.contains("'Nots'"))
    target.configuration = "Notes"
    // There is no number left for another store.
    for _ in 1..<128 { try coordinator.remove(coordinator.addPersistentStore(.inMemory)) }
    #expect(try refusal().message.contains("128"))
  }

  @Test func `1I.3 what a refusal advises can be done in a container of one store`() throws {
    let source = store("Source.sqlite")
    let copy = StoreDescription.json(folder.url.appending(path: "Copy.json"))
    let target = StoreDescription.json(folder.url.appending(path: "Target.json"))
    _ = try open(target)
    let replacing = try failure {
      try PersistentStoreCoordinator.replacePersistentStore(
        at: target,
        withPersistentStoreFrom: source
      )
    }
    #expect(replacing.code == .persistentStoreSave)
    #expect(replacing.recovery.contains("'copyPersistentStore(_:to:)'"))
    let before: [String]
    do {
      let container = try open(source)
      try fill(container)
      before = try contents(container)
      let opened = try #require(container.persistentStoreCoordinator.persistentStores.first)
      try container.persistentStoreCoordinator.copyPersistentStore(opened, to: copy)
    }
    try PersistentStoreCoordinator.replacePersistentStore(at: target, withPersistentStoreFrom: copy)
    #expect(try contents(open(target)) == before)

    let memory = try open(.inMemory)
    try fill(memory)
    let coordinator = memory.persistentStoreCoordinator
    let opened = try #require(coordinator.persistentStores.first)
    let file = store("Backup.sqlite")
    let saving = try failure {
      try coordinator.backUp(opened, to: folder.url.appending(path: "Backup.sqlite"))
    }
    #expect(saving.code == .persistentStoreSave)
    #expect(saving.recovery == "use 'copyPersistentStore(_:to:)'")
    try coordinator.copyPersistentStore(opened, to: file)
    #expect(try contents(open(file)) == contents(memory))
  }

  @Test func `1I.3 a URL that is not a file's is refused`() throws {
    let store = StoreDescription.sqlite(try #require(URL(string: "https://example.org/a.sqlite")))
    let error = try failure { try PersistentStoreCoordinator.destroyPersistentStore(at: store) }
    #expect(error.code == .persistentStoreOpen)
  }

  @Test(arguments: StoreKind.allCases)
  func `1I.3 a store is saved as another kind with its keys, orders and metadata`(
    _ kind: StoreKind
  ) throws {
    let source = kind.description(in: folder)
    let coordinator = try PersistentStoreCoordinator(
      entities: StoredNote.self,
      StoredTopic.self,
      StoredLabel.self
    )
    let container = PersistentContainer(name: "Moving", coordinator: coordinator)
    let first = try coordinator.addPersistentStore(source)
    try fill(container)
    var metadata = try coordinator.metadata(for: first)
    metadata["note"] = .string("kept")
    try coordinator.setMetadata(metadata, for: first)
    let before = try contents(container)

    let second = try coordinator.migratePersistentStore(first, to: .inMemory)
    #expect(coordinator.persistentStores == [second] && second.identifier != first.identifier)
    #expect(try contents(container) == before)
    let text = StoreDescription.json(folder.url.appending(path: "Target.json"))
    let json = try coordinator.migratePersistentStore(second, to: text)
    #expect(json.type == "JSON")
    #expect(try contents(container) == before)
    let target = store("Target.sqlite")
    let third = try coordinator.migratePersistentStore(json, to: target)
    #expect(try contents(container) == before)
    #expect(try coordinator.metadata(for: third)["note"] == .string("kept"))
    #expect(
      try failure { try coordinator.copyPersistentStore(third, to: target) }.code
        == .persistentStoreSave
    )

    // New keys come after those that were copied.
    let context = container.newBackgroundContext(isolation: nil)
    let note = StoredNote(context: context)
    note.title = "new"
    try context.save()
    #expect(note.objectID.uriRepresentation.lastPathComponent == "p7")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(names.contains("Target.sqlite") && names.allSatisfy { !$0.contains(".copy-") })
  }
}
