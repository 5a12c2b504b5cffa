// Perennial: object-graph persistence for Swift
// SPDX-License-Identifier: MIT

import Foundation
import Perennial
import Testing

// Samples in comments and articles whose classes have the names that others have, each in a scope.

/// A library with a cache of covers.
enum Shelved {
  @Managed final class Book: ManagedObject {
    var title: String
    var writer: Writer?
  }

  @Managed final class Writer: ManagedObject {
    var name: String
    var books: ToMany<Book>
  }

  @Managed final class Cover: ManagedObject {
    var title: String
  }

  static func open(_ url: URL) throws -> PersistentContainer {
    var store = StoreDescription.sqlite(url)
    store.busyTimeout = .seconds(2)
    let container = try PersistentContainer(
      name: "Library",
      entities: Book.self,
      Writer.self,
      store: store
    )
    return container
  }
}

/// A library of which a part is kept in memory.
enum Cached {
  @Managed final class Book: ManagedObject {
    var title: String
  }

  @Managed final class Cover: ManagedObject {
    var title: String
  }

  static func open(_ url: URL) throws -> PersistentContainer {
    var cache = StoreDescription.inMemory
    cache.configuration = "Cache"
    let container = try PersistentContainer(
      name: "Library",
      entities: Book.self,
      Cover.self,
      configurations: ["Cache": [Cover.self]],
      stores: [.sqlite(url), cache]
    )
    return container
  }
}

/// Commits with what batch requests change.
enum Archive {
  @Managed final class Commit: ManagedObject {
    @Unique var sha: String
    var message: String?
    @Indexed var date: Date?
    var stars: Int = 0
    var size: Int = 0
    var isArchived: Bool = false
    var author: Author?
  }

  @Managed final class Author: ManagedObject {
    @Unique var email: String
    var commits: ToMany<Commit>
  }

  struct Entry {
    var sha: String
    var message: String
    var email: String
  }

  static func insert(_ log: [Entry], _ context: ManagedObjectContext) throws -> Int {
    let request = BatchInsertRequest(
      entityName: "Commit",
      objects: log.map { ["sha": $0.sha, "message": $0.message, "author": $0.email] }
    )
    let count = try context.execute(request).count
    return count
  }

  static func insertLines(_ text: String, _ context: ManagedObjectContext) throws {
    var lines = text.split(separator: "\n").makeIterator()
    let request = BatchInsertRequest(entityName: "Commit") { values in
      guard let line = lines.next() else { return true }
      values["sha"] = String(line)
      return false
    }
    try context.execute(request)
  }

  static func update(_ lastYear: Date, _ context: ManagedObjectContext) throws {
    var request = BatchUpdateRequest(Commit.self, where: "date < \(lastYear)")
    request.set(\Commit.isArchived, to: true)
    try context.execute(request)

    request.expressionsToUpdate = [ExpressionDescription("stars", format: "stars + 1")]
    try context.execute(request)
  }

  static func delete(_ lastYear: Date, _ context: ManagedObjectContext) throws {
    try context.execute(BatchDeleteRequest(Commit.filter("date < \(lastYear)")))
  }

  static func follow(_ context: ManagedObjectContext) throws -> Double? {
    let live = try context.aggregates(of: Commit.all, [.count, .max(\.date), .average("size")])
    return live.value(of: .average("size"), as: Double.self)
  }
}

/// An address of two lines.
enum Short {
  @Composite struct Address {
    var city: String?
    var zip: String?
  }

  @Managed final class Person: ManagedObject {
    var name: String
    var address: Address?
  }
}

/// A commit of two attributes.
enum Small {
  @Managed final class Commit: ManagedObject {
    @Unique var sha: String
    var message: String
  }
}

/// What the classes in scopes do.
@Suite("Samples in comments: scopes")
struct ScopedCommentTests {
  private let folder: TemporaryFolder
  private let url: URL

  init() throws {
    folder = try TemporaryFolder()
    url = folder.url.appending(path: "Library.sqlite")
  }

  @Test func `a cache lies in a store of its own`() throws {
    #expect(try Cached.open(url).persistentStoreCoordinator.persistentStores.count == 2)
  }

  @Test func `a store waits for two seconds`() throws {
    let container = try Shelved.open(url)
    #expect(container.storeDescription.busyTimeout == .seconds(2))
  }

  @Test func `the entities are models`() throws {
    #expect(try ManagedObjectModel(Short.Person.entity).entities.count == 1)
    #expect(try ManagedObjectModel(Small.Commit.entity).entities.count == 1)
  }

  @Test func `batch requests write many rows`() throws {
    let container = try PersistentContainer(
      name: "Archive",
      entities: Archive.Commit.self,
      Archive.Author.self,
      store: .sqlite(url)
    )
    let context = container.newBackgroundContext()
    Archive.Author(context: context).email = "ada@example.org"
    try context.save()
    let log = [Archive.Entry(sha: "a", message: "b", email: "ada@example.org")]
    #expect(try Archive.insert(log, context) == 1)
    try Archive.insertLines("b\nc", context)
    #expect(try context.count(for: Archive.Commit.all) == 3)
    #expect(try context.count(for: Archive.Commit.filter("author.email BEGINSWITH 'ada'")) == 1)
    #expect(try Archive.follow(context) == 0)
    try context.first(Archive.Commit.filter("sha == 'a'"))?.date = .distantPast
    try context.save()
    try Archive.update(.now, context)
    let archived = try context.fetch(Archive.Commit.filter("isArchived == TRUE"))
    #expect(archived.map(\.sha) == ["a"] && archived.map(\.stars) == [1])
    try Archive.delete(.now, context)
    #expect(try context.count(for: Archive.Commit.all) == 2)
  }
}

/// Statements that are counted.
@Suite("Samples in comments: counters")
struct CounterCommentTests {
  private let container: PersistentContainer
  private let context: ManagedObjectContext
  private let store: TourStore

  init() async throws {
    store = try TourStore(.sqlite)
    try await store.addCommits()
    container = store.container
    context = container.newBackgroundContext()
    context.stalenessInterval = 0
  }

  @Test func `the list takes two statements`() throws {
    try container.assertStatements(2) {
      _ = try context.fetch(Commit.all.prefetching(\.author)).map(\.author?.name)
    }
  }

  @Test func `counters tell what has been asked`() throws {
    let before = container.counters
    _ = try context.fetch(Commit.all.prefetching(\.author)).map(\.author?.name)
    #expect((container.counters - before).statements == 2)
  }

  @Test func `states are read with their objects`() throws {
    let store = try PersistentContainer(name: "T", entities: Ticket.self, store: .inMemory)
    let context = store.newBackgroundContext()
    let states = try context.fetch(Ticket.all, \.state, \.priority)  // [(String, Priority)]
    #expect(states.isEmpty)
  }
}
