// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Observation
import Perennial
import Testing

/// Samples in the comments of contexts, objects and relationships.
@Suite("Samples in comments: contexts")
struct ContextCommentTests {
  private let store: TourStore

  init() async throws {
    store = try TourStore(.sqlite)
    try await store.addCommits()
  }

  @Managed final class Person: ManagedObject {
    enum NameError: Error { case reserved }

    var name: String

    override func validateValue(_ value: (any Sendable)?, forKey key: String) throws {
      try super.validateValue(value, forKey: key)
      if key == "name", value as? String == "root" { throw NameError.reserved }
    }
  }

  actor Library {
    private let context: ManagedObjectContext
    init(_ container: PersistentContainer) { context = container.newBackgroundContext() }
    func follow() { context.mergeAutomatically() }
  }

  @Test func `a background task saves`() async throws {
    let container = store.container
    try await container.performBackgroundTask { context in
      let commit = Commit(context: context)
      commit.sha = "2f77f2fc"
      commit.message = "Fix a bug"
      commit.date = .now
      try context.save()
    }
    await Library(container).follow()
    let context = container.newBackgroundContext()
    #expect(try context.count(for: Commit.filter("sha == '2f77f2fc'")) == 1)
  }

  @Test func `a class checks its values`() throws {
    let container = try PersistentContainer(name: "P", entities: Person.self, store: .inMemory)
    let context = container.newBackgroundContext()
    Person(context: context).name = "root"
    for problem in try context.validate() { print(problem.message) }
    #expect(try context.validate().first?.underlying is Person.NameError)
  }

  @MainActor @Test func `changes are told`() async throws {
    final class Table {
      var reloaded = 0
      func reload(_ objects: Set<ManagedObject>) { reloaded += 1 }
    }
    let context = store.container.viewContext
    let table = Table()
    let token = context.onObjectsDidChange { changes in
      table.reload(changes.updated)
    }
    try context.first(Commit.all)?.message = "Changed"
    try context.processPendingChanges()
    #expect(table.reloaded == 1)
    token.cancel()
  }

  /// A stream that does not end by itself: compiled only.
  @MainActor private func follow(
    _ context: ManagedObjectContext,
    upload: (Set<ManagedObjectID>) -> Void
  ) async {
    for await case .didSave(let changes) in context.events() { upload(changes.inserted) }
  }

  @Test func `conflicts are resolved, and errors caught`() throws {
    let context = store.container.newBackgroundContext()
    let other = store.container.newBackgroundContext()
    let commit = try #require(try context.first(Commit.all))
    let same = try other.object(Commit.self, with: commit.objectID)
    _ = same.message
    commit.message = "mine"
    same.message = "theirs"
    try other.save()
    do {
      try context.save()
    } catch let error where !error.conflicts.isEmpty {
      try context.resolve(error.conflicts, using: .mergeByPropertyStoreTrump)
      try context.save()
    }
    #expect(commit.message == "theirs")
    context.mergePolicy = .custom { conflict in
      conflict.objectID?.entityName == "Draft" ? .mergeByPropertyObjectTrump : .rollback
    }
    Commit(context: context).message = "no sha, no date"
    do {
      try context.save()
    } catch PerennialError.validation {
      context.rollback()
    }
    #expect(!context.hasChanges)
  }

  @MainActor @Test func `a sheet has a context of its own`() throws {
    let container = store.container
    let commit = try #require(try container.viewContext.first(Commit.all))
    let text = "edited"
    let sheet = ManagedObjectContext(parent: container.viewContext)
    let draft = try sheet.object(Commit.self, with: commit.objectID)
    draft.message = text
    try sheet.save()  // the view context has the message, and has something to save
    #expect(commit.message == "edited" && container.viewContext.hasChanges)
  }

  @MainActor @Test func `an object is observed`() throws {
    final class Label { var text = "" }
    let label = Label()
    let context = store.container.viewContext
    let author = try #require(try context.first(Author.all))
    withObservationTracking {
      label.text = author.name
    } onChange: {
      Task { @MainActor in render() }
    }
    #expect(label.text == author.name)
  }

  @Test func `both sides of a relationship`() throws {
    let context = store.container.newBackgroundContext()
    let author = try #require(try context.first(Author.filter("name == 'Ada'")))
    let commit = try #require(try context.first(Commit.filter("sha == 'sha2'")))
    author.commits.insert(commit)  // commit.author is author from now on
    for commit in author.commits { print(commit.message) }
    #expect(commit.author === author)
  }

  @Test func `tracks in an order`() throws {
    let container = try PersistentContainer(
      name: "Albums",
      entities: Album.self,
      Track.self,
      store: .inMemory
    )
    let context = container.newBackgroundContext()
    let album = Album(context: context)
    for title in ["A", "B", "C"] {
      let track = Track(context: context)
      track.title = title
      album.tracks.append(track)
    }
    let track = Track(context: context)
    track.title = "D"
    album.tracks.append(track)
    album.tracks.move(from: 3, to: 0)
    #expect(album.tracks.map(\.title) == ["D", "A", "B", "C"])
  }

  @Test func `second thoughts`() throws {
    let context = store.container.newBackgroundContext()
    let commit = try #require(try context.first(Commit.all))
    let old = commit.message
    context.undoManager = ContextUndoManager()
    commit.message = "Second thoughts"
    context.undo()  // the old message is back
    context.redo()  // and gone again
    #expect(commit.message == "Second thoughts")
    context.undo()
    #expect(commit.message == old)
  }

  @Test func `history since the last look`() throws {
    let folder = try TemporaryFolder()
    var description = StoreKind.sqlite.description(in: folder)
    description.historyTracking = true
    let container = try PersistentContainer(
      name: "H",
      entities: Commit.self,
      Author.self,
      store: description
    )
    let context = container.newBackgroundContext()
    Author(context: context).name = "Ada"
    try context.save()
    var lastToken: PersistentHistoryToken?
    var request = PersistentHistoryChangeRequest.fetchHistory(after: lastToken)
    request.excludedAuthors = ["importer"]
    for transaction in try context.execute(request).transactions {
      try context.mergeChanges(from: transaction)
      lastToken = transaction.token
    }
    #expect(lastToken != nil)
  }
}

/// Draws what has changed.
@MainActor private func render() {}
