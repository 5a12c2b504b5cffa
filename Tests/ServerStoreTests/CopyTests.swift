// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModel
import PerennialStore
import Testing

@Suite("Copies to and from a store on a server")
struct CopyTests {
  private let server: TestedServer

  init() throws { server = try TestedServer() }

  private func coordinator(
    _ store: StoreDescription
  ) throws -> (PersistentStoreCoordinator, PersistentStoreCoordinator.Store) {
    let coordinator = try PersistentStoreCoordinator(model: .notes())
    return (coordinator, try coordinator.addPersistentStore(store))
  }

  private func filled() throws -> (PersistentStoreCoordinator, PersistentStoreCoordinator.Store) {
    let (coordinator, store) = try coordinator(.inMemory)
    let container = PersistentContainer(name: "Notes", coordinator: coordinator)
    try container.newBackgroundContext().addNotes(["Go", "Fix it"], of: "Ada")
    var metadata = try coordinator.metadata(for: store)
    metadata["count"] = .integer(8)
    try coordinator.setMetadata(metadata, for: store)
    return (coordinator, store)
  }

  private func notes(of coordinator: PersistentStoreCoordinator) throws -> [String] {
    try PersistentContainer(name: "Notes", coordinator: coordinator).newBackgroundContext().notes()
  }

  @Test func `a store is copied to a server in one save, and back`() throws {
    let (coordinator, store) = try filled()
    var stages: [StoreTransfer.Stage] = []
    try coordinator.copyPersistentStore(store, to: server.description) { stages.append($0) }
    #expect(stages.first?.rowsRead == 0 && stages.first?.rowCount == 3)
    #expect(stages.last?.rowsRead == 3 && stages.last?.isWriting == true)

    let (remote, far) = try self.coordinator(server.description)
    #expect(try notes(of: remote) == ["Fix it by Ada", "Go by Ada"])
    #expect(try remote.metadata(for: far)["count"] == .integer(8))
    let context = PersistentContainer(name: "Notes", coordinator: remote).newBackgroundContext()
    let token = PersistentHistoryToken(storeID: far.identifier, transactionNumber: 0)
    let history = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token))
    #expect(history.transactions.count == 1)

    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = StoreDescription.json(folder.appending(path: "notes.json"))
    try remote.copyPersistentStore(far, to: file)
    let (local, back) = try self.coordinator(file)
    #expect(try notes(of: local) == ["Fix it by Ada", "Go by Ada"])
    #expect(try local.metadata(for: back)["count"] == .integer(8))
  }

  @Test func `a server's store that has objects is refused, and stays as it is`() throws {
    let (remote, _) = try coordinator(server.description)
    try PersistentContainer(name: "Notes", coordinator: remote).newBackgroundContext()
      .addNotes(["Old"], of: "Bob")
    let (coordinator, store) = try filled()
    let error = #expect(throws: PerennialError.self) {
      try coordinator.copyPersistentStore(store, to: server.description)
    }
    #expect(error?.code == .persistentStoreSave)
    #expect(try notes(of: remote) == ["Old by Bob"])
  }

  @Test func `a container goes on with a server's store in place of its own`() throws {
    let (coordinator, store) = try filled()
    let far = try coordinator.migratePersistentStore(store, to: server.description)
    #expect(coordinator.persistentStores == [far] && far.type == server.type)
    #expect(try notes(of: coordinator) == ["Fix it by Ada", "Go by Ada"])
    let (remote, _) = try self.coordinator(server.description)
    #expect(try notes(of: remote) == ["Fix it by Ada", "Go by Ada"])
  }

  @Test func `what cannot be opened leaves the container with the store that it has`() throws {
    let (coordinator, store) = try filled()
    let broken = StoreDescription.server(
      FakeServer.url,
      .fake { _, _, _ throws(PerennialError) in
        throw PerennialError(.persistentStoreOpen, "It is asleep.", recovery: "wake it")
      }
    )
    #expect(throws: PerennialError.self) {
      try coordinator.migratePersistentStore(store, to: broken)
    }
    #expect(coordinator.persistentStores == [store])
    #expect(try notes(of: coordinator) == ["Fix it by Ada", "Go by Ada"])
  }
}
