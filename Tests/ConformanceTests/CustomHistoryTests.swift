// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import PerennialTestKit
import Synchronization
import Testing

/// The history of stores of a third party, when something goes wrong.
@Suite("The history of custom stores")
struct CustomHistoryTests {
  private static func container(
    _ store: any PersistentStore,
    isTracked: Bool = true,
    keepsOldValues: Bool = false
  ) throws -> PersistentContainer {
    var description = StoreDescription.custom { store }
    description.historyTracking = isTracked
    description.historyKeepsOldValues = keepsOldValues
    return try PersistentContainer(
      name: "History",
      model: BehaviourModel.make(),
      store: description
    )
  }

  private static func history(
    _ container: PersistentContainer,
    after token: PersistentHistoryToken? = nil
  ) throws -> [PersistentHistoryTransaction] {
    let request = PersistentHistoryChangeRequest.fetchHistory(after: token)
    return try container.newBackgroundContext(isolation: nil).execute(request).transactions
  }

  private static func insert(_ name: String, _ container: PersistentContainer) throws {
    let context = container.newBackgroundContext(isolation: nil)
    try context.insert(entityNamed: "Person").setValue(name, forKey: "name")
    try context.save()
  }

  @Test(arguments: [false, true])
  func `1H.4 a save that is given twice is in the history once`(_ isDone: Bool) throws {
    let disk = EngineStore.Disk()
    let store = FailingStore(EngineStore(disk), in: [.save], at: 2, afterwards: isDone)
    let container = try Self.container(store)
    try Self.insert("Ada", container)
    let context = container.newBackgroundContext(isolation: nil)
    let person = try #require(
      try context.first(FetchRequest<ManagedObject>(entityName: "Person"))
    )
    try person.setValue("Eve", forKey: "name")
    #expect(throws: PerennialError.self) { try context.save() }
    try context.save()
    let history = try Self.history(container)
    #expect(history.map(\.transactionNumber) == [1, 2])
    #expect(history.flatMap(\.changes).map(\.changeType) == [.insert, .update])
    #expect(history.flatMap(\.changes).map(\.changeID) == [1, 2])
  }

  @Test func `1H.4 after a save that failed, a history that is not stored begins anew`() throws {
    let disk = EngineStore.Disk()
    let base = EngineStore(disk, capabilities: [.durable])
    let container = try Self.container(FailingStore(base, in: [.save], at: 2, afterwards: true))
    try Self.insert("Ada", container)
    let token = try #require(try container.currentPersistentHistoryToken())
    #expect(throws: PerennialError.self) { try Self.insert("Bob", container) }
    let error = #expect(throws: PerennialError.self) { try Self.history(container, after: token) }
    #expect(error?.code == .persistentHistoryTokenExpired)
    let later = try #require(try container.currentPersistentHistoryToken())
    try Self.insert("Cy", container)
    #expect(try Self.history(container, after: later).count == 1)
  }

  /// A store to which somebody else writes just before its first saves.
  private final class RacingStore: PersistentStore {
    private let base: any PersistentStore
    private let race: @Sendable () throws -> Void
    private let rest: Atomic<Int>

    init(
      _ base: any PersistentStore,
      times: Int,
      _ race: @escaping @Sendable () throws -> Void
    ) {
      self.base = base
      self.race = race
      rest = Atomic(times)
    }

    var capabilities: StoreCapabilities { base.capabilities }

    func open(_ model: ManagedObjectModel) throws -> PersistentStoreMetadata? {
      try base.open(model)
    }
    func write(_ metadata: PersistentStoreMetadata) throws { try base.write(metadata) }
    func fetch(_ request: StoreRequest) throws -> [StoreRow] { try base.fetch(request) }
    func rows(of table: String, keys: [Int64]) throws -> [StoreRow] {
      try base.rows(of: table, keys: keys)
    }
    func members(of relationship: StoreRelationship, owners: [Int64]) throws -> [Int64: [Int64]] {
      try base.members(of: relationship, owners: owners)
    }
    func reserveKeys(_ count: Int, of table: String) throws -> Int64 {
      try base.reserveKeys(count, of: table)
    }
    func save(_ changes: StoreChanges) throws -> [StoreConflict] {
      if rest.subtract(1, ordering: .relaxed).newValue >= 0 { try race() }
      return try base.save(changes)
    }
  }

  @Test(arguments: [0, 1, 5])
  func `1H.4 two containers that write at once number their transactions one after the other`(
    times: Int
  ) throws {
    let disk = EngineStore.Disk()
    let other = try Self.container(EngineStore(disk))
    let racing = RacingStore(EngineStore(disk), times: times) { try Self.insert("other", other) }
    let container = try Self.container(racing)
    try Self.insert("own", container)
    let history = try Self.history(other)
    #expect(history.map(\.transactionNumber) == Array(1...Int64(times + 1)))
    #expect(history.flatMap(\.changes).map(\.changeID) == Array(1...Int64(times + 1)))
    #expect(Set(history.flatMap(\.changes).map(\.changedObjectID)).count == times + 1)
    #expect(try Self.history(container) == history)
  }

  @Test func `1H.4 old values are kept as soon as somebody who asks for them has saved`() throws {
    let disk = EngineStore.Disk()
    let other = try Self.container(EngineStore(disk), keepsOldValues: true)
    let racing = RacingStore(EngineStore(disk), times: 1) { try Self.insert("other", other) }
    let container = try Self.container(racing)
    // The history begins to keep them while this is saved.
    try Self.insert("Ada", container)
    #expect(try Self.history(container).count == 2)
    let context = container.newBackgroundContext(isolation: nil)
    let request = FetchRequest<ManagedObject>(entityName: "Person").filter("name == 'Ada'")
    let person = try #require(try context.first(request))
    try person.setValue("Eve", forKey: "name")
    try context.save()
    let change = try #require(try Self.history(other).last?.changes.first)
    #expect(change.oldValues["name"] == .string("Ada"))
  }

  @Test func `1H.4 who has a store open without a history goes on with the one that others begin`()
    throws
  {
    let disk = EngineStore.Disk()
    let early = try Self.container(EngineStore(disk), isTracked: false)
    try Self.insert("Ada", early)
    let other = try Self.container(EngineStore(disk), keepsOldValues: true)
    try Self.insert("other", other)
    let context = early.newBackgroundContext(isolation: nil)
    let request = FetchRequest<ManagedObject>(entityName: "Person").filter("name == 'Ada'")
    let person = try #require(try context.first(request))
    try person.setValue("Eve", forKey: "name")
    try context.save()
    let history = try Self.history(other)
    #expect(history.map(\.transactionNumber) == [1, 2])
    #expect(history.last?.changes.first?.oldValues["name"] == .string("Ada"))
    #expect(try Self.history(early) == history)
  }

  @Test func `1H.4 others that write all the time are an error, and nothing is saved`() throws {
    let disk = EngineStore.Disk()
    let other = try Self.container(EngineStore(disk))
    let racing = RacingStore(EngineStore(disk), times: .max) { try Self.insert("other", other) }
    let error = #expect(throws: PerennialError.self) {
      try Self.insert("own", Self.container(racing))
    }
    #expect(error?.code == .persistentStoreTimeout)
    let own = FetchRequest<ManagedObject>(entityName: "Person").filter("name == 'own'")
    #expect(try other.newBackgroundContext(isolation: nil).count(for: own) == 0)
  }

  @Test func `1H.4 a history that the store has damaged is an error`() throws {
    let disk = EngineStore.Disk()
    let container = try Self.container(EngineStore(disk))
    try Self.insert("Ada", container)
    disk.contents.withLock { contents in
      contents.tables[StoreRowID.historyTable]?[2]?.values["changes"] = .string("{}")
    }
    let error = #expect(throws: PerennialError.self) { try Self.history(container) }
    #expect(error?.code == .persistentStoreOpen)
    disk.contents.withLock { $0.tables[StoreRowID.historyTable]?[2] = nil }
    #expect(throws: PerennialError.self) { try Self.history(container) }
  }

  @Test(arguments: ["lastChange", "firstChange"], [Int64.max, -1])
  func `1H.4 a number that no change can have is an error`(
    _ name: String,
    _ number: Int64
  ) throws {
    let disk = EngineStore.Disk()
    let container = try Self.container(EngineStore(disk))
    try Self.insert("Ada", container)
    let key: Int64 = name == "lastChange" ? 1 : 2
    disk.contents.withLock { contents in
      contents.tables[StoreRowID.historyTable]?[key]?.values[name] = .integer(number)
    }
    let error = #expect(throws: PerennialError.self) { try Self.history(container) }
    #expect(error?.code == .persistentStoreOpen)
    guard name == "lastChange" else { return }
    #expect(throws: PerennialError.self) { try Self.insert("Bob", container) }
  }

  @Test func `1H.4 a head of the history with a version that is none is an error`() throws {
    let disk = EngineStore.Disk()
    let container = try Self.container(EngineStore(disk))
    try Self.insert("Ada", container)
    disk.contents.withLock { $0.tables[StoreRowID.historyTable]?[1]?.version = .max }
    let error = #expect(throws: PerennialError.self) { try Self.history(container) }
    #expect(error?.code == .persistentStoreOpen)
    #expect(throws: PerennialError.self) { try Self.insert("Bob", container) }
  }
}
