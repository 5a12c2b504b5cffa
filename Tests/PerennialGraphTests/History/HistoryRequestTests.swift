// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import PerennialGraph
import PerennialModel
import PerennialStore
import Testing

@Suite("SEMANTICS 1H.4: requests for history")
struct HistoryRequestTests {
  /// A bench with transactions of an author each.
  private func bench(_ kind: StoreKind, authors: [String?]) throws -> (Bench, [Date]) {
    let bench = try Bench.history(kind)
    var dates: [Date] = []
    for author in authors {
      let context = bench.context()
      context.transactionAuthor = author
      context.name = author.map { "context of \($0)" }
      Club(context: context).title = "club"
      try context.save()
      dates.append(try #require(try context.history().last).timestamp)
    }
    return (bench, dates)
  }

  private func numbers(
    _ bench: Bench,
    _ request: PersistentHistoryChangeRequest
  ) throws -> [Int64] {
    try bench.context().execute(request).transactions.map(\.transactionNumber)
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 history is fetched after a token, a transaction and a date`(
    _ kind: StoreKind
  ) throws {
    let (bench, dates) = try bench(kind, authors: ["a", "b", "c"])
    let all = try bench.context().history()
    #expect(all.map(\.transactionNumber) == [1, 2, 3])
    #expect(try numbers(bench, .fetchHistory(after: all[0].token)) == [2, 3])
    #expect(try numbers(bench, .fetchHistory(after: all[1])) == [3])
    #expect(try numbers(bench, .fetchHistory(after: dates[1])) == [3])
    #expect(try numbers(bench, .fetchHistory(after: Date.distantPast)) == [1, 2, 3])
    #expect(try numbers(bench, .fetchHistory(after: try bench.coordinator.historyToken())) == [])
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 history is filtered by authors and context names, and limited`(
    _ kind: StoreKind
  ) throws {
    let (bench, _) = try bench(kind, authors: ["a", nil, "b", "a"])
    var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    request.authors = ["a"]
    #expect(try numbers(bench, request) == [1, 4])
    request.fetchLimit = 1
    #expect(try numbers(bench, request) == [1])
    request = .fetchHistory(after: nil)
    request.authors = [nil, "b"]
    #expect(try numbers(bench, request) == [2, 3])
    request = .fetchHistory(after: nil)
    request.excludedAuthors = ["a"]
    #expect(try numbers(bench, request) == [2, 3])
    request = .fetchHistory(after: nil)
    request.contextNames = ["context of b", nil]
    #expect(try numbers(bench, request) == [2, 3])
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a request gives what its result type says`(_ kind: StoreKind) throws {
    let (bench, _) = try bench(kind, authors: ["a", "b"])
    let context = bench.context()
    func result(_ type: PersistentHistoryResultType) throws -> PersistentHistoryResult {
      var request = PersistentHistoryChangeRequest.fetchHistory(after: nil)
      request.resultType = type
      return try context.execute(request)
    }
    let clubs = Set(try context.fetch(Club.all).map(\.objectID))
    #expect(try result(.statusOnly).transactions.isEmpty)
    #expect(try result(.count).count == 2)
    #expect(try result(.count).transactions.isEmpty)
    #expect(try result(.objectIDs).objectIDs == clubs)
    #expect(try result(.transactionsOnly).transactions.map(\.changes.count) == [0, 0])
    #expect(try Set(result(.changesOnly).changes.map(\.changedObjectID)) == clubs)
    #expect(try result(.changesOnly).transactions.isEmpty)
    #expect(try result(.transactionsAndChanges).transactions.map(\.changes.count) == [1, 1])
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 history is deleted before a token, a transaction and a date; numbers go on`(
    _ kind: StoreKind
  ) throws {
    let (bench, dates) = try bench(kind, authors: ["a", "b", "c", "d"])
    let context = bench.context()
    let all = try context.history()
    let byToken = PersistentHistoryChangeRequest.deleteHistory(before: all[1].token)
    #expect(try context.execute(byToken).count == 1)
    #expect(try context.history().map(\.transactionNumber) == [2, 3, 4])
    let byTransaction = PersistentHistoryChangeRequest.deleteHistory(before: all[2])
    #expect(try context.execute(byTransaction).count == 1)
    let byDate = PersistentHistoryChangeRequest.deleteHistory(before: dates[3])
    #expect(try context.execute(byDate).count == 1)
    #expect(try context.history().map(\.transactionNumber) == [4])
    let everything = PersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture)
    #expect(try context.execute(everything).count == 1)
    #expect(try context.history().isEmpty)
    let last = try bench.coordinator.historyToken()
    #expect(last == all[3].token)
    #expect(try context.history(after: last).isEmpty)
    Club(context: context).title = "later"
    try context.save()
    #expect(try context.history(after: last).map(\.transactionNumber) == [5])
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 a token whose history is deleted has expired`(_ kind: StoreKind) throws {
    let (bench, _) = try bench(kind, authors: ["a", "b", "c"])
    let context = bench.context()
    let all = try context.history()
    try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: all[2].token))
    #expect(code { _ = try context.history(after: all[0].token) } == .persistentHistoryTokenExpired)
    #expect(code { _ = try context.history(after: all[0].token) }?.rawValue == 134_301)
    #expect(try context.history(after: all[1].token).map(\.transactionNumber) == [3])
    let other = try Bench.history(kind)
    let foreign = try #require(try other.coordinator.historyToken())
    #expect(code { _ = try context.history(after: foreign) } == .persistentHistoryTokenExpired)
    let delete = PersistentHistoryChangeRequest.deleteHistory(before: foreign)
    #expect(code { try context.execute(delete) } == .persistentHistoryTokenExpired)
  }

  @Test func `1H.4 tokens are kept as data, and compare by their place`() throws {
    let bench = try Bench.history(.inMemory)
    let first = try #require(try bench.coordinator.historyToken())
    let context = bench.context()
    Club(context: context).title = "club"
    try context.save()
    let second = try #require(try bench.coordinator.historyToken())
    #expect(first < second)
    let data = try JSONEncoder().encode(second)
    #expect(try JSONDecoder().decode(PersistentHistoryToken.self, from: data) == second)
  }

  @Test func `1H.4 a store that has a history goes on with it`() throws {
    let bench = try Bench.history(.sqlite)
    let context = bench.context()
    Club(context: context).title = "first"
    try context.save()
    let again = StoreCoordinator(
      store: try StoreKind.sqlite.open(historyModel().layout, in: bench.folder),
      classes: Dictionary(uniqueKeysWithValues: historyClasses.map { ($0.entityName, $0) })
    )
    let other = ManagedObjectContext(coordinator: again)
    Club(context: other).title = "second"
    try other.save()
    #expect(try other.history().map(\.transactionNumber) == [1, 2])
  }
}
