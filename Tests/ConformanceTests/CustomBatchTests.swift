// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Perennial
import PerennialTestKit
import Testing

/// What a store that claims `batch` is asked, and what is done for it.
@Suite("Batches of custom stores")
struct CustomBatchTests {
  private let store = RecordingStore(EngineStore(EngineStore.Disk()))
  private let context: ManagedObjectContext

  init() throws { context = try Self.context(store) }

  private static func context(
    _ store: any PersistentStore,
    history: Bool = false
  ) throws -> ManagedObjectContext {
    let model = try ManagedObjectModel(
      EntityDescription(
        "Note",
        uniqueness: [["code"]],
        properties: [
          .attribute("code", .int64, optional: true), .attribute("stars", .int64, optional: true),
          .attribute("title", .string, optional: true),
        ]
      )
    )
    var description = StoreDescription.custom { store }
    description.historyTracking = history
    let context = try PersistentContainer(name: "Batches", model: model, store: description)
      .newBackgroundContext(isolation: nil)
    for number in Int64(1)...4 {
      let note = try context.insert(entityNamed: "Note")
      try note.setValue(number, forKey: "stars")
      try note.setValue("n\(number)", forKey: "title")
    }
    try context.save()
    return context
  }

  private func batches() -> [StoreBatch] {
    store.calls.compactMap { if case .execute(let batch) = $0 { batch } else { nil } }
  }

  private func stars() throws -> [Int64] {
    var request = FetchRequest<ManagedObject>(entityName: "Note")
    request.sortDescriptors = [FetchSort("stars")]
    return try context.fetch(request).compactMap { try $0.value(forKey: "stars") as? Int64 }
  }

  @Test func `1H.1 an update and a deletion are one call each`() throws {
    store.forgetCalls()
    var update = BatchUpdateRequest(
      entityName: "Note",
      where: try FetchPredicate(parsing: "stars > 2")
    )
    update.propertiesToUpdate = ["stars": 9]
    #expect(try context.execute(update).count == 2)
    let some = try FetchPredicate(parsing: "stars < 2")
    let deletion = BatchDeleteRequest(
      FetchRequest<ManagedObject>(entityName: "Note").filter(some)
    )
    #expect(try context.execute(deletion).count == 1)
    let request = StoreRequest(table: "Note", entityNames: ["Note"])
    var (first, second) = (request, request)
    first.predicate = update.predicate
    second.predicate = some
    #expect(
      batches() == [
        StoreBatch(first, .update(["stars": .integer(9)])), StoreBatch(second, .delete),
      ]
    )
    #expect(!store.calls.contains { $0.kind == .save })
    #expect(try stars() == [2, 9, 9])
  }

  @Test(arguments: ["title CONTAINS[c] 'N'", "stars >= 1"])
  func `1H.1 what the store cannot do is fetched and saved`(_ format: String) throws {
    store.forgetCalls()
    var update = BatchUpdateRequest(entityName: "Note", where: try FetchPredicate(parsing: format))
    update.propertiesToUpdate = ["stars": 5]
    update.resultType = format.hasPrefix("stars") ? .objectIDs : .count
    let result = try context.execute(update)
    #expect(result.count == 4)
    #expect(store.calls.contains { $0.kind == .save })
    #expect(try stars() == [5, 5, 5, 5])
  }

  @Test func `1H.1 unique values are looked after`() throws {
    store.forgetCalls()
    var update = BatchUpdateRequest(entityName: "Note")
    update.propertiesToUpdate = ["code": 1]
    let error = #expect(throws: PerennialError.self) { try context.execute(update) }
    #expect(error?.code == .managedObjectConstraintMerge)
    #expect(batches().isEmpty)
  }

  @Test func `1H.1 a batch is in the history, if there is one`() throws {
    let context = try Self.context(EngineStore(EngineStore.Disk()), history: true)
    var update = BatchUpdateRequest(entityName: "Note")
    update.propertiesToUpdate = ["stars": 5]
    #expect(try context.execute(update).count == 4)
    let request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    let changes = try context.execute(request).transactions.map(\.changes.count)
    #expect(changes == [4, 4])
  }

  @Test func `1H.1 a batch is in a history that somebody else has turned on since`() throws {
    let disk = EngineStore.Disk()
    let early = try Self.context(EngineStore(disk))
    let other = try Self.context(EngineStore(disk), history: true)
    var update = BatchUpdateRequest(entityName: "Note")
    update.propertiesToUpdate = ["stars": 5]
    #expect(try early.execute(update).count == 8)
    let request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    let changes = try other.execute(request).transactions.map(\.changes.count)
    #expect(changes == [4, 8])
  }
}
