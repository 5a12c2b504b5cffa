// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

@Managed final class Pass: ManagedObject {
  @Attribute(preservesValueOnDeletion: true) var code: String
  @Attribute(preservesValueOnDeletion: true) var state: PassState = PassState.open
  var seat: Int = 0
}

enum PassState: String, Codable, Sendable {
  case open
  case used
}

/// History as an application uses it.
@Suite("Samples: history")
struct HistorySampleTests {
  @Test(arguments: StoreKind.keepingHistory)
  func `1H.4 an application reads, merges, undoes and deletes history`(_ kind: StoreKind) throws {
    let folder = try TemporaryFolder()
    var store = kind.description(in: folder)
    store.historyKeepsOldValues = true
    let container = try PersistentContainer(name: "Box", entities: Pass.self, store: store)
    let context = container.newBackgroundContext()
    context.transactionAuthor = "box office"
    let pass = Pass(context: context)
    pass.code = "A1"
    try context.save()
    let start = try container.currentPersistentHistoryToken()

    pass.seat = 7
    try context.save()
    context.delete(pass)
    try context.save()

    let other = container.newBackgroundContext()
    var request = PersistentHistoryChangeRequest.fetchHistory(after: start)
    request.authors = ["box office"]
    let history = try other.execute(request).transactions
    #expect(history.count == 2)
    for transaction in history { try other.mergeChanges(from: transaction) }
    #expect(history[0].changes[0].hasUpdated(\Pass.seat))
    #expect(history[0].changes[0].oldValue(\Pass.seat) == 0)
    #expect(history[1].changes[0].tombstone(\Pass.code) == "A1")
    #expect(history[1].changes[0].tombstone["state"] == .string("open"))

    try other.revert(history[1])
    try other.save()
    #expect(try other.first(Pass.filter("code == 'A1'"))?.seat == 7)

    try other.execute(PersistentHistoryChangeRequest.deleteHistory(before: history[1]))
    let expired = PersistentHistoryChangeRequest.fetchHistory(after: start)
    let error = try failure { try other.execute(expired) }
    #expect(error.code == .persistentHistoryTokenExpired)
    #expect(error.code.rawValue == 134_301)
  }

  @Test(.timeLimit(.minutes(30)))
  func `1H.4 another container's saves are told and merged`() async throws {
    let folder = try TemporaryFolder()
    var store = StoreKind.sqlite.description(in: folder)
    store.historyTracking = true
    store.remoteChangeInterval = .milliseconds(20)
    let near = try PersistentContainer(name: "Near", entities: Pass.self, store: store)
    store.remoteChangeInterval = nil
    let far = try PersistentContainer(name: "Far", entities: Pass.self, store: store)
    let context = near.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    let pass = Pass(context: context)
    pass.code = "A1"
    try context.save()
    let changes = near.remoteChanges
    let id = pass.objectID
    try await far.performBackgroundTask { context in
      try context.object(Pass.self, with: id).seat = 9
      try context.save()
    }
    for await change in changes {
      #expect(change.historyToken?.transactionNumber == 2)
      #expect(change.url == store.url)
      break
    }
    try context.processPendingChanges()
    #expect(pass.seat == 9)
  }

  #if os(Linux)
  @Test(.timeLimit(.minutes(30)))
  func `1H.4 what others write is told at once, whatever the interval is`() async throws {
    let folder = try TemporaryFolder()
    var store = StoreKind.sqlite.description(in: folder)
    store.historyTracking = true
    // It makes the file, and deletes the log again.
    _ = try PersistentContainer(name: "First", entities: Pass.self, store: store)
    store.remoteChangeInterval = .seconds(3_600)
    let near = try PersistentContainer(name: "Near", entities: Pass.self, store: store)
    store.remoteChangeInterval = nil
    let far = try PersistentContainer(name: "Far", entities: Pass.self, store: store)
    let changes = near.remoteChanges
    try await far.performBackgroundTask { context in
      Pass(context: context).code = "A1"
      try context.save()
    }
    for await change in changes {
      #expect(change.historyToken?.transactionNumber == 1)
      break
    }
  }
  #endif
}
