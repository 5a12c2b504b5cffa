// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import CSVStore
import Foundation
import Perennial
import PerennialTestKit
import Testing

/// What happens when a store fails at any of its calls.
@Suite("Stores that fail")
struct FailureTests {
  private static func container(_ store: any PersistentStore) throws -> PersistentContainer {
    try PersistentContainer(
      name: "Failing",
      model: BehaviourModel.make(),
      store: .custom { store }
    )
  }

  /// Saves a team with three members, one after the other, and gives what the first failure was.
  private static func work(in context: ManagedObjectContext) throws {
    let team = try context.insert(entityNamed: "Team")
    try team.setValue("Red", forKey: "name")
    for name in ["Ada", "Bob", "Cy"] {
      let person = try context.insert(entityNamed: "Person")
      try person.setValue(name, forKey: "name")
      try person.setObject(team, forKey: "team")
    }
  }

  @Test(arguments: [false, true])
  func `a save that failed at any call can be made again`(_ isDone: Bool) throws {
    var failedSaves = 0
    for number in 1...100 {
      let disk = EngineStore.Disk()
      _ = try Self.container(EngineStore(disk))
      let store = FailingStore(EngineStore(disk), at: number, afterwards: isDone)
      guard let container = try? Self.container(store) else { continue }
      let context = container.newBackgroundContext(isolation: nil)
      try Self.work(in: context)
      var failures = 0
      while context.hasChanges, failures < 3 {
        do {
          try context.save()
        } catch {
          failures += 1
          #expect(error.underlying is FailingStore.Failure, "call \(number): \(error)")
          #expect(error.code == .persistentStoreSave || error.code == .persistentStoreOpen)
        }
      }
      let reader = try Self.container(EngineStore(disk)).newBackgroundContext(isolation: nil)
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      #expect(try reader.count(for: request) == 3, "call \(number)")
      #expect(try reader.count(for: request.filter("team.memberCount == 3")) == 3)
      failedSaves += failures
      if store.callCount < number { return #expect(failedSaves > 0) }
    }
    Issue.record("the store is called without end")
  }

  @Test func `a fetch that failed leaves the context as it was`() throws {
    let disk = EngineStore.Disk()
    let store = FailingStore(EngineStore(disk), in: [.fetch], at: 1)
    let context = try Self.container(store).newBackgroundContext(isolation: nil)
    let person = try context.insert(entityNamed: "Person")
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    let error = #expect(throws: PerennialError.self) { _ = try context.fetch(request) }
    #expect(error?.code == .persistentStoreOpen)
    #expect(error?.description.contains("\n  cause: Failure(number: 1)\n") == true)
    #expect(try context.fetch(request) == [person])
  }

  @Test func `a store is asked for what it claims, and for no more`() throws {
    let store = RecordingStore(EngineStore(EngineStore.Disk()))
    let context = try Self.container(store).newBackgroundContext(isolation: nil)
    try Self.work(in: context)
    try context.save()
    store.forgetCalls()
    var request = FetchRequest<ManagedObject>(entityName: "Person").filter("name == 'Ada'")
    request.sortDescriptors = [FetchSort("name")]
    request.fetchLimit = 1
    #expect(try context.fetch(request).count == 1)
    let expected = StoreRequest(
      table: "Person",
      entityNames: ["Person", "Employee", "Manager"],
      predicate: "name == 'Ada'",
      sorts: [FetchSort("name")],
      limit: 1
    )
    #expect(store.calls == [.fetch(expected)])

    let plain = RecordingStore(try CSVStore(folder: Scratch.shared.folder()))
    let other = try Self.container(plain).newBackgroundContext(isolation: nil)
    plain.forgetCalls()
    #expect(try other.fetch(request).isEmpty)
    let all = StoreRequest(table: "Person", entityNames: ["Person", "Employee", "Manager"])
    #expect(plain.calls == [.fetch(all)])
  }
}
