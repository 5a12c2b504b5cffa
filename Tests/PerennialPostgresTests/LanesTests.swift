// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

#if PostgreSQL
import Dispatch
import Foundation
import Perennial
import Synchronization
import Testing

@testable import PerennialPostgres

/// Fetches in the background take no more threads than there are connections.
@Suite("Threads of fetches in the background")
struct LanesTests {
  @Test func `what is too much waits without a thread, and is done in order`() {
    let lanes = Lanes(2)
    let begun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let ended = DispatchSemaphore(value: 0)
    let order = Mutex<[Int]>([])
    for number in 0..<6 {
      lanes.run {
        order.withLock { $0.append(number) }
        begun.signal()
        gate.wait()
        ended.signal()
      }
    }
    for _ in 0..<2 { begun.wait() }
    #expect(lanes.waitingCount == 4)
    #expect(order.withLock { $0.sorted() } == [0, 1])
    for count in 3...6 {
      gate.signal()
      begun.wait()
      #expect(order.withLock { $0.count } == count)
    }
    for _ in 0..<2 { gate.signal() }
    for _ in 0..<6 { ended.wait() }
    #expect(order.withLock { Array($0[2...]) } == [2, 3, 4, 5])
    #expect(lanes.waitingCount == 0)
  }

  @Test(.needsServer) func `many tasks fetch by few connections`() async throws {
    let url = try TestServer.emptySchema()
    let store = StoreDescription.postgres(
      try #require(URL(string: url.absoluteString + "&pool=2&pool_timeout=60"))
    )
    let model = try ManagedObjectModel(
      EntityDescription("Item", properties: [.attribute("name", .string)])
    )
    let container = try PersistentContainer(name: "Items", model: model, store: store)
    let context = container.newBackgroundContext()
    try context.insert(entityNamed: "Item").setValue("one", forKey: "name")
    try context.save()
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 {
        group.addTask {
          let reader = container.newBackgroundContext()
          return try await reader.fetchInBackground(
            FetchRequest<ManagedObject>(entityName: "Item")
          ).count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 1, count: 40))
  }
}
#endif
