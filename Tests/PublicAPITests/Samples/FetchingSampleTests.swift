// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Samples of fetches beyond the usual one.
@Suite("Fetching samples")
struct FetchingSampleTests {
  private func fill(_ context: ManagedObjectContext) throws {
    for number in 0..<30 {
      let commit = Commit(context: context)
      commit.sha = "\(number)"
      commit.message = "message \(number % 3)"
      commit.date = Date(timeIntervalSinceReferenceDate: Double(number))
    }
    try context.save()
  }

  @MainActor @Test(arguments: StoreKind.allCases)
  func `a search that does not block the main actor, and ends when it is cancelled`(
    _ kind: StoreKind
  ) async throws {
    let store = try TourStore(kind)
    try fill(store.container.newBackgroundContext())
    let context = store.container.viewContext
    let found = try await context.fetchInBackground(
      Commit.filter("message CONTAINS[c] \("MESSAGE 2")").sorted(by: \.date)
    )
    #expect(found.first?.sha == "2")
    #expect(found.count == 10)

    let search = Task { @MainActor in try await context.fetchInBackground(Commit.all).count }
    search.cancel()
    let result = await search.result
    let error = #expect(throws: PerennialError.self) { _ = try result.get() }
    #expect(error?.code == .fetchCancelled)
  }

  @Test(arguments: StoreKind.allCases)
  func `all objects, a batch in memory at a time`(_ kind: StoreKind) throws {
    let store = try TourStore(kind)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()
    var messages: Set<String> = []
    try context.enumerate(Commit.sorted(by: \.date), batchSize: 7) { commit in
      messages.insert(commit.message)
    }
    #expect(messages.count == 3)
  }

  @Test func `what only SQL can say`() throws {
    let store = try TourStore(.sqlite)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()
    let least = 20
    let sql: RawSQL = """
      SELECT max(Z_PK) AS Z_PK FROM \(table: Commit.self)
      WHERE \(column: \Commit.date) < \(Date(timeIntervalSinceReferenceDate: Double(least)))
      GROUP BY \(column: \Commit.message) ORDER BY \(column: \Commit.message)
      """
    #expect(try context.fetch(Commit.self, sql: sql).map(\.sha) == ["18", "19", "17"])
  }

  @Test func `a request that must not read a whole table`() throws {
    let store = try TourStore(.sqlite)
    try fill(store.container.newBackgroundContext())
    let context = store.container.newBackgroundContext()
    #expect(try context.fetch(Commit.filter("sha == '3'").requireIndex()).count == 1)
    let error = #expect(throws: PerennialError.self) {
      _ = try context.fetch(Commit.filter("message == 'message 1'").requireIndex())
    }
    #expect(error?.code == .requiresIndex)
    #expect(error?.recovery.contains("@Indexed var message") == true)
  }
}
