// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Perennial
import Synchronization
import Testing

@Suite("PersistentContainer, as a user sees it")
struct ContainerTests {
  private static func makeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      EntityDescription(
        "Commit",
        uniqueness: [["sha"]],
        indexes: [["date"]],
        properties: [
          .attribute("sha", .string), .attribute("message", .string, default: ""),
          .attribute("date", .date, optional: true), .toOne("author", "Author", inverse: "commits"),
        ]
      ),
      EntityDescription(
        "Author",
        properties: [
          .attribute("name", .string),
          .toMany("commits", "Commit", inverse: "author", deleteRule: .cascade),
        ]
      )
    )
  }

  /// How far the test below is; shared with the container's thread.
  private final class Progress: Sendable {
    let busyTasks = Atomic(0)
    let isSaved = Atomic(false)
    let isStuck = Atomic(false)

    /// Occupies a thread until the save is done, but not for ever.
    func spin() {
      busyTasks.wrappingAdd(1, ordering: .acquiringAndReleasing)
      let deadline = ContinuousClock.now + .seconds(120)
      while !isSaved.load(ordering: .acquiring) {
        if ContinuousClock.now > deadline { return isStuck.store(true, ordering: .releasing) }
      }
    }

    /// Waits until no further task begins: the system may lend the pool fewer processors than it has.
    func waitUntilSaturated() {
      var count = 0
      repeat {
        count = busyTasks.load(ordering: .acquiring)
        Thread.sleep(forTimeInterval: 0.2)
      } while count == 0 || busyTasks.load(ordering: .acquiring) > count
    }
  }

  @Test func `a save completes while the concurrency pool is saturated`() async throws {
    let container = try PersistentContainer(
      name: "Busy",
      model: Self.makeModel(),
      store: .inMemory
    )
    let progress = Progress()
    let (beginning, begin) = AsyncStream<Never>.makeStream()
    let save = Task {
      try await container.performBackgroundTask { context in
        begin.finish()
        progress.waitUntilSaturated()
        try context.insert(entityNamed: "Author").setValue("Joe", forKey: "name")
        try context.save()
        progress.isSaved.store(true, ordering: .releasing)
      }
    }
    for await _ in beginning {}
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 * ProcessInfo.processInfo.activeProcessorCount {
        group.addTask { progress.spin() }
      }
    }
    try await save.value
    let isStuck = progress.isStuck.load(ordering: .acquiring)
    #expect(!isStuck)
  }

  /// What only a task of the test below holds.
  private final class Baggage: Sendable {}

  @Test func `a background task lets go what it held before its caller goes on`() async throws {
    let container = try PersistentContainer(name: "Held", model: Self.makeModel(), store: .inMemory)
    for _ in 0..<1_000 {
      weak var held: Baggage?
      func hold() -> Baggage {
        let baggage = Baggage()
        held = baggage
        return baggage
      }
      func run(holding baggage: consuming Baggage) async throws {
        try await container.performBackgroundTask { [baggage] _ in withExtendedLifetime(baggage) {}
        }
      }
      try await run(holding: hold())
      try #require(held == nil)
    }
  }

  @Test func `1I.1 the view context belongs to the main actor`() async throws {
    let container = try PersistentContainer(name: "View", model: Self.makeModel(), store: .inMemory)
    try await MainActor.run {
      let context = container.viewContext
      try context.persist {
        try context.insert(entityNamed: "Author").setValue("A", forKey: "name")
      }
      #expect(container.viewContext === context)
    }
    let request = FetchRequest<ManagedObject>(entityName: "Author")
    #expect(try await container.performBackgroundTask { try $0.count(for: request) } == 1)
  }

  @Test func `1I.1 a container opens at once, or on a thread of its own`() async throws {
    let folder = try TemporaryFolder()
    let store = StoreDescription.sqlite(folder.url.appending(path: "Store.sqlite"))
    let model = try Self.makeModel()
    do {
      let container = try await PersistentContainer.open(
        name: "Open",
        model: model,
        stores: [store]
      )
      try await container.performBackgroundTask { context in
        try context.insert(entityNamed: "Author").setValue("A", forKey: "name")
        try context.save()
      }
    }
    let container = try PersistentContainer(name: "Open", model: model, store: store)
    let request = FetchRequest<ManagedObject>(entityName: "Author")
    #expect(try await container.performBackgroundTask { try $0.count(for: request) } == 1)
    #expect(container.storeDescription.url == store.url)
    await #expect(throws: PerennialError.self) {
      let missing = StoreDescription.sqlite(folder.url.appending(path: "missing/Store.sqlite"))
      _ = try await PersistentContainer.open(name: "Open", model: model, stores: [missing])
    }
    let classes = try await PersistentContainer.open(
      name: "Classes",
      entities: Commit.self,
      Author.self,
      store: .inMemory
    )
    #expect(classes.managedObjectModel.entities.count == 2)
  }

  @Test(arguments: ["", ".", "..", "a/b", "/", "a\0b"])
  func `a container's name that is no file name is an error`(_ name: String) throws {
    let model = try Self.makeModel()
    let error = try failure { _ = try PersistentContainer(name: name, model: model) }
    #expect(error.code == .persistentStoreOpen)
    #expect(error.message.contains("must be a file name"))
  }

  @Test func `1I.1 background tasks run one after the other, and errors come back`() async throws {
    let container = try PersistentContainer(
      name: "Order",
      model: Self.makeModel(),
      store: .inMemory
    )
    struct Failure: Error {}
    await #expect(throws: Failure.self) {
      try await container.performBackgroundTask { _ in throw Failure() }
    }
    final class Flag: Sendable { let isSet = Mutex(false) }
    let running = Flag()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<50 {
        group.addTask {
          try await container.performBackgroundTask { context in
            let overlaps = running.isSet.withLock { isSet in
              defer { isSet = true }
              return isSet
            }
            #expect(!overlaps)
            defer { running.isSet.withLock { $0 = false } }
            let commit = try context.insert(entityNamed: "Commit")
            try commit.setValue("\(number)", forKey: "sha")
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let request = FetchRequest<ManagedObject>(entityName: "Commit")
    #expect(try await container.performBackgroundTask { try $0.count(for: request) } == 50)
  }

  @Test func `a cancelled task does not begin`() async throws {
    let container = try PersistentContainer(
      name: "Cancel",
      model: Self.makeModel(),
      store: .inMemory
    )
    // Ends only when the task is cancelled.
    let (waiting, end) = AsyncStream<Never>.makeStream()
    let task = Task {
      for await _ in waiting {}
      try await container.performBackgroundTask { _ in Issue.record("the closure has run") }
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    end.finish()
  }

  @MainActor
  @Test func `a task that is cancelled while it waits for its turn does not begin`() async throws {
    let container = try PersistentContainer(
      name: "Turn",
      model: Self.makeModel(),
      store: .inMemory
    )
    let gate = DispatchSemaphore(value: 0)
    let (beginning, begin) = AsyncStream<Never>.makeStream()
    let first = Task {
      try await container.performBackgroundTask { _ in
        begin.finish()
        gate.wait()
      }
    }
    for await _ in beginning {}
    // On one actor each task asks for its turn before this function goes on: none is cancelled before.
    let (asking, ask) = AsyncStream<Never>.makeStream()
    let others = (0..<3).map { number in
      Task {
        if number == 2 { ask.finish() }
        try await container.performBackgroundTask { _ in Issue.record("the closure has run") }
      }
    }
    for await _ in asking {}
    for other in others { other.cancel() }
    gate.signal()
    try await first.value
    for other in others { await #expect(throws: CancellationError.self) { try await other.value } }
    // Whoever comes later has its turn.
    #expect(try await container.performBackgroundTask { _ in 7 } == 7)
  }

  @Test func `wrong names and types of dynamic access are typed errors`() throws {
    let container = try PersistentContainer(
      name: "Dynamic",
      model: Self.makeModel(),
      store: .inMemory
    )
    let context = container.newBackgroundContext()
    let commit = try context.insert(entityNamed: "Commit")
    let missing = #expect(throws: PerennialError.self) { try commit.setValue("x", forKey: "shaa") }
    #expect(missing?.code == .unknownName)
    #expect(missing?.recovery == "did you mean 'sha'?")
    let mismatch = #expect(throws: PerennialError.self) { try commit.setValue(5, forKey: "sha") }
    #expect(mismatch?.code == .typeMismatch)
    let relationship = #expect(throws: PerennialError.self) {
      try commit.setValue("Joe", forKey: "author")
    }
    #expect(relationship?.code == .typeMismatch)
    let entity = #expect(throws: PerennialError.self) { try context.insert(entityNamed: "Comit") }
    #expect(entity?.recovery == "did you mean 'Commit'?")
  }
}
