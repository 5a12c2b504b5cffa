// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Synchronization
import Testing

/// Samples of the articles on fetching, debugging and results.
@Suite("Samples of articles: fetching")
struct FetchingPageTests {
  private let store: TourStore
  private let context: ManagedObjectContext

  init() async throws {
    store = try TourStore(.sqlite)
    try await store.addCommits()
    context = store.container.newBackgroundContext()
  }

  @Test func `objects and values`() throws {
    let fixes = try context.fetch(
      Commit.filter { $0.message.contains("fix", .caseInsensitive) }.sorted(by: \.date, .reverse)
        .limit(20)
    )
    #expect(fixes.map(\.sha) == ["sha2", "sha1"])
    let newest = try context.fetch(Commit.all.limit(20), \.message, \.date)  // [(String, Date)]
    #expect(newest.count == 3)
    let totals = try context.aggregates(
      of: Commit.all,
      [.count, .max(\.date)],
      groupedBy: \.author,
      \.name
    )
    #expect(totals["Joe Groff"]?.count == 2)
  }

  @Test func `a batch changes old commits`() throws {
    let container = try PersistentContainer(
      name: "Archive",
      entities: Archive.Commit.self,
      Archive.Author.self,
      store: .inMemory
    )
    let context = container.newBackgroundContext()
    let old = Archive.Commit(context: context)
    (old.sha, old.date) = ("a", .distantPast)
    try context.save()
    #expect(try Self.archive(.now, context) == 1)
    #expect(old.isArchived)
  }

  private typealias Commit = PublicAPITests.Commit

  private static func archive(_ lastYear: Date, _ context: ManagedObjectContext) throws -> Int {
    typealias Commit = Archive.Commit
    var update = BatchUpdateRequest(Commit.self, where: "date < \(lastYear)")
    update.set(\Commit.isArchived, to: true)
    let count = try context.execute(update).count
    return count
  }

  @Test func `history is merged and deleted`() throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Store.sqlite")
    var store = StoreDescription.sqlite(url)
    store.historyTracking = true  // every save is a transaction in the store
    store.historyKeepsOldValues = true  // … that can be undone
    store.remoteChangeInterval = .seconds(1)
    let container = try PersistentContainer(
      name: "H",
      entities: Commit.self,
      Author.self,
      store: store
    )
    let context = container.newBackgroundContext()
    Author(context: context).name = "Ada"
    try context.save()
    let lastToken = try #require(try container.currentPersistentHistoryToken())
    Author(context: context).name = "Bob"
    try context.save()

    let request = PersistentHistoryChangeRequest.fetchHistory(after: lastToken)
    for transaction in try context.execute(request).transactions
    where transaction.author != "import" {
      try context.mergeChanges(from: transaction)
    }
    try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: lastToken))
    #expect(try context.execute(request).transactions.count == 1)
  }

  @Test func `a log is kept by a logger`() throws {
    final class Logger: Sendable {
      let texts = Mutex<[String]>([])
      func debug(_ text: String) { texts.withLock { $0.append(text) } }
    }
    let logger = Logger()
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Store.sqlite")
    var store = StoreDescription.sqlite(url)
    store.log = { event in logger.debug("\(event.kind) \(event.message)") }
    store.logLevel = .statements
    let container = try PersistentContainer(
      name: "Logged",
      entities: Commit.self,
      Author.self,
      store: store
    )
    _ = try container.newBackgroundContext().count(for: Commit.all)
    #expect(logger.texts.withLock { $0.contains { $0.contains("SELECT COUNT") } })
  }
}
