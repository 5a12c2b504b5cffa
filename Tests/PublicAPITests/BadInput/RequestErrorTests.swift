// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

/// Requests that cannot be answered, over both stores: a typed error, and the context goes on.
@Suite("Bad requests")
struct RequestErrorTests {
  enum Mistake: CaseIterable {
    case toManyInDictionaries, unknownInDictionaries, unknownInTuples, havingWithoutGroups
    case unknownInObjects, toManyInObjects, mixedGroup, negativeLimit, computedForObjects,
      fetchedTwice
    case keyForRelationshipWithoutKey, toManyInBatch, unknownInBatch, conditionOfBatch
    case expiredToken, foreignToken, historyOfNoStore, negativeHistoryLimit

    var code: PerennialError.Code {
      switch self {
      case .toManyInDictionaries, .havingWithoutGroups, .mixedGroup, .negativeLimit,
        .computedForObjects, .fetchedTwice, .toManyInObjects, .negativeHistoryLimit:
        .invalidRequest
      case .unknownInDictionaries, .unknownInObjects, .unknownInTuples, .unknownInBatch,
        .conditionOfBatch:
        .unknownName
      case .keyForRelationshipWithoutKey, .toManyInBatch: .typeMismatch
      case .expiredToken, .foreignToken: .persistentHistoryTokenExpired
      case .historyOfNoStore: .persistentStoreUnsupportedRequestType
      }
    }
  }

  /// A container with history, whose first transaction is no longer there.
  private struct Scene {
    let container: PersistentContainer
    let start: PersistentHistoryToken
    private let folder: TemporaryFolder

    init(_ kind: StoreKind, keepsHistory: Bool = true) throws {
      folder = try TemporaryFolder()
      var store = kind.description(in: folder)
      store.historyTracking = keepsHistory
      container = try PersistentContainer(
        name: "Bad",
        entities: Commit.self,
        Author.self,
        store: store
      )
      start =
        try keepsHistory
        ? #require(try container.currentPersistentHistoryToken()) : Self.foreign()
      let context = container.newBackgroundContext()
      for number in 0..<2 {
        let author = Author(context: context)
        author.name = "author \(number)"
        let commit = Commit(context: context)
        (commit.sha, commit.message, commit.date) = ("\(number)", "message", .distantPast)
        commit.author = author
        try context.save()
      }
      guard keepsHistory else { return }
      let end = try #require(try container.currentPersistentHistoryToken())
      try context.execute(PersistentHistoryChangeRequest.deleteHistory(before: end))
    }

    /// A token of a store that is gone.
    static func foreign() throws -> PersistentHistoryToken {
      var store = StoreDescription.inMemory
      store.historyTracking = true
      let other = try PersistentContainer(
        name: "Other",
        entities: Commit.self,
        Author.self,
        store: store
      )
      return try #require(try other.currentPersistentHistoryToken())
    }
  }

  private func make(_ mistake: Mistake, _ context: ManagedObjectContext, _ scene: Scene) throws {
    let count = PropertyToFetch.expression(ExpressionDescription("n", format: "count(sha)"))
    var update = BatchUpdateRequest(Commit.self)
    switch mistake {
    case .toManyInDictionaries: _ = try context.fetchDictionaries(Author.all.fetching("commits"))
    case .unknownInDictionaries: _ = try context.fetchDictionaries(Commit.all.fetching("shaa"))
    case .unknownInObjects: _ = try context.fetch(Commit.filter("sha == '0'").fetching("shaa"))
    case .toManyInObjects: _ = try context.fetch(Author.all.fetching("commits"))
    case .unknownInTuples: _ = try context.fetch(Commit.all, \.sha, \.hasChanges)
    case .havingWithoutGroups:
      _ = try context.fetchDictionaries(Commit.all.fetching("sha").having("sha == '1'"))
    case .mixedGroup: _ = try context.fetchDictionaries(Commit.all.fetching("sha", count))
    case .negativeLimit: _ = try context.fetch(Commit.all.limit(-1))
    case .computedForObjects: _ = try context.fetch(Commit.all.fetching(count))
    case .fetchedTwice: _ = try context.fetchDictionaries(Commit.all.fetching(count, count))
    case .keyForRelationshipWithoutKey:
      try context.execute(
        BatchInsertRequest(entityName: "Commit", objects: [["sha": "9", "author": "author 1"]])
      )
    case .toManyInBatch:
      update = BatchUpdateRequest(Author.self)
      update.propertiesToUpdate = ["commits": nil]
      try context.execute(update)
    case .unknownInBatch:
      update.propertiesToUpdate = ["shaa": "x"]
      try context.execute(update)
    case .conditionOfBatch: try context.execute(BatchDeleteRequest(Commit.filter("shaa == 'x'")))
    case .expiredToken:
      try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: scene.start))
    case .foreignToken:
      try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: Scene.foreign()))
    case .negativeHistoryLimit:
      var history = PersistentHistoryChangeRequest.fetchHistory(after: nil)
      history.fetchLimit = -1
      try context.execute(history)
    case .historyOfNoStore:
      try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
    }
  }

  @Test(arguments: StoreKind.keepingHistory, Mistake.allCases)
  func `a request that cannot be answered is a typed error and harms nothing`(
    _ kind: StoreKind,
    _ mistake: Mistake
  ) throws {
    let scene = try Scene(kind, keepsHistory: mistake != .historyOfNoStore)
    let context = scene.container.newBackgroundContext()
    let new = Author(context: context)
    new.name = "new"
    let changed = try #require(try context.first(Commit.filter("sha == '0'")))
    changed.message = "changed"
    let leaving = try #require(try context.first(Author.filter("name == 'author 1'")))
    context.delete(leaving)

    let error = try failure { try make(mistake, context, scene) }
    #expect(error.code == mistake.code)
    #expect(!error.message.isEmpty)
    try expectUnharmed(context, new, changed)
    #expect(try scene.container.newBackgroundContext().count(for: Commit.all) == 1)
  }

  @Test func `a store without history that is only read says that it gets none so`() throws {
    let folder = try TemporaryFolder()
    var store = StoreKind.sqlite.description(in: folder)
    func open() throws -> PersistentContainer {
      try PersistentContainer(name: "Read", entities: Commit.self, Author.self, store: store)
    }
    _ = try open()
    (store.isReadOnly, store.historyTracking) = (true, true)
    let container = try open()
    let context = container.newBackgroundContext(isolation: nil)
    let error = try failure {
      try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil))
    }
    #expect(error.code == .persistentStoreUnsupportedRequestType)
    #expect(error.recovery.contains("'isReadOnly'"))
  }

  @Test(arguments: StoreKind.keepingHistory)
  func `a cancelled fetch is a typed error and harms nothing`(_ kind: StoreKind) async throws {
    let scene = try Scene(kind)
    try await Task { @MainActor in
      let context = scene.container.viewContext
      let new = Author(context: context)
      new.name = "new"
      let changed = try #require(try context.first(Commit.filter("sha == '0'")))
      changed.message = "changed"
      context.delete(try #require(try context.first(Author.filter("name == 'author 1'"))))
      let search = Task { try await context.fetchInBackground(Commit.all).count }
      search.cancel()
      let result = await search.result
      let error = try failure { _ = try result.get() }
      #expect(error.code == .fetchCancelled)
      try expectUnharmed(context, new, changed)
    }
    .value
  }

  /// What is pending is still there, is saved, and other requests go on.
  private func expectUnharmed(
    _ context: ManagedObjectContext,
    _ new: Author,
    _ changed: Commit
  ) throws {
    #expect(context.insertedObjects == [new])
    #expect(context.updatedObjects.contains(changed))
    #expect(try context.count(for: Author.all) == 2)
    #expect(try context.fetch(Commit.all).map(\.message) == ["changed"])
    try context.save()
    #expect(!context.hasChanges && !new.objectID.isTemporaryID)
    #expect(try context.fetch(Author.sorted(by: \.name)).map(\.name) == ["author 0", "new"])
  }
}
