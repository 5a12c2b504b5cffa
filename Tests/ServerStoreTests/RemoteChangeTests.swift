// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialModel
import PerennialStore
import Testing

@Suite("What others write to a store on a server")
struct RemoteChangeTests {
  private func container(
    _ server: FakeServer,
    interval: Duration?
  ) throws -> PersistentContainer {
    var store = server.description()
    store.remoteChangeInterval = interval
    return try PersistentContainer(name: "Notes", model: .notes(), store: store)
  }

  /// One server tells; the other one does not, and is asked again and again.
  @Test(.timeLimit(.minutes(30)), arguments: [true, false])
  func `a write of another client is told and merged`(talks: Bool) async throws {
    let server = FakeServer(talks: talks)
    let near = try container(server, interval: talks ? .seconds(3_600) : .milliseconds(1))
    try near.newBackgroundContext().addNotes(["Go"], of: "Ada")
    let far = try container(server, interval: nil)
    let context = near.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    #expect(try context.notes() == ["Go by Ada"])
    var changes = near.remoteChanges.makeAsyncIterator()
    for title in ["Stay", "Leave"] {
      try await far.performBackgroundTask { context in
        let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
        try notes.first?.setValue(title, forKey: "title")
        try context.save()
      }
      let change = await changes.next()
      #expect(change?.url?.absoluteString == "fake://ada@db.example/library?pool=2")
      try context.processPendingChanges()
      #expect(try context.notes() == ["\(title) by Ada"])
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `a store that is only read follows what others write`() async throws {
    let server = try TestedServer()
    var store = server.description
    store.historyTracking = true
    let far = try PersistentContainer(name: "Far", model: .notes(), store: store)
    try far.newBackgroundContext().addNotes(["Go"], of: "Ada")
    store.isReadOnly = true
    store.remoteChangeInterval = .milliseconds(20)
    let near = try PersistentContainer(name: "Near", model: .notes(), store: store)
    let context = near.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    #expect(try context.notes() == ["Go by Ada"])
    var changes = near.remoteChanges.makeAsyncIterator()
    for title in ["Stay", "Leave"] {
      try await far.performBackgroundTask { context in
        let notes = try context.fetch(FetchRequest<ManagedObject>(entityName: "Note"))
        try notes.first?.setValue(title, forKey: "title")
        try context.save()
      }
      #expect(await changes.next()?.url == store.url)
      try context.processPendingChanges()
      #expect(try context.notes() == ["\(title) by Ada"])
    }
  }

  @Test func `nobody is told who has not asked for it`() throws {
    let server = FakeServer()
    let container = try container(server, interval: nil)
    #expect(server.clientCount == 0)
    withExtendedLifetime(container) {}
  }

  @Test func `a container that is gone is told nothing`() throws {
    let server = FakeServer()
    let writer = try container(server, interval: nil)
    do {
      let reader = try container(server, interval: .seconds(3_600))
      #expect(server.clientCount == 1)
      withExtendedLifetime(reader) {}
    }
    #expect(server.clientCount == 0)
    try writer.newBackgroundContext().addNotes(["Go"], of: "Ada")
  }
}

@Suite("A watcher without a file")
struct FilelessWatcherTests {
  @Test(.timeLimit(.minutes(30)))
  func `it looks when it is woken`() async throws {
    let (looks, look) = AsyncStream<Void>.makeStream()
    let watcher = try #require(
      ChangeWatcher(path: nil, interval: .seconds(3_600)) {
        look.yield()
        return true
      }
    )
    var iterator = looks.makeAsyncIterator()
    for _ in 0..<100 {
      watcher.wake()
      #expect(await iterator.next() != nil)
    }
  }

  @Test(.timeLimit(.minutes(30)))
  func `who wakes it never waits, and a call while it looks is one more look`() async throws {
    let (looks, look) = AsyncStream<Void>.makeStream()
    let door = DispatchSemaphore(value: 0)
    let watcher = try #require(
      ChangeWatcher(path: nil, interval: .seconds(3_600)) {
        look.yield()
        door.wait()
        return true
      }
    )
    var iterator = looks.makeAsyncIterator()
    watcher.wake()
    #expect(await iterator.next() != nil)
    // A pipe has room for 65,536 bytes.
    for _ in 0..<100_000 { watcher.wake() }
    door.signal()
    #expect(await iterator.next() != nil)
    door.signal()
  }

  @Test func `one that is gone can still be called`() throws {
    var watcher = ChangeWatcher(path: nil, interval: .seconds(3_600)) { true }
    let wake = try #require(watcher?.wake)
    watcher = nil
    wake()
  }
}
