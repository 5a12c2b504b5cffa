// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class Memo: ManagedObject {
  @Attribute(preservesValueOnDeletion: true) var number: String
  var text: String
}

struct HistoryBookmark {
  let file: URL

  func load() throws -> PersistentHistoryToken? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    return try JSONDecoder().decode(PersistentHistoryToken.self, from: Data(contentsOf: file))
  }

  func save(_ token: PersistentHistoryToken) throws {
    try JSONEncoder().encode(token).write(to: file, options: .atomic)
  }
}

private func catchUp(
  _ index: inout [String: String],
  _ context: ManagedObjectContext,
  _ bookmark: HistoryBookmark
) throws {
  let request = PersistentHistoryChangeRequest.fetchHistory(after: try bookmark.load())
  let transactions = try context.execute(request).transactions
  for transaction in transactions where transaction.author != "indexer" {
    try context.mergeChanges(from: transaction)
    for change in transaction.changes {
      switch change.changeType {
      case .insert, .update:
        let memo = try? context.object(Memo.self, with: change.changedObjectID)
        if let memo { index[memo.number] = memo.text }
      case .delete:
        if let number = change.tombstone(\Memo.number) { index[number] = nil }
      }
    }
  }
  if let last = transactions.last { try bookmark.save(last.token) }
}

/// What the article HistoryAndProcesses says.
@Suite("Guide: history and processes")
struct HistoryGuideTests {
  private struct Office {
    let container: PersistentContainer
    private let folder: TemporaryFolder

    init(_ kind: StoreKind) throws {
      folder = try TemporaryFolder()
      var store = kind.description(in: folder)
      store.historyKeepsOldValues = true
      container = try PersistentContainer(name: "Office", entities: Memo.self, store: store)
    }

    func bookmark(_ name: String) -> HistoryBookmark {
      HistoryBookmark(file: folder.url.appending(path: name))
    }

    /// Saves a memo in a context, and gives it.
    func memo(_ number: String, _ text: String, in context: ManagedObjectContext) throws -> Memo {
      let memo = Memo(context: context)
      (memo.number, memo.text) = (number, text)
      try context.save()
      return memo
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `a reader goes on where it stopped, and leaves out its own`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let writer = office.container.newBackgroundContext()
    let reader = office.container.newBackgroundContext()
    let bookmark = office.bookmark("indexer")
    var index: [String: String] = [:]
    let memo = try office.memo("7", "Buy milk", in: writer)
    try catchUp(&index, reader, bookmark)
    #expect(index == ["7": "Buy milk"])

    writer.transactionAuthor = "indexer"
    memo.text = "Buy nothing"
    try writer.save()
    try catchUp(&index, reader, bookmark)
    #expect(index == ["7": "Buy milk"])
    let token = try #require(try bookmark.load())
    #expect(try office.container.currentPersistentHistoryToken() == token)

    writer.transactionAuthor = nil
    writer.delete(memo)
    try writer.save()
    try catchUp(&index, reader, bookmark)
    #expect(index.isEmpty)
  }

  @Test(arguments: StoreKind.allCases)
  func `an expired reader reads everything again`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let context = office.container.newBackgroundContext()
    let bookmark = office.bookmark("indexer")
    var index: [String: String] = [:]
    _ = try office.memo("1", "a", in: context)
    try catchUp(&index, context, bookmark)
    _ = try office.memo("2", "b", in: context)
    _ = try office.memo("3", "c", in: context)
    let now = try #require(try office.container.currentPersistentHistoryToken())
    try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: now))
    let error = try failure { try catchUp(&index, context, bookmark) }
    #expect(error.code == .persistentHistoryTokenExpired)

    try Self.catchUpAnew(&index, office.container, context, bookmark)
    #expect(index == ["1": "a", "2": "b", "3": "c"])
    #expect(try bookmark.load() == now)
    try catchUp(&index, context, bookmark)
    #expect(index.count == 3)
  }

  private static func catchUpAnew(
    _ index: inout [String: String],
    _ container: PersistentContainer,
    _ context: ManagedObjectContext,
    _ bookmark: HistoryBookmark
  ) throws {
    do throws(any Error) {
      try catchUp(&index, context, bookmark)
    } catch PerennialError.historyExpired {
      let token = try container.currentPersistentHistoryToken()
      index = [:]
      for memo in try context.fetch(Memo.all) { index[memo.number] = memo.text }
      if let token { try bookmark.save(token) }
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `history is deleted up to the reader that is furthest behind`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let context = office.container.newBackgroundContext()
    let bookmarks = [office.bookmark("indexer"), office.bookmark("widget")]
    var index: [String: String] = [:]
    _ = try office.memo("1", "a", in: context)
    _ = try office.memo("2", "b", in: context)
    try catchUp(&index, context, bookmarks[0])
    try Self.prune(bookmarks, context)
    let all = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    #expect(try context.execute(all).count == 2)

    _ = try office.memo("3", "c", in: context)
    try catchUp(&index, context, bookmarks[1])
    try Self.prune(bookmarks, context)
    #expect(try context.execute(all).count == 2)
    for bookmark in bookmarks { try catchUp(&index, context, bookmark) }
    #expect(index.count == 3)
  }

  private static func prune(
    _ bookmarks: [HistoryBookmark],
    _ context: ManagedObjectContext
  ) throws {
    let tokens = try bookmarks.compactMap { try $0.load() }
    if tokens.count == bookmarks.count, let oldest = tokens.min() {
      try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: oldest))
    }
  }

  @Test(arguments: StoreKind.allCases)
  func `the last transaction is undone`(_ kind: StoreKind) throws {
    let office = try Office(kind)
    let context = office.container.newBackgroundContext()
    let memo = try office.memo("7", "Buy milk", in: context)
    memo.text = "Buy bread"
    try context.save()

    let all = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    if let last = try context.execute(all).transactions.last {
      try context.revert(last)
      try context.save()
    }
    #expect(memo.text == "Buy milk")
    #expect(try context.execute(all).count == 3)
  }

  @Test(.timeLimit(.minutes(30)))
  func `an app merges what a service has saved`() async throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appending(path: "Store.sqlite")
    var store = StoreDescription.sqlite(url)
    store.historyTracking = true
    store.remoteChangeInterval = .seconds(1)
    let container = try PersistentContainer(name: "App", entities: Memo.self, store: store)

    let app = container.newBackgroundContext()
    app.automaticallyMergesChangesFromParent = true
    let memo = Memo(context: app)
    (memo.number, memo.text) = ("7", "Buy milk")
    try app.save()
    let service = try PersistentContainer(name: "Service", entities: Memo.self, store: .sqlite(url))
    let changes = container.remoteChanges
    let id = memo.objectID
    try await service.performBackgroundTask { context in
      context.transactionAuthor = "service"
      try context.object(Memo.self, with: id).text = "Buy bread"
      try context.save()
    }
    for await change in changes {
      #expect(change.url == url)
      break
    }
    try app.processPendingChanges()
    #expect(memo.text == "Buy bread")
    let all = PersistentHistoryChangeRequest.fetchHistory(after: nil)
    #expect(try app.execute(all).transactions.map(\.author) == [nil, "service"])
  }
}
