// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModel
import PerennialStore
import Testing

@Suite("A store on a server, which another product opens")
struct ServerStoreTests {
  private let server = FakeServer()

  private func container(
    _ store: StoreDescription? = nil
  ) throws(PerennialError) -> PersistentContainer {
    try PersistentContainer(
      name: "Notes",
      model: .notes(),
      store: store ?? server.description()
    )
  }

  @Test func `what one container saves, another one finds`() throws {
    try container().newBackgroundContext().addNotes(["Go", "Fix it"], of: "Ada")
    let reader = try container()
    #expect(try reader.newBackgroundContext().notes() == ["Fix it by Ada", "Go by Ada"])
    #expect(reader.persistentStoreCoordinator.persistentStores.map(\.type) == ["Fake"])
  }

  @Test func `a description has the address without the password`() throws {
    let description = server.description()
    #expect(description.url?.absoluteString == "fake://ada@db.example/library?pool=2")
    #expect(!"\(description)".contains("secret"))
    let coordinator = try container().persistentStoreCoordinator
    let store = try #require(coordinator.persistentStore(for: FakeServer.url))
    #expect(store.url == description.url)
    #expect(coordinator.persistentStore(for: try #require(store.url)) == store)
  }

  @Test func `pragmas are refused`() throws {
    var store = server.description()
    store.pragmas = ["cache_size": "10"]
    let error = #expect(throws: PerennialError.self) { try container(store) }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.message.contains("'cache_size'") == true)
  }

  @Test func `what the kind throws, opening throws`() throws {
    let wanted = PerennialError(.persistentStoreOpen, "It is asleep.", recovery: "wake it")
    let store = StoreDescription.server(
      FakeServer.url,
      .fake { _, _, _ throws(PerennialError) in throw wanted }
    )
    let error = #expect(throws: PerennialError.self) { try container(store) }
    #expect(error?.message == wanted.message)
  }

  @Test func `a store of another model is not migrated as a file is`() throws {
    let store = StoreDescription.server(
      FakeServer.url,
      .fake { _, _, _ throws(PerennialError) in
        throw PerennialError(.incompatibleVersionHash, "It differs.", recovery: "migrate it")
      }
    )
    let error = #expect(throws: PerennialError.self) { try container(store) }
    #expect(error?.code == .incompatibleVersionHash && error?.message == "It differs.")
  }

  @Test func `there is no file whose metadata could be read, or that could be deleted`() throws {
    let store = server.description()
    let file = StoreDescription.json(URL(filePath: "/nowhere/notes.json"))
    let attempts: [() throws -> Void] = [
      { _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: store) },
      { try PersistentStoreCoordinator.destroyPersistentStore(at: store) },
      {
        try PersistentStoreCoordinator.replacePersistentStore(
          at: store,
          withPersistentStoreFrom: file
        )
      },
      {
        try PersistentStoreCoordinator.replacePersistentStore(
          at: file,
          withPersistentStoreFrom: store
        )
      },
    ]
    for attempt in attempts {
      let error = #expect(throws: PerennialError.self) { try attempt() }
      #expect(error?.code == .persistentStoreOpen)
      #expect(error?.message == "A store of the kind 'Fake' has no file.")
      #expect(error?.recovery.contains("server") == true)
    }
  }

  @Test func `the open store has notes of the application's`() throws {
    let coordinator = try container().persistentStoreCoordinator
    let store = try #require(coordinator.persistentStores.first)
    var metadata = try coordinator.metadata(for: store)
    metadata["count"] = .integer(8)
    try coordinator.setMetadata(metadata, for: store)
    let other = try container().persistentStoreCoordinator
    let same = try #require(other.persistentStores.first)
    #expect(try other.metadata(for: same)["count"] == .integer(8))
  }

  @Test func `it lives beside other stores, each with its configuration`() throws {
    var shared = server.description()
    shared.configuration = "Shared"
    var own = StoreDescription.inMemory
    own.configuration = "Own"
    let both = try PersistentContainer(name: "Both", model: .notes(), stores: [own, shared])
    let context = both.newBackgroundContext()
    try context.insert(entityNamed: "Draft").setValue("Later", forKey: "title")
    try context.addNotes(["Go"], of: "Ada")
    let other = try container().newBackgroundContext()
    #expect(try other.notes() == ["Go by Ada"])
    #expect(try other.count(for: FetchRequest<ManagedObject>(entityName: "Draft")) == 0)
  }

  @Test func `round trips are counted for stores on a server only`() throws {
    let local = try container(.inMemory)
    try local.newBackgroundContext().addNotes(["Go"], of: "Ada")
    _ = try local.newBackgroundContext().notes()
    #expect(local.counters.statements > 0 && local.counters.roundTrips == 0)

    var shared = server.description()
    shared.configuration = "Shared"
    var own = StoreDescription.inMemory
    own.configuration = "Own"
    let both = try PersistentContainer(name: "Both", model: .notes(), stores: [own, shared])
    // Another container writes, so that this one knows no row yet.
    try container().newBackgroundContext().addNotes(["Go"], of: "Ada")
    let before = both.counters
    let context = both.newBackgroundContext()
    #expect(try context.notes() == ["Go by Ada"])
    #expect((both.counters - before).roundTrips == 2)
    let store = try #require(both.persistentStoreCoordinator.persistentStores.last)
    try both.persistentStoreCoordinator.remove(store)
    #expect((both.counters - before).roundTrips == 2)
  }
}
