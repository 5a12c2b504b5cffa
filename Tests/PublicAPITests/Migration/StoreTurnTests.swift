// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import Perennial
import Synchronization
import Testing

/// Threads of one process that open a store while another one migrates or replaces it.
@Suite("SEMANTICS 1J: turns to open a store that is migrated")
struct StoreTurnTests {
  private let folder = MigrationFolder()
  private let old: ManagedObjectModel
  private let new: ManagedObjectModel

  init() throws {
    old = try folder.bookModel()
    new = try folder.bookModel([.attribute("size", .int64, optional: true)])
  }

  private func write(_ store: StoreDescription, count: Int = 3) throws {
    let container = try PersistentContainer(name: "Books", model: old, store: store)
    try Self.add(count, to: container)
  }

  private static func add(_ count: Int, to container: PersistentContainer) throws {
    let context = container.newBackgroundContext()
    for index in 0..<count {
      try context.insert(entityNamed: "Book").setValue("\(index)", forKey: "title")
      try context.save()
    }
  }

  private func count(_ store: StoreDescription) throws -> Int {
    let container = try PersistentContainer(name: "Books", model: new, store: store)
    let request = FetchRequest<ManagedObject>(entityName: "Book")
    return try container.newBackgroundContext().count(for: request)
  }

  /// How many books an opener has written, and the error that it ended with.
  private struct Outcome {
    let container: PersistentContainer?
    let count: Int
    var error: (any Error)?
  }

  /// Opens stores with the new model at once, keeps all open, and writes five books with each.
  private func openAtOnce(_ stores: [StoreDescription]) async -> [Outcome] {
    await withTaskGroup(of: Outcome.self) { group in
      for (index, store) in stores.enumerated() {
        group.addTask { [new] in
          try? await Task.sleep(for: .milliseconds(index == 0 ? 0 : 7 + index))
          // Not written into an outcome: with -O, Swift 6.3.1 leaves its first field unwritten when opening fails.
          var container: PersistentContainer?
          var count = 0
          do {
            let opened = try await PersistentContainer.open(
              name: "Books",
              model: new,
              stores: [store]
            )
            container = opened
            for _ in 0..<5 {
              try Self.add(1, to: opened)
              count += 1
            }
            return Outcome(container: opened, count: count)
          } catch {
            return Outcome(container: container, count: count, error: error)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Checks that nobody failed but for the time, and that the store has what all have written.
  private func check(_ outcomes: [Outcome], _ store: StoreDescription) throws {
    for outcome in outcomes {
      guard let error = outcome.error else { continue }
      #expect((error as? PerennialError)?.code == .persistentStoreTimeout, "\(error)")
    }
    let written = outcomes.reduce(0) { $0 + $1.count }
    #expect(written > 0)
    #expect(try count(store) == 3 + written)
  }

  @Test func `who waits less long than a migration takes is refused, and nothing is lost`()
    async throws
  {
    for round in 0..<25 {
      let store = folder.store(.sqlite, at: folder.url.appending(path: "\(round).store"))
      try write(store)
      var stores = [store]
      stores[0].migration.willMigrate = { _ in Thread.sleep(forTimeInterval: 0.07) }
      for index in 1..<6 {
        var impatient = store
        impatient.busyTimeout = .milliseconds(40 + 5 * index)
        stores.append(impatient)
      }
      try check(await openAtOnce(stores), store)
    }
  }

  @Test func `a store has one turn under all of its names`() async throws {
    let link = folder.url.appending(path: "link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url)
    for round in 0..<25 {
      let store = folder.store(.sqlite, at: folder.url.appending(path: "\(round).store"))
      let linked = folder.store(.sqlite, at: link.appending(path: "\(round).store"))
      try write(store)
      var first = store
      first.migration.willMigrate = { _ in Thread.sleep(forTimeInterval: 0.01) }
      try check(await openAtOnce([first, linked, store, linked, store, linked]), store)
    }
  }

  @Test func `metadata are read while a store is migrated, which goes on`() async throws {
    for round in 0..<15 {
      let store = folder.store(.sqlite, at: folder.url.appending(path: "\(round).store"))
      try write(store)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            for _ in 0..<40 {
              _ = try PersistentStoreCoordinator.metadataForPersistentStore(at: store)
            }
          }
        }
        try check(await openAtOnce([store]), store)
        try await group.waitForAll()
      }
    }
  }

  @Test func `who waits for a store of the old model lets others open it, until it is cancelled`()
    async throws
  {
    var store = folder.store(.sqlite)
    store.busyTimeout = .seconds(240)
    try write(store)
    let user = try PersistentContainer(name: "Books", model: old, store: store)
    let progress = Progress(totalUnitCount: 0)
    var newer = store
    newer.migration.progress = progress
    let opening = Task { [new, newer] in
      try await PersistentContainer.open(name: "Books", model: new, stores: [newer])
    }
    try await Task.sleep(for: .milliseconds(100))
    let start = ContinuousClock.now
    let another = try PersistentContainer(name: "Books", model: old, store: store)
    progress.cancel()
    let error = await #expect(throws: PerennialError.self) { try await opening.value }
    #expect(error?.code == .migrationCancelled)
    #expect(ContinuousClock.now - start < .seconds(180))
    withExtendedLifetime((user, another)) {}
  }

  /// Begins a migration that ends when it is told to.
  private func beginMigration(
    of store: StoreDescription
  ) async -> (Task<PersistentContainer, any Error>, DispatchSemaphore) {
    let (hasBegun, mayEnd) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
    var first = store
    first.migration.willMigrate = { _ in
      hasBegun.continuation.yield()
      _ = mayEnd.wait(timeout: .now() + 200)
    }
    let migrating = Task { [new, first] in
      try await PersistentContainer.open(name: "Books", model: new, stores: [first])
    }
    for await _ in hasBegun.stream { break }
    return (migrating, mayEnd)
  }

  @Test(arguments: MigrationStoreKind.allCases)
  func `cancelling ends the wait for another task's migration`(
    _ kind: MigrationStoreKind
  ) async throws {
    var store = folder.store(kind)
    store.busyTimeout = .seconds(240)
    try write(store)
    let (migrating, mayEnd) = await beginMigration(of: store)
    let start = ContinuousClock.now
    let progress = Progress(totalUnitCount: 0)
    var second = store
    second.migration.progress = progress
    let waiting = Task { [new, second] in
      try await PersistentContainer.open(name: "Books", model: new, stores: [second])
    }
    try await Task.sleep(for: .milliseconds(100))
    progress.cancel()
    let error = await #expect(throws: PerennialError.self) { try await waiting.value }
    #expect(error?.code == .migrationCancelled)
    #expect(ContinuousClock.now - start < .seconds(180))
    mayEnd.signal()
    _ = try await migrating.value
    #expect(try count(store) == 3)
  }

  @Test func `a JSON store is read while it is migrated`() async throws {
    var store = folder.store(.json)
    store.busyTimeout = .seconds(240)
    try write(store)
    let (migrating, mayEnd) = await beginMigration(of: store)
    let start = ContinuousClock.now
    store.isReadOnly = true
    let reader = try PersistentContainer(name: "Books", model: old, store: store)
    let request = FetchRequest<ManagedObject>(entityName: "Book")
    #expect(try reader.newBackgroundContext().count(for: request) == 3)
    #expect(ContinuousClock.now - start < .seconds(180))
    mayEnd.signal()
    _ = try await migrating.value
  }

  @Test func `a migration's code is refused the store that it migrates`() throws {
    var store = folder.store(.sqlite)
    store.busyTimeout = .milliseconds(50)
    try write(store)
    var migrated = store
    migrated.migration.willMigrate = { [old, store] _ in
      _ = try PersistentContainer(name: "Books", model: old, store: store)
    }
    let error = #expect(throws: PerennialError.self) {
      try PersistentContainer(name: "Books", model: new, store: migrated)
    }
    #expect(error?.code == .persistentStoreTimeout)
    #expect(error?.message.contains("This process") == true)
    #expect(try count(store) == 3)
  }

  @Test func `many threads that open a store at once wait little longer than it takes`()
    throws
  {
    var store = folder.store(.sqlite)
    store.busyTimeout = .seconds(240)
    try write(store)
    let clock = ContinuousClock()
    let alone = try clock.measure {
      for _ in 0..<100 { _ = try PersistentContainer(name: "Books", model: old, store: store) }
    }
    let failures = Mutex<[String]>([])
    let threads = DispatchGroup()
    let atOnce = clock.measure {
      for _ in 0..<100 {
        threads.enter()
        Thread.detachNewThread { [old, store] in
          do {
            _ = try PersistentContainer(name: "Books", model: old, store: store)
          } catch {
            failures.withLock { $0.append("\(error)") }
          }
          threads.leave()
        }
      }
      threads.wait()
    }
    #expect(failures.withLock(\.self).isEmpty)
    #expect(atOnce < alone * 4 + .seconds(1))
  }

  @Test func `who has no time waits for others that only open the store`() throws {
    var store = folder.store(.sqlite)
    try write(store)
    store.busyTimeout = .zero
    // Kept open: the last one to close would lock the store.
    let opened = Mutex<[Result<PersistentContainer, any Error>]>([])
    let threads = DispatchGroup()
    for _ in 0..<20 {
      threads.enter()
      Thread.detachNewThread { [old, store] in
        let result = Result { try PersistentContainer(name: "Books", model: old, store: store) }
        opened.withLock { $0.append(result) }
        threads.leave()
      }
    }
    threads.wait()
    for result in opened.withLock(\.self) { #expect(throws: Never.self) { try result.get() } }
    #expect(opened.withLock(\.count) == 20)
  }
}
